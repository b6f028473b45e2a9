import Logging
import SoundboxBox
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
    /// What each part of the daemon reads of it.
    package var features: BoxSettings
    public var payments: Payments
    /// `nil` accepts every notice that the broker delivers.
    public var authenticity: Authenticity?
    public var logLevel: Logger.Level

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
        let sound = try top.section("audio")
        audio = try Audio(reading: sound)
        let features = try BoxSettings(reading: top)
        self.features = features
        try sound.refuseOtherKeys()
        voice = try VoiceChoice(reading: top.section("voice"))
        let boards = try top.read("board_directory") { try $0.path() } ?? Default.boardDirectory
        boardDirectory = boards
        board = try top.read("board") { try $0.fileName(in: boards) } ?? Default.board
        stateDirectory = try top.read("state_directory") { try $0.path() } ?? Default.stateDirectory
        controlSocket = try top.read("control_socket") { try $0.socketPath() } ?? Default.controlSocket
        payments = try Payments(reading: top)
        authenticity = try top.read("authenticity") { try Authenticity(reading: $0, keep: features.inbox.keep) }
        logLevel = try top.read("log_level") { try $0.choice(of: Logger.Level.self) } ?? .info
        try top.refuseOtherKeys()
        merchantID = try merchant.name()
        deviceID = try device.name()
        let section = try platform.mapping()
        var naming = TopicNaming()
        broker = try Broker(reading: section) { () throws(YAMLError) in naming = try TopicNaming(reading: section) }
        let identity = IdentityFiles.path(in: stateDirectory)
        if let value = top.optional("enrolment"), broker.tls.certFile != identity || broker.tls.keyFile != identity {
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
    /// - Parameter mapping: which features share.
    fileprivate init(reading mapping: YAMLMapping) throws(YAMLError) {
        device = try mapping.read("device") { try $0.audioDevice() } ?? Configuration.Default.audioDevice
        volume = Volume(
            try mapping.read("volume") { try $0.integer(in: Volume.range) } ?? Configuration.Default.volume)
        let usual = Timing()
        timing = Timing(
            leadIn: try mapping.read("lead_in") { try $0.duration(in: .zero ... .seconds(2)) } ?? usual.leadIn,
            gap: try mapping.read("gap") { try $0.duration(in: .zero ... .seconds(5)) } ?? usual.gap,
            closeWhenIdle: try mapping.read("close_when_idle") { try $0.duration(in: .seconds(1) ... .days(1)) })
        speaker = try mapping.read("speaker") { try Loudspeaker(reading: $0) }
        cardLevel = try mapping.read("card_level") { try $0.choice(of: CardLevel.self) } ?? .raise
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

extension Configuration {
    /// Where the box keeps the certificate that it renews; `nil` for a box that does not renew one.
    package var identityFiles: IdentityFiles? {
        features.certificate.map { IdentityFiles(inStateDirectory: stateDirectory, issuerFile: $0.issuerFile) }
    }
}

extension Configuration {
    /// The defaults of `soundbox.yaml` that setup, or a box without a configuration, also begins with. Other defaults
    /// are where their keys are read.
    public enum Default {
        public static let brokerProtocol = BrokerProtocol.auto
        public static let audioDevice = "default"
        /// 0–100.
        public static let volume = 80
        public static let locale = "zh-CN"
        /// No front panel.
        public static let board = "none"
        public static let boardDirectory = InstalledFolders.board
        public static let stateDirectory = "/var/lib/soundbox"
        public static let controlSocket = "/run/soundbox/control.sock"
        package static let currency = BoxSettings().announcements.currency
    }
}
