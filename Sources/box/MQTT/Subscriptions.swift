import SoundboxCore

/// The subscriptions of one connection, from request to confirmation.
struct Subscriptions {
    /// The topics that a box listens to.
    static let topics = Topic.allCases.filter { $0.direction == .toBox }

    typealias Filter = (name: String, quality: UInt8)

    private let filters: [Filter]
    /// Requested, and not yet answered.
    private var pending: [Int32: Filter] = [:]
    /// The filters that the broker grants only at QoS 0, though more was asked for.
    private(set) var weak: [String] = []

    init(_ filters: [Filter]) { self.filters = filters }

    /// Queues the SUBSCRIBE packets, even if the broker has kept the session: an earlier version of this program may
    /// have subscribed to other topics.
    mutating func request(from session: Session) throws(MQTTError) {
        for filter in filters {
            pending[try session.subscribe(toFilter: filter.name, quality: filter.quality)] = filter
        }
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
            guard let filter = pending.removeValue(forKey: answer.id) else { continue }
            guard answer.grantedQoS <= 2 else { throw .subscriptionRefused(topic: filter.name, answer.reason) }
            if answer.grantedQoS == 0, filter.quality > 0 { weak.append(filter.name) }
        }
        return pending.isEmpty
    }
}
