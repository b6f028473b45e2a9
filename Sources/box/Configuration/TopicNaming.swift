import SoundboxCore
import SoundboxYAML

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
