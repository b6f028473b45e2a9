import Logging
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Everything that `soundbox.yaml` says. Reading is strict: what is not understood is refused, with file, line and key.
public struct Configuration: Sendable {
    public static let defaultPath = "/etc/soundbox/soundbox.yaml"

    public struct Broker: Sendable, Equatable {
        /// At least one; with TLS all of them or none.
        public var addresses: [BrokerAddress]
        /// After this much silence the connection is probed; whole seconds.
        public var keepAlive: Duration
        /// The box comes back at a random moment within this time after it has lost its connection.
        public var reconnectWindow: Duration
        public var protocolChoice: BrokerProtocol
        /// For how long the broker is to keep what waits for a box that is away. MQTT 3.1.1 cannot ask.
        public var sessionExpiry: Duration
        public var topicPrefix: String
        var naming: TopicNaming
        public var username: String?
        /// A file of its own, so that the configuration can be shown and copied without a secret in it.
        public var passwordFile: String?
        public var caFile: String?
        public var certFile: String?
        public var keyFile: String?
        /// The broker's key must be one of these: SHA-256 of its SubjectPublicKeyInfo in base64. Empty: any.
        public var pins: [String]
    }

    public struct Audio: Sendable, Equatable {
        /// Any ALSA PCM name; `file:PATH` writes a WAV; `null` plays nothing in real time.
        public var device: String
        /// At the first start; afterwards the volume set last counts.
        public var volume: Volume
        public var timing: Timing
        /// What becomes of the card's own controls when it opens.
        public var cardLevel: CardLevel
        /// What the sound is made fit for; `nil` leaves it to the board.
        public var speaker: Loudspeaker?
    }

    public struct VoiceChoice: Sendable, Equatable {
        /// Each says every announcement, one after the other; at least one.
        public var locales: [String]
        /// Who speaks, by locale; a language that is not in it is spoken by its own folder.
        public var speakers: [String: String]
        /// The folder that holds the locales.
        public var directory: String
        public var tempo: Tempo
        /// How decimals are read; `nil` leaves it to each voice.
        public var decimal: DecimalStyle?
    }

    public struct Announce: Sendable, Equatable {
        public var freshness: FreshnessPolicy
        /// The currency of a notice that names none.
        public var currency: Currency
        /// More waiting notices than this are spoken without chimes and long gaps; `nil` never.
        public var hurryAbove: Int?
        public var quietHours: QuietHours?
        /// What the box says by itself of the network, and when.
        public var networkPrompts: NetworkWatch.Policy
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
    /// Where metrics are told by TCP; `nil` tells them on the control socket only.
    public var metricsAddress: ListenAddress?
    /// `nil` where there is no page for the shop.
    public var page: Page?
    public var announce: Announce
    public var payments: Payments
    /// `nil` takes every notice that the broker lets through.
    public var authenticity: Authenticity?
    /// `nil` for a box whose certificate, if it has one, is somebody else's to renew.
    public var enrolment: Enrolment?
    public var inbox: Retention
    public var rings: RingPolicy
    public var say: Say
    /// `nil` refuses every clip.
    public var clips: ClipSettings?
    public var day: Day
    public var logLevel: Logger.Level

    /// The topics of this box.
    public var topics: Topics
}

extension Configuration {
    /// Reads and checks a whole file. Blocks on the disk.
    public init(readingFile path: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(readingFile: path, isConfidential: true))
    }

    /// - Parameter file: the name used in errors; nothing is read from it.
    public init(parsing text: String, file: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(parsing: text, file: file, isConfidential: true))
    }

    private init(reading yaml: YAMLValue) throws(YAMLError) {
        let top = try TopLevel(yaml)
        merchantID = try top.merchantID.name()
        deviceID = try top.deviceID.name()
        broker = try Broker(reading: top.broker)
        audio = try Audio(reading: top.audio)
        voice = try VoiceChoice(reading: top.voice)
        boardDirectory = try top.boardDirectory?.path() ?? Default.boardDirectory
        board = try top.board?.fileName(in: boardDirectory) ?? Default.board
        stateDirectory = try top.stateDirectory?.path() ?? Default.stateDirectory
        controlSocket = try top.controlSocket?.socketPath() ?? Default.controlSocket
        metricsAddress = try top.metrics.map { (value) throws(YAMLError) in try ListenAddress(readingMetrics: value) }
        page = try top.page.flatMap { (value) throws(YAMLError) in try Page(reading: value) }
        announce = try Announce(reading: top.announce)
        payments = try Payments(
            reading: top.payments, directory: try top.mappingDirectory?.path() ?? Default.mappingDirectory)
        let retention = try Retention(reading: top.inbox)
        inbox = retention
        rings = try RingPolicy(reading: top.ring)
        say = try Say(reading: top.say)
        clips = try top.clips.map { (value) throws(YAMLError) in try ClipSettings(reading: value) }
        day = try Day(reading: top.day)
        authenticity = try top.authenticity.map { (value) throws(YAMLError) in
            try Authenticity(reading: value, keep: retention.keep)
        }
        logLevel = try top.logLevel?.choice(of: Logger.Level.self) ?? Default.logLevel
        enrolment = try top.enrolment.map { (value) throws(YAMLError) in try Enrolment(reading: value) }
        if let value = top.enrolment {
            let identity = IdentityFiles.path(in: stateDirectory)
            guard broker.certFile == identity, broker.keyFile == identity else {
                throw value.error("needs broker.cert_file and broker.key_file, and both \(identity)")
            }
        }
        do {
            topics = try Topics(
                prefix: broker.topicPrefix, merchant: merchantID, device: deviceID,
                layout: broker.naming.over(payments.naming))
        } catch {
            let culprit =
                switch error.part {
                case .prefix: try top.broker.mapping().optional(Broker.topicPrefixKey) ?? top.merchantID
                case .merchant: top.merchantID
                case .device: top.deviceID
                // Each by itself is good; those of the mapping and these are not, together.
                case .clientID, .topic: top.broker
                }
            throw culprit.error("the \(error.part) cannot be: \(error.problem)")
        }
    }
}

/// What stands at the top of the file, before any of it is looked at.
private struct TopLevel {
    let merchantID, deviceID, broker: YAMLValue
    let audio, voice, board, boardDirectory, stateDirectory, controlSocket, announce, payments, mappingDirectory,
        authenticity, enrolment, inbox, ring, say, clips, day, metrics, page, logLevel: YAMLValue?

    init(_ yaml: YAMLValue) throws(YAMLError) {
        let top = try yaml.mapping()
        merchantID = try top.required("merchant_id")
        deviceID = try top.required("device_id")
        broker = try top.required("broker")
        audio = top.optional("audio")
        voice = top.optional("voice")
        board = top.optional("board")
        boardDirectory = top.optional("board_directory")
        stateDirectory = top.optional("state_directory")
        controlSocket = top.optional("control_socket")
        announce = top.optional("announce")
        payments = top.optional("payments")
        mappingDirectory = top.optional("mapping_directory")
        authenticity = top.optional("authenticity")
        enrolment = top.optional("enrolment")
        inbox = top.optional("inbox")
        ring = top.optional("ring")
        say = top.optional("say")
        clips = top.optional("clips")
        day = top.optional("day")
        metrics = top.optional("metrics")
        page = top.optional("page")
        logLevel = top.optional("log_level")
        try top.refuseOtherKeys()
    }
}

extension Configuration.Broker {
    static let topicPrefixKey = "topic_prefix"

    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let url = try mapping.required("url")
        let prefix = mapping.optional(Self.topicPrefixKey)
        let user = mapping.optional("username")
        let password = mapping.optional("password_file")
        let authority = mapping.optional("ca_file")
        let certificate = mapping.optional("cert_file")
        let key = mapping.optional("key_file")
        let pin = mapping.optional("pin_sha256")
        let interval = mapping.optional("keep_alive")
        let window = mapping.optional("reconnect_window")
        let version = mapping.optional("protocol")
        let expiry = mapping.optional("session_expiry")
        naming = try TopicNaming(reading: mapping)
        try mapping.refuseOtherKeys()
        addresses = try url.brokers()
        keepAlive = try interval?.duration(in: .seconds(5) ... .seconds(3600)) ?? Configuration.Default.keepAlive
        reconnectWindow =
            try window?.duration(in: .zero ... .seconds(300)) ?? Configuration.Default.reconnectWindow
        protocolChoice = try version?.choice(of: BrokerProtocol.self) ?? Configuration.Default.brokerProtocol
        sessionExpiry =
            try expiry?.duration(in: .seconds(3600) ... .seconds(365 * 24 * 3600))
            ?? Configuration.Default.sessionExpiry
        if let expiry, protocolChoice == .v311 { throw expiry.error("is of use with MQTT 5 only") }
        topicPrefix = try prefix?.name() ?? Configuration.Default.topicPrefix
        // Alone it may be a token, which is a password; beside a password it is a name.
        username = try password == nil ? user?.string() : user?.name()
        passwordFile = try password?.path()
        caFile = try authority?.path()
        certFile = try certificate?.path()
        keyFile = try key?.path()
        pins = try pin?.pins() ?? []
        for setting in [authority, certificate, key, pin] {
            guard let setting, !addresses[0].usesTLS else { continue }
            throw setting.error("is of use with an mqtts:// URL only")
        }
        guard (certFile == nil) == (keyFile == nil) else {
            throw value.error("cert_file and key_file go together; one of them is missing")
        }
        guard passwordFile == nil || username != nil else {
            throw value.error("a password_file needs a username beside it")
        }
    }
}

extension Configuration.Audio {
    fileprivate init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        device = try mapping?.optional("device")?.audioDevice() ?? Configuration.Default.audioDevice
        volume = Volume(try mapping?.optional("volume")?.integer(in: Volume.range) ?? Configuration.Default.volume)
        timing = Timing()
        if let value = mapping?.optional("lead_in") { timing.leadIn = try value.duration(in: .zero ... .seconds(2)) }
        if let value = mapping?.optional("gap") { timing.gap = try value.duration(in: .zero ... .seconds(5)) }
        timing.closeWhenIdle = try mapping?.optional("close_when_idle")?.duration(in: .seconds(1) ... .seconds(86_400))
        speaker = try mapping?.optional("speaker").map { (value) throws(YAMLError) in try Loudspeaker(reading: value) }
        cardLevel = try mapping?.optional("card_level")?.choice(of: CardLevel.self) ?? .raise
        try mapping?.refuseOtherKeys()
    }
}

extension Configuration.VoiceChoice {
    fileprivate init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        locales = try mapping?.optional("locale")?.locales() ?? [Configuration.Default.locale]
        directory = try mapping?.optional("directory")?.path() ?? Configuration.Default.voiceDirectory
        speakers = try mapping?.optional("speaker")?.speakers(of: locales, in: directory) ?? [:]
        tempo = (try mapping?.optional("tempo")?.decimal(in: Tempo.range)).map { Tempo($0) } ?? .recorded
        decimal = try mapping?.optional("decimal")?.choice(of: DecimalStyle.self)
        try mapping?.refuseOtherKeys()
    }
}

extension Configuration.Announce {
    fileprivate init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        let limit = Duration.seconds(7 * 24 * 3600)
        freshness = Configuration.Default.freshness
        if let value = mapping?.optional("expire_after") {
            freshness.expireAfter = try value.duration(in: .seconds(10)...limit)
        }
        if let value = mapping?.optional("late") { freshness.late = try value.choice(of: LatePayments.self) }
        currency = Configuration.Default.currency
        if let code = mapping?.optional("currency") {
            let text = try code.string()
            guard let known = Currency(text) else {
                throw code.error("expected a currency code of ISO 4217 such as CNY\(code.found(text))")
            }
            currency = known
            code.mayBeShown()
        }
        hurryAbove = try mapping?.optional("hurry_above")?.integer(in: 1...1000)
        quietHours = if let value = mapping?.optional("quiet_hours") { try QuietHours(reading: value) } else { nil }
        networkPrompts = Configuration.Default.networkPrompts
        if let value = mapping?.optional("network_grace") {
            networkPrompts.grace = try value.duration(in: .seconds(5) ... .seconds(3600))
        }
        if let value = mapping?.optional("prompts") {
            let prompts = try value.mapping()
            if let value = prompts.optional("network") { networkPrompts.saysNetwork = try value.bool() }
            if let value = prompts.optional("ready") { networkPrompts.saysReady = try value.bool() }
            try prompts.refuseOtherKeys()
        }
        try mapping?.refuseOtherKeys()
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

extension Configuration {
    /// A configuration as others may see it, however wrong it is; see ``YAMLMask``. Blocks on the disk: paths are shown
    /// that lead somewhere on this machine.
    package static func masked(_ text: String) throws(YAMLError) -> YAMLMask {
        try YAMLMask(text, file: "soundbox.yaml") { yaml in
            // Reading the whole stops at its first mistake, so its parts are read one by one after it.
            _ = try? Configuration(reading: yaml)
            guard let top = try? TopLevel(yaml) else { return }
            _ = try? top.merchantID.name()
            _ = try? top.deviceID.name()
            _ = try? Broker(reading: top.broker)
            _ = try? Audio(reading: top.audio)
            _ = try? VoiceChoice(reading: top.voice)
            _ = try? Announce(reading: top.announce)
            _ = try? top.enrolment.map { (value) throws(YAMLError) in try Enrolment(reading: value) }
            _ = try? Retention(reading: top.inbox)
            _ = try? RingPolicy(reading: top.ring)
            _ = try? Say(reading: top.say)
            _ = try? top.clips.map { (value) throws(YAMLError) in try ClipSettings(reading: value) }
            _ = try? Day(reading: top.day)
            _ = try? top.metrics.map { (value) throws(YAMLError) in try ListenAddress(readingMetrics: value) }
            _ = try? top.page.map { (value) throws(YAMLError) in try Page(reading: value) }
            _ = try? top.authenticity.map { (value) throws(YAMLError) in
                try Authenticity(reading: value, keep: Default.retention.keep)
            }
            for folder in [top.boardDirectory, top.stateDirectory, top.controlSocket, top.mappingDirectory] {
                _ = try? folder?.path()
            }
            _ = try? top.logLevel?.choice(of: Logger.Level.self)
        }
    }
}
