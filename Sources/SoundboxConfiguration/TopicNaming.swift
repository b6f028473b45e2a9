import SoundboxCore
import SoundboxYAML

/// What a file says of the names of topics and of the client id: `topics` and `client_id`, in the configuration's `broker`
/// and in a mapping file.
package struct TopicNaming: Sendable, Equatable {
    private var common: String?
    private var own: [Topic: String] = [:]
    private var clientID: String?

    package init() {}

    /// `topics: "{prefix}/{merchant}/{device}/{topic}"` for all, or `topics: {payments: …, commands: …}` for some.
    package init(reading mapping: YAMLMapping) throws(YAMLError) {
        let (topics, client) = (mapping.optional("topics"), mapping.optional("client_id"))
        clientID = try client?.name()
        var culprits: [Topic: YAMLValue] = [:]
        if let topics, topics.isMapping {
            let names = try topics.mapping()
            for topic in Topic.allCases {
                culprits[topic] = names.optional(topic.rawValue)
                own[topic] = try culprits[topic]?.name()
            }
            try names.refuseOtherKeys()
        } else {
            common = try topics?.name()
        }
        do { _ = try Topics(merchant: "m", device: "d", layout: over(TopicNaming())) } catch {
            let culprit: YAMLValue? =
                switch error.part {
                case .topic(let topic): culprits[topic] ?? topics
                case .clientID: client
                case .prefix, .merchant, .device: nil
                }
            guard let culprit else { return }
            throw culprit.error(error.problem.description)
        }
    }

    /// - Parameter other: says what this leaves open.
    package func over(_ other: TopicNaming) -> TopicLayout {
        TopicLayout(
            common: common ?? other.common ?? TopicLayout.usual,
            // Names for all topics replace those of the other one, which were meant to go together.
            own: common == nil ? other.own.merging(own) { $1 } : own, clientID: clientID ?? other.clientID)
    }
}

extension Configuration {
    /// The topics that a box of these ids would have, in a configuration that may be unfinished otherwise. Blocks on the
    /// disk: a mapping file may prescribe them.
    package static func topics(merchant: String, device: String, in text: String) throws -> Topics {
        let top = try? YAMLValue(parsing: text, file: "soundbox.yaml", isConfidential: true).mapping()
        let broker = try top?.optional("broker")?.mapping()
        let payments = try Payments(
            reading: top?.optional("payments"),
            directory: try top?.optional("mapping_directory")?.path() ?? Default.mappingDirectory)
        return try Topics(
            prefix: try broker?.optional(Broker.topicPrefixKey)?.name() ?? Default.topicPrefix, merchant: merchant,
            device: device,
            layout: try (broker.map { (value) throws(YAMLError) in try TopicNaming(reading: value) } ?? TopicNaming())
                .over(payments.naming))
    }
}
