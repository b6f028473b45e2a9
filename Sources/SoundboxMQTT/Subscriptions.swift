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

/// Finds where the messages end that waited at the broker. One for each connection.
///
/// Once the box is subscribed, it sends itself a message, the marker, on its probe topic. A broker delivers it after
/// all that waited, so what follows it is live. If it does not come, because of the access list or because the broker's
/// queue is full, the backlog ends with a pause in the payments.
struct Backlog {
    /// How long to wait for the marker.
    static let timeout = Duration.seconds(10)
    /// The pause that ends the backlog after that. Longer than a round trip through a mobile network.
    static let pause = Duration.seconds(2)

    /// Random, so that neither a marker of an earlier connection nor another client's message is taken for it.
    private let marker = Array(String(UInt64.random(in: .min ... .max), radix: 36).utf8)
    private var subscription: Int32?
    /// The marker would come back, and has not been sent.
    private var isMarkerDue = false
    private var publication: Int?
    /// The broker refuses the marker, and may end the connection because of it.
    private(set) var isMarkerRefused = false
    private var subscribedAt: Duration?
    /// When the last payments had been stored: the next ones wait for their acknowledgement.
    private var lastPayments: Duration?
    private var isOver = false

    /// Whether the broker has not yet answered the marker's subscription or publication.
    var isMarkerUnanswered: Bool { subscription != nil || publication != nil }

    mutating func subscribed(at now: Duration) { subscribedAt = now }

    mutating func paymentsAreStored(at now: Duration) { lastPayments = now }

    /// Whether what arrives now is live.
    mutating func isOver(at now: Duration) -> Bool {
        if let subscribedAt, now - subscribedAt >= Self.timeout, now - (lastPayments ?? subscribedAt) >= Self.pause {
            isOver = true
        }
        return isOver
    }

    /// Looks for the marker.
    ///
    /// - Returns: whether this is it.
    mutating func endsWith(_ message: SessionEvents.Message) -> Bool {
        // A message at QoS 0 may have overtaken what waited at QoS 1.
        guard message.payload == marker, message.qos > 0 else { return false }
        isOver = true
        return true
    }

    /// Subscribes to the marker's topic. Separately, since a broker may end a connection because of it.
    mutating func requestMarker(from session: Session) throws(MQTTError) {
        subscription = try session.subscribe(to: .probe)
    }

    /// Takes the broker's answers.
    mutating func confirm(_ events: SessionEvents) {
        if let answer = events.subscriptions.first(where: { $0.id == subscription }) {
            subscription = nil
            isMarkerDue = (1...2).contains(answer.grantedQoS)
        }
        guard let publication, events.acknowledged.contains(publication) else { return }
        isMarkerRefused = events.refused.contains { $0.id == publication }
        self.publication = nil
    }

    /// Drops the marker, so that it is not sent again.
    func takeMarkerBack(from session: Session) {
        if let publication { session.takeBack(publication) }
    }

    mutating func sendMarkerIfDue(with session: Session) throws(MQTTError) {
        guard isMarkerDue else { return }
        isMarkerDue = false
        publication = try session.publish(marker, to: .probe)
    }
}
