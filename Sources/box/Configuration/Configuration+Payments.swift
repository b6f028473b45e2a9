import SoundboxCore
import SoundboxSystem
import SoundboxYAML

extension Configuration {
    /// The format of payment notices.
    public enum PaymentFormat: Sendable, Equatable {
        /// The box's own: docs/integration.md.
        case native
        case mapped(PaymentMapping)
    }

    /// Which notices are accepted, and how they are read.
    public struct Payments: Sendable, Equatable {
        public var format: PaymentFormat
        /// Whether the text of a notice is spoken.
        public var saysTexts: Bool
        /// Topic names that the mapping file prescribes.
        var naming: TopicNaming
    }

    /// How the box verifies that a notice or a command comes from the provider.
    public struct Authenticity: Sendable, Equatable {
        /// Holds the device's key on its first line; readable by its owner only.
        public var keyFile: String
        /// Holds a second valid key, while the provider changes from one to the other.
        public var nextKeyFile: String?
        /// Whether a message without a signature is refused.
        public var required: Bool
        /// A notice that was paid longer ago is refused.
        public var window: Duration
    }
}

extension Configuration.Payments {
    /// Reads the mapping file as well, if one is named. Blocks on the disk.
    init(reading top: YAMLMapping) throws(YAMLError) {
        let mapping = try top.section("payments")
        let directory = try top.read("mapping_directory") { try $0.path() } ?? InstalledFolders.mappings
        (format, naming) =
            try mapping.read("format") { try Configuration.PaymentFormat.read($0, directory: directory) }
            ?? (.native, TopicNaming())
        // Off by default, because a payer can write the text of a notice.
        saysTexts = try mapping.read("text") { try $0.bool() } ?? false
        try mapping.refuseOtherKeys()
    }

    package func reader(defaultCurrency: Currency) -> NoticeReader {
        switch format {
        case .native:
            .native(PaymentNoticeDecoder(defaultCurrency: defaultCurrency))
        case .mapped(let mapping):
            .mapped(MappedNoticeDecoder(mapping: mapping, defaultCurrency: defaultCurrency))
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
        // The file's own error would repeat the name, which may be a secret in the wrong place.
        guard SmallFile.exists("\(directory)/\(name).yaml") else {
            throw value.error("there is no file of this name with .yaml in \(directory.shownPath)")
        }
        value.mayBeShown()
        let (mapping, naming) = try MappingFile.read(name: name, in: directory)
        return (.mapped(mapping), naming)
    }
}

extension Configuration.Authenticity {
    /// - Parameter keep: how long the inbox remembers an id; with a longer window an old notice could be replayed.
    init(reading value: YAMLValue, keep: Duration) throws(YAMLError) {
        let mapping = try value.mapping()
        nextKeyFile = try mapping.read("next_key_file") { try $0.path() }
        required = try mapping.read("required") { try $0.bool() } ?? true
        window = try mapping.read("window") { try $0.duration(in: .seconds(60)...keep) } ?? keep
        keyFile = try mapping.required("key_file").path()
        try mapping.refuseOtherKeys()
    }
}
