import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Everything that `soundbox.yaml` says.
///
///     let configuration = try Configuration(readingFile: Configuration.defaultPath)
///     print(configuration.topics.clientID, configuration.audio.volume.level)
///
/// Reading is strict: an unknown key or a wrong value is refused, with file, line and key.
public struct Configuration: Sendable {
    public static let defaultPath = "/etc/soundbox/soundbox.yaml"

    public typealias Broker = BrokerSettings

    public struct Audio: Sendable, Equatable {
        /// Any ALSA PCM name; `file:PATH` writes a WAV; `null` plays nothing in real time.
        public var device: String
        /// For the first start; afterwards the last volume is restored.
        public var volume: Volume
        /// Where keys stop making it softer.
        public var leastVolume: Volume
        public var timing: Timing
        /// What to do with the card's own controls when it opens.
        public var cardLevel: CardLevel
        /// The loudspeaker that sound is processed for; `nil` uses the board's.
        public var speaker: Loudspeaker?
    }

    public struct VoiceChoice: Sendable, Equatable {
        /// At least one. Each speaks every announcement, one after the other.
        public var locales: [String]
        /// Speaker ids by locale. A language that is not listed uses its own folder.
        public var speakers: [String: String]
        /// The folder with the voices.
        public var directory: String
        public var tempo: Tempo
        /// How decimals are read; `nil` leaves it to each voice.
        public var decimal: DecimalStyle?
    }

    public struct Announce: Sendable, Equatable {
        public var freshness: FreshnessPolicy
        /// The currency of a notice that names none.
        public var currency: Currency
        /// If more notices than this wait, they are spoken without chimes and long pauses; `nil` for never.
        public var hurryAbove: Int?
        public var quietHours: QuietHours?
        /// Which network prompts the box speaks by itself, and when.
        public var networkPrompts: NetworkPromptPolicy
    }

    public var merchantID: String
    public var deviceID: String
    public var broker: Broker
    public var audio: Audio
    public var voice: VoiceChoice
    /// A name in ``boardDirectory``, without `.yaml`.
    public var board: String
    public var boardDirectory: String
    public var stateDirectory: String
    public var controlSocket: String
    /// Where metrics are served by TCP; `nil` serves them on the control socket only.
    public var metricsAddress: ListenAddress?
    /// `nil` without a page for the shop.
    public var page: Page?
    public var announce: Announce
    public var payments: Payments
    /// `nil` accepts every notice that the broker delivers.
    public var authenticity: Authenticity?
    /// `nil` for a box without a certificate, or with one that it does not renew.
    public var enrolment: Enrolment?
    public var inbox: Retention
    public var ring: Ring
    public var say: Say
    /// `nil` refuses every clip.
    public var clips: ClipSettings?
    public var day: Day
    public var logLevel: Logger.Level
    /// How often the status is sent without a change.
    public var statusInterval: Duration

    /// The topics of this box.
    public var topics: Topics
}

extension Configuration {
    /// Reads and checks a whole file. Blocks on the disk.
    public init(readingFile path: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(readingFile: path, isConfidential: true))
    }

    /// - Parameter file: its name in errors; nothing is read from it.
    public init(parsing text: String, file: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(parsing: text, file: file, isConfidential: true))
    }

    /// Keys without a default are read last: ``masked(_:)`` tolerates mistakes, and then the other keys are known
    /// already.
    init(reading yaml: YAMLValue) throws(YAMLError) {
        let top = try yaml.mapping()
        let (merchant, device) = (try top.required("merchant_id"), try top.required("device_id"))
        let platform = try top.required("broker")
        audio = try Audio(reading: top.section("audio"))
        voice = try VoiceChoice(reading: top.section("voice"))
        let boards = try top.read("board_directory") { try $0.path() } ?? Default.boardDirectory
        boardDirectory = boards
        board = try top.read("board") { try $0.fileName(in: boards) } ?? Default.board
        stateDirectory = try top.read("state_directory") { try $0.path() } ?? Default.stateDirectory
        controlSocket = try top.read("control_socket") { try $0.socketPath() } ?? Default.controlSocket
        metricsAddress = try top.read("metrics") { try ListenAddress(readingMetrics: $0) }
        page = try top.read("page") { try Page(reading: $0) } ?? nil
        announce = try Announce(reading: top.section("announce"))
        payments = try Payments(reading: top)
        let retention = try Retention(reading: top.section("inbox"))
        inbox = retention
        ring = try Ring(reading: top.section("ring"))
        say = try Say(reading: top.section("say"))
        clips = try top.read("clips") { try ClipSettings(reading: $0) }
        day = try Day(reading: top.section("day"))
        authenticity = try top.read("authenticity") { try Authenticity(reading: $0, keep: retention.keep) }
        logLevel = try top.read("log_level") { try $0.choice(of: Logger.Level.self) } ?? .info
        let status = try top.section("status")
        // Those who read it believe one for three minutes.
        statusInterval =
            try status.read("interval") { try $0.duration(in: .seconds(10) ... .seconds(150)) }
            ?? Configuration.Default.statusInterval
        try status.refuseOtherKeys()
        enrolment = try top.read("enrolment") { try Enrolment(reading: $0) }
        try top.refuseOtherKeys()
        merchantID = try merchant.name()
        deviceID = try device.name()
        let section = try platform.mapping()
        var naming = TopicNaming()
        broker = try Broker(reading: section) { () throws(YAMLError) in naming = try TopicNaming(reading: section) }
        let identity = IdentityFiles.path(in: stateDirectory)
        if let value = top.optional("enrolment"), broker.certFile != identity || broker.keyFile != identity {
            throw value.error("needs broker.cert_file and broker.key_file, and both \(identity)")
        }
        do {
            topics = try Topics(
                merchant: merchantID, device: deviceID, layout: naming.over(payments.naming))
        } catch {
            let culprit =
                switch error.part {
                case .merchant: merchant
                case .device: device
                // Each is valid by itself; the combination with the mapping's is not.
                case .prefix, .clientID, .topic: platform
                }
            throw culprit.error("the \(error.part) cannot be: \(error.problem)")
        }
    }

    /// A configuration with all secrets masked, even if it is invalid; see ``YAMLMask``. Blocks on the disk: it shows
    /// paths that exist on this machine.
    package static func masked(_ text: String) throws(YAMLError) -> YAMLMask {
        try YAMLMask(text, file: "soundbox.yaml") { _ = try? Configuration(reading: $0) }
    }
}

extension Configuration.Audio {
    fileprivate init(reading mapping: YAMLMapping) throws(YAMLError) {
        device = try mapping.read("device") { try $0.audioDevice() } ?? Configuration.Default.audioDevice
        volume = Volume(
            try mapping.read("volume") { try $0.integer(in: Volume.range) } ?? Configuration.Default.volume)
        leastVolume = Volume(
            try mapping.read("least_volume") { try $0.integer(in: Volume.range) } ?? Configuration.Default.leastVolume)
        let usual = Timing()
        timing = Timing(
            leadIn: try mapping.read("lead_in") { try $0.duration(in: .zero ... .seconds(2)) } ?? usual.leadIn,
            gap: try mapping.read("gap") { try $0.duration(in: .zero ... .seconds(5)) } ?? usual.gap,
            closeWhenIdle: try mapping.read("close_when_idle") { try $0.duration(in: .seconds(1) ... .days(1)) })
        speaker = try mapping.read("speaker") { try Loudspeaker(reading: $0) }
        cardLevel = try mapping.read("card_level") { try $0.choice(of: CardLevel.self) } ?? .raise
        try mapping.refuseOtherKeys()
    }
}

extension Configuration.VoiceChoice {
    fileprivate init(reading mapping: YAMLMapping) throws(YAMLError) {
        let languages = try mapping.read("locale") { try $0.locales() } ?? [Configuration.Default.locale]
        let folder = try mapping.read("directory") { try $0.path() } ?? InstalledFolders.sounds
        (locales, directory) = (languages, folder)
        speakers = try mapping.read("speaker") { try $0.speakers(of: languages, in: folder) } ?? [:]
        tempo = try mapping.read("tempo") { Tempo(try $0.decimal(in: Tempo.range)) } ?? .recorded
        decimal = try mapping.read("decimal") { try $0.choice(of: DecimalStyle.self) }
        try mapping.refuseOtherKeys()
    }
}

extension Configuration.Announce {
    fileprivate init(reading mapping: YAMLMapping) throws(YAMLError) {
        freshness = FreshnessPolicy(
            expireAfter: try mapping.read("expire_after") { try $0.duration(in: .seconds(10) ... .days(7)) }
                ?? .minutes(10),
            late: try mapping.read("late") { try $0.choice(of: LatePayments.self) } ?? .summarise)
        currency = try mapping.read("currency") { try $0.currency() } ?? Configuration.Default.currency
        hurryAbove = try mapping.read("hurry_above") { try $0.integer(in: 1...1000) }
        quietHours = try mapping.read("quiet_hours") { try QuietHours(reading: $0) }
        let prompts = try mapping.section("prompts")
        networkPrompts = NetworkPromptPolicy(
            grace: try mapping.read("network_grace") { try $0.duration(in: .seconds(5) ... .hours(1)) } ?? .seconds(30),
            saysNetwork: try prompts.read("network") { try $0.bool() } ?? true,
            saysReady: try prompts.read("ready") { try $0.bool() } ?? true)
        try prompts.refuseOtherKeys()
        try mapping.refuseOtherKeys()
    }
}

extension QuietHours {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let start = try mapping.required("from")
        let end = try mapping.required("to")
        self.init(
            start: try start.minuteOfDay(), end: try end.minuteOfDay(),
            volume: try mapping.required("volume").integer(in: Volume.range))
        try mapping.refuseOtherKeys()
        guard self.start != self.end else { throw end.error("the quiet hours end when they begin") }
    }
}
