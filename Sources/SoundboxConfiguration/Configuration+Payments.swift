import SoundboxCore
import SoundboxSystem
import SoundboxYAML

extension Configuration {
    /// How payment notices are written.
    public enum PaymentFormat: Sendable, Equatable {
        /// The box's own: docs/integration.md.
        case native
        case mapped(PaymentMapping)
    }

    /// Which notices are taken, and how they are read.
    public struct Payments: Sendable, Equatable {
        public var format: PaymentFormat
        public var excessDecimals: ExcessDecimals
        /// Whether the text of a notice is said.
        public var saysTexts = Configuration.Default.saysTexts
        /// What the mapping file says of topics.
        var naming = TopicNaming()
    }

    /// How the box knows that a notice or a command comes from the provider.
    public struct Authenticity: Sendable, Equatable {
        /// Holds the device's key on its first line; for its owner only.
        public var keyFile: String
        /// Holds a second key, which is believed as well: for as long as the provider changes from one to the other.
        public var nextKeyFile: String?
        /// Whether a message without a signature is refused.
        public var required: Bool
        /// A notice paid longer ago is refused.
        public var window: Duration
    }
}

extension Configuration.Payments {
    /// Reads the mapping file that is named. Blocks on the disk.
    /// - Parameter directory: holds the mapping files.
    init(reading value: YAMLValue?, directory: String) throws(YAMLError) {
        let mapping = try value?.mapping()
        format = .native
        if let value = mapping?.optional("format") {
            (format, naming) = try Configuration.PaymentFormat.read(value, directory: directory)
        }
        excessDecimals =
            try mapping?.optional("excess_decimals")?.choice(of: ExcessDecimals.self)
            ?? Configuration.Default.excessDecimals
        saysTexts = try mapping?.optional("text")?.bool() ?? Configuration.Default.saysTexts
        try mapping?.refuseOtherKeys()
    }

    package func reader(defaultCurrency: Currency) -> NoticeReader {
        switch format {
        case .native:
            .native(PaymentNoticeDecoder(defaultCurrency: defaultCurrency, excessDecimals: excessDecimals))
        case .mapped(let mapping):
            .mapped(
                MappedNoticeDecoder(
                    mapping: mapping, defaultCurrency: defaultCurrency, excessDecimals: excessDecimals))
        }
    }
}

extension Configuration.PaymentFormat {
    fileprivate static func read(
        _ value: YAMLValue, directory: String
    ) throws(YAMLError) -> (Configuration.PaymentFormat, TopicNaming) {
        let name = try value.string()
        if name == "native" {
            value.mayBeShown()
            return (.native, TopicNaming())
        }
        guard !name.isEmpty, !name.contains("/") else {
            throw value.error("expected native or the name of a file in \(directory.shownPath), without .yaml")
        }
        // The file's own error would repeat the name, which may be anything.
        guard SmallFile.exists("\(directory)/\(name).yaml") else {
            throw value.error("there is no file of this name with .yaml in \(directory.shownPath)")
        }
        value.mayBeShown()
        let (mapping, naming) = try MappingFile.read(name: name, in: directory)
        return (.mapped(mapping), naming)
    }
}

extension Configuration.Authenticity {
    /// - Parameter keep: how long the inbox knows an id; a longer window would let an old notice be played back.
    init(reading value: YAMLValue, keep: Duration) throws(YAMLError) {
        let mapping = try value.mapping()
        keyFile = try mapping.required("key_file").path()
        nextKeyFile = try mapping.optional("next_key_file")?.path()
        required = try mapping.optional("required")?.bool() ?? true
        window = try mapping.optional("window")?.duration(in: .seconds(60)...keep) ?? keep
        try mapping.refuseOtherKeys()
    }
}

extension Retention {
    init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        let day = Duration.seconds(24 * 3600)
        self = Configuration.Default.retention
        if let value = mapping?.optional("keep") { keep = try value.duration(in: day...day * 3650) }
        if let value = mapping?.optional("max_size_mb") { maximumBytes = try value.integer(in: 8...65_536) << 20 }
        try mapping?.refuseOtherKeys()
    }
}
