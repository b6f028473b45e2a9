import SoundboxCore

/// The subscriptions of one connection, from request to confirmation.
struct Subscriptions {
    /// The topics that a box listens to.
    static let topics = Topic.allCases.filter { $0.direction == .toBox }

    private let names: Topics
    /// Requested, and not yet answered.
    private var pending: [Int32: Topic] = [:]
    /// The topics that the broker delivers only at QoS 0.
    private(set) var weak: [Topic] = []

    init(topics: Topics) { names = topics }

    /// Queues the SUBSCRIBE packets, even if the broker has kept the session: an earlier version of this program may
    /// have subscribed to other topics.
    mutating func request(from session: Session) throws(MQTTError) {
        for topic in Self.topics { pending[try session.subscribe(to: topic)] = topic }
    }

    /// Takes the broker's answers.
    ///
    /// - Returns: `true` once, when all answers have come.
    /// - Throws: ``MQTTError/subscriptionRefused(topic:_:)``.
    mutating func confirm(
        _ answers: [(id: Int32, grantedQoS: UInt8, reason: BrokerReason?)]
    ) throws(MQTTError) -> Bool {
        guard !pending.isEmpty else { return false }
        for answer in answers {
            guard let topic = pending.removeValue(forKey: answer.id) else { continue }
            guard answer.grantedQoS <= 2 else {
                throw .subscriptionRefused(topic: names[topic], answer.reason)
            }
            if answer.grantedQoS == 0 { weak.append(topic) }
        }
        return pending.isEmpty
    }
}
