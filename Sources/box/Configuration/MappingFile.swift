import SoundboxCore
import SoundboxYAML

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
