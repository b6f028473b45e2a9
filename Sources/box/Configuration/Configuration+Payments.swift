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

/// Reads a mapping, `NAME.yaml` in the mapping directory: another provider's format as data.
enum MappingFile {
    /// Blocks on the disk.
    static func read(name: String, in directory: String) throws(YAMLError) -> (PaymentMapping, TopicNaming) {
        try read(try YAMLValue(readingFile: "\(directory)/\(name).yaml"))
    }

    fileprivate static func read(_ yaml: YAMLValue) throws(YAMLError) -> (PaymentMapping, TopicNaming) {
        let top = try yaml.mapping()
        // Topic names that the provider's platform prescribes.
        let naming = try TopicNaming(reading: top)
        let mapping = try PaymentMapping(reading: top)
        try top.refuseOtherKeys()
        return (mapping, naming)
    }
}

extension PaymentMapping {
    /// Reads and checks a whole mapping.
    /// - Parameter file: its name in errors; nothing is read from it.
    public init(parsing text: String, file: String) throws(YAMLError) {
        self = try MappingFile.read(try YAMLValue(parsing: text, file: file)).0
    }
}

/// The names of topics and the client id in a file: `topics` and `client_id`, in the configuration's `broker` and in a
/// mapping file.
package struct TopicNaming: Sendable, Equatable {
    private var common: String?
    private var own: [Topic: String] = [:]
    private var clientID: String?

    package init() {}

    /// `topics: "{prefix}/{merchant}/{device}/{topic}"` for all, or `topics: {payments: …, commands: …}` for some.
    package init(reading mapping: YAMLMapping) throws(YAMLError) {
        clientID = try mapping.read("client_id") { try $0.name() }
        let names = mapping.optional("topics")?.isMapping == true ? try mapping.section("topics") : nil
        common = try names == nil ? mapping.read("topics") { try $0.name() } : nil
        for topic in Topic.allCases { own[topic] = try names?.read(topic.rawValue) { try $0.name() } }
        try names?.refuseOtherKeys()
        do { _ = try Topics(merchant: "m", device: "d", layout: over(TopicNaming())) } catch {
            let culprit: YAMLValue? =
                switch error.part {
                case .topic(let topic): names?.optional(topic.rawValue) ?? mapping.optional("topics")
                case .clientID: mapping.optional("client_id")
                case .prefix, .merchant, .device: nil
                }
            guard let culprit else { return }
            throw culprit.error(error.problem.description)
        }
    }

    /// - Parameter other: fills in what this one does not say.
    package func over(_ other: TopicNaming) -> TopicLayout {
        TopicLayout(
            common: common ?? other.common ?? TopicLayout.usual,
            // Names for all topics replace the other file's names, which belong together.
            own: common == nil ? other.own.merging(own) { $1 } : own, clientID: clientID ?? other.clientID)
    }
}

extension Configuration {
    /// The topics of a box with these ids, in a configuration that may be incomplete otherwise. Blocks on the disk: a
    /// mapping file may prescribe them.
    package static func topics(merchant: String, device: String, in text: String) throws -> Topics {
        let top = try YAMLValue(parsing: text, file: "soundbox.yaml", isConfidential: true).mapping()
        return try Topics(
            merchant: merchant, device: device,
            layout: try TopicNaming(reading: top.section("broker")).over(Payments(reading: top).naming))
    }
}
