import SoundboxCore
import SoundboxStore
import SoundboxYAML

extension Configuration {
    /// How payment notices are written.
    public enum PaymentFormat: Sendable, Equatable {
        /// The box's own: docs/integration.md.
        case native
        case mapped(PaymentMapping)
    }

    /// How the box knows that a notice comes from the provider.
    public struct Authenticity: Sendable, Equatable {
        /// Holds the device's key on its first line; for its owner only.
        public var keyFile: String
        /// Whether a notice without a signature is refused.
        public var required: Bool
        /// A notice paid longer ago is refused.
        public var window: Duration
    }
}

extension Configuration.PaymentFormat {
    /// Reads the mapping file that is named. Blocks on the disk.
    /// - Parameter directory: holds the mapping files.
    init(reading value: YAMLValue?, directory: String) throws(YAMLError) {
        let mapping = try value?.mapping()
        try mapping?.allow(only: ["format"])
        self = .native
        guard let format = mapping?.optional("format"), case let name = try format.string(), name != "native" else {
            return
        }
        guard !name.isEmpty, !name.contains("/") else {
            throw format.error("expected native or the name of a file in \(directory), without .yaml")
        }
        self = .mapped(try MappingFile.read(name: name, in: directory))
    }

    func reader(defaultCurrency: Currency) -> NoticeReader {
        switch self {
        case .native: .native(PaymentNoticeDecoder(defaultCurrency: defaultCurrency))
        case .mapped(let mapping):
            .mapped(MappedNoticeDecoder(mapping: mapping, defaultCurrency: defaultCurrency))
        }
    }
}

extension Configuration.Authenticity {
    /// - Parameter keepIDs: how long the inbox knows an id; a longer window would let an old notice be played back.
    init(reading value: YAMLValue, keepIDs: Duration) throws(YAMLError) {
        let mapping = try value.mapping()
        try mapping.allow(only: ["key_file", "required", "window"])
        let file = try mapping.required("key_file")
        keyFile = try file.string()
        guard !keyFile.isEmpty else { throw file.error("expected a path") }
        required = try mapping.optional("required")?.bool() ?? true
        window = try mapping.optional("window")?.duration(in: .seconds(60)...keepIDs) ?? keepIDs
    }
}

extension Retention {
    init(reading value: YAMLValue?) throws(YAMLError) {
        let mapping = try value?.mapping()
        try mapping?.allow(only: ["keep_ids", "max_size_mb"])
        let days = Duration.seconds(24 * 3600)
        self.init(
            keepIDs: try mapping?.optional("keep_ids")?.duration(in: days...days * 3650) ?? days * 90,
            maximumBytes: (try mapping?.optional("max_size_mb")?.integer(in: 8...65_536) ?? 512) << 20)
    }
}
