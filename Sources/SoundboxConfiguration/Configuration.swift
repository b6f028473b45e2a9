import Logging
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Everything that `soundbox.yaml` says. Reading is strict: what is not understood is refused, with file, line and key.
public struct Configuration: Sendable {
    public static let defaultPath = "/etc/soundbox/soundbox.yaml"

    public struct Broker: Sendable, Equatable {
        public var address: BrokerAddress
        public var topicPrefix: String
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
        /// A WAV that receives everything that is played, beside the device.
        public var record: String?
        public var timing: Timing
        /// The card's own volume control, which the volume then goes to; `nil` scales the samples.
        public var mixer: MixerElement?
    }

    public struct VoiceChoice: Sendable, Equatable {
        /// Each says every announcement, one after the other; at least one.
        public var locales: [String]
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
    public var announce: Announce
    public var payments: Payments
    /// `nil` takes every notice that the broker lets through.
    public var authenticity: Authenticity?
    public var inbox: Retention
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
        let top = try yaml.mapping()
        try top.allow(only: [
            "merchant_id", "device_id", "broker", "audio", "voice", "board", "board_directory", "state_directory",
            "control_socket", "announce", "log_level", "payments", "mapping_directory", "authenticity", "inbox",
        ])
        let merchant = try top.required("merchant_id")
        let device = try top.required("device_id")
        merchantID = try merchant.name()
        deviceID = try device.name()
        broker = try Broker(reading: try top.required("broker"))
        audio = try Audio(reading: top.optional("audio"))
        voice = try VoiceChoice(reading: top.optional("voice"))
        boardDirectory = try top.optional("board_directory")?.path() ?? InstalledFolders.board
        board = try top.optional("board")?.fileName(in: boardDirectory) ?? "none"
        stateDirectory = try top.optional("state_directory")?.path() ?? "/var/lib/soundbox"
        controlSocket = try top.optional("control_socket")?.socketPath() ?? "/run/soundbox/control.sock"
        announce = try Announce(reading: top.optional("announce"))
        payments = try Payments(
            reading: top.optional("payments"),
            directory: try top.optional("mapping_directory")?.path() ?? InstalledFolders.mappings)
        let retention = try Retention(reading: top.optional("inbox"))
        inbox = retention
        authenticity = try top.optional("authenticity").map { (value) throws(YAMLError) in
            try Authenticity(reading: value, keepIDs: retention.keepIDs)
        }
        logLevel = try top.optional("log_level")?.choice(of: Logger.Level.self) ?? .info
        do {
            topics = try Topics(prefix: broker.topicPrefix, merchant: merchantID, device: deviceID)
        } catch {
            let prefix = try top.required("broker").mapping().optional("topic_prefix")
            let culprit =
                switch error.part {
                case .prefix: prefix ?? merchant
                case .merchant: merchant
                case .device: device
                }
            throw culprit.error("the \(error.part.rawValue) cannot stand in an MQTT topic: \(error.problem)")
        }
    }
}

extension Configuration.Broker {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        try mapping.allow(only: [
            "url", "topic_prefix", "username", "password_file", "ca_file", "cert_file", "key_file", "pin_sha256",
        ])
        let url = try mapping.required("url")
        do { address = try BrokerAddress(url: try url.string()) } catch let error as BrokerAddressError {
            throw url.error(error.reason)
        } catch let error as YAMLError { throw error } catch { throw url.error("\(error)") }
        if address.host.isName { url.mayBeShown() }
        topicPrefix = try mapping.optional("topic_prefix")?.name() ?? Topics.defaultPrefix
        // Alone it may be a token, which is a password; beside a password it is a name.
        let user = mapping.optional("username")
        username = try mapping.optional("password_file") == nil ? user?.string() : user?.name()
        passwordFile = try mapping.optional("password_file")?.path()
        caFile = try mapping.optional("ca_file")?.path()
        certFile = try mapping.optional("cert_file")?.path()
        keyFile = try mapping.optional("key_file")?.path()
        pins = try mapping.optional("pin_sha256")?.pins() ?? []
        for key in ["ca_file", "cert_file", "key_file", "pin_sha256"] {
            guard let setting = mapping.optional(key), !address.usesTLS else { continue }
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
        try mapping?.allow(only: ["device", "volume", "record", "lead_in", "gap", "close_when_idle", "mixer"])
        device = try mapping?.optional("device")?.audioDevice() ?? "default"
        volume = Volume(try mapping?.optional("volume")?.integer(in: Volume.range) ?? 80)
        record = try mapping?.optional("record")?.path()
        timing = Timing()
        if let value = mapping?.optional("lead_in") { timing.leadIn = try value.duration(in: .zero ... .seconds(2)) }
        if let value = mapping?.optional("gap") { timing.gap = try value.duration(in: .zero ... .seconds(5)) }
        timing.closeWhenIdle = try mapping?.optional("close_when_idle")?.duration(in: .seconds(1) ... .seconds(86_400))
        if let value = mapping?.optional("mixer") {
            mixer = try MixerElement(reading: value)
            guard AudioDevice(device).isCard else {
                throw value.error("is of use with a sound card only, and audio.device is none")
            }
        }
    }
}

extension MixerElement {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        try mapping.allow(only: ["card", "element", "index"])
        self.init(
            card: try mapping.required("card").audioDevice(), name: try mapping.required("element").name(),
            index: try mapping.optional("index")?.integer(in: 0...255) ?? 0)
    }
}

extension Configuration.VoiceChoice {
    fileprivate init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        try mapping?.allow(only: ["locale", "directory", "tempo", "decimal"])
        locales = try mapping?.optional("locale")?.locales() ?? ["zh-CN"]
        directory = try mapping?.optional("directory")?.path() ?? InstalledFolders.sounds
        tempo = Tempo(try mapping?.optional("tempo")?.decimal(in: Tempo.range) ?? 1)
        decimal = try mapping?.optional("decimal")?.choice(of: DecimalStyle.self)
    }
}

extension Configuration.Announce {
    fileprivate init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        try mapping?.allow(only: ["expire_after", "late", "currency", "hurry_above", "quiet_hours"])
        let limit = Duration.seconds(7 * 24 * 3600)
        freshness = FreshnessPolicy(
            expireAfter: try mapping?.optional("expire_after")?.duration(in: .seconds(10)...limit) ?? .seconds(600),
            late: try mapping?.optional("late")?.choice(of: LatePayments.self) ?? .summarise)
        currency = .CNY
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
    }
}

extension QuietHours {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        try mapping.allow(only: ["from", "to", "volume"])
        let start = try mapping.required("from")
        let end = try mapping.required("to")
        self.init(
            start: try start.minuteOfDay(), end: try end.minuteOfDay(),
            volume: try mapping.required("volume").integer(in: Volume.range))
        guard self.start != self.end else { throw end.error("the quiet hours end when they begin") }
    }
}

extension Configuration {
    /// A configuration for the eyes of others, however wrong it is; see ``YAMLMask``. Blocks on the disk: paths are shown
    /// that lead somewhere on this machine.
    package static func masked(_ text: String) throws(YAMLError) -> YAMLMask {
        try YAMLMask(text, file: "soundbox.yaml") { yaml in
            // The whole stops at its first mistake; its parts are read each for itself behind it.
            _ = try? Configuration(reading: yaml)
            guard let top = try? yaml.mapping() else { return }
            _ = try? top.optional("merchant_id")?.name()
            _ = try? top.optional("device_id")?.name()
            _ = try? top.optional("broker").map { (value) throws(YAMLError) in try Broker(reading: value) }
            _ = try? Audio(reading: top.optional("audio"))
            _ = try? VoiceChoice(reading: top.optional("voice"))
            _ = try? Announce(reading: top.optional("announce"))
            _ = try? Retention(reading: top.optional("inbox"))
            _ = try? top.optional("authenticity").map { (value) throws(YAMLError) in
                try Authenticity(reading: value, keepIDs: .seconds(90 * 86_400))
            }
            for key in ["board_directory", "state_directory", "control_socket", "mapping_directory"] {
                _ = try? top.optional(key)?.path()
            }
            _ = try? top.optional("log_level")?.choice(of: Logger.Level.self)
        }
    }
}
