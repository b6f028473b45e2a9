import SoundboxCore

/// The two subscriptions of one connection, from their request to the broker's consent.
struct Subscriptions {
    private let topics: [String]
    /// Requested, and not yet answered.
    private var pending: [UInt16: String] = [:]

    init(topics: MQTTTopics) { self.topics = [topics.payments, topics.commands] }

    /// Queues the SUBSCRIBE packets. Also when the broker kept the session: it may have lost it, or have been told of
    /// other topics by an earlier version.
    mutating func request(from client: MQTTClient) throws(MQTTError) {
        for topic in topics { pending[try client.subscribe(to: topic)] = topic }
    }

    /// Takes the broker's answers.
    ///
    /// - Returns: `true` once: when these answers were the last ones outstanding.
    /// - Throws: ``MQTTError/subscriptionRefused(topic:)``.
    mutating func confirm(
        _ answers: [(id: UInt16, grantedQoS: UInt8)], log: (String) -> Void
    ) throws(MQTTError) -> Bool {
        guard !pending.isEmpty else { return false }
        for answer in answers {
            guard let topic = pending.removeValue(forKey: answer.id) else { continue }
            guard answer.grantedQoS <= 2 else { throw .subscriptionRefused(topic: topic) }
            if answer.grantedQoS == 0 {
                log("the broker delivers \"\(topic)\" at QoS 0 only: what is sent while the box is away is lost")
            }
        }
        return pending.isEmpty
    }
}
