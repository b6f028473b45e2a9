import SoundboxCore
import SoundboxSystem

/// Publishes to a box's topics as a payment provider would, for trials and integration.
///
///     let publisher = MQTTPublisher(settings: settings)
///     try publisher.publish([notice], timeout: .seconds(10)) { receipt in
///         print(String(decoding: receipt, as: UTF8.self))
///         return true
///     }
public struct MQTTPublisher: Sendable {
    /// How long a broker may take to accept the connection. An answer of the box may take much longer.
    public static let connectionTimeout = Duration.seconds(30)

    private let settings: MQTTSettings

    /// - Parameter settings: how to reach the broker, and the topics of the box. The client id is not used: it would
    ///   evict the box.
    public init(settings: MQTTSettings) { self.settings = settings }

    /// Publishes, and returns once the broker has acknowledged every message; with `onAnswer`, once the box has
    /// answered as well. Blocks: do not call it on Swift's shared pool.
    ///
    /// - Parameters:
    ///   - payloads: sent in this order.
    ///   - topic: of the box: payments or commands.
    ///   - timeout: for connection, acknowledgements and receipts together.
    ///   - connectionTimeout: for the connection alone, if that is shorter. The name lookup before that is bounded only
    ///     by the system's resolver.
    ///   - answers: the box's topics that `onAnswer` listens to.
    ///   - onAnswer: called with every payload on these topics, including answers to other messages, from before the
    ///     first message is sent. Returns `true` when it has seen enough.
    /// - Throws: ``MQTTError/publicationRefused(topic:_:)`` when the broker refuses a message, which only MQTT 5
    ///   reports; ``MQTTError/timedOut(waitingFor:)`` names the missing answer. Messages that the broker has
    ///   acknowledged still reach the box when it comes online.
    public func publish(
        _ payloads: [[UInt8]], to topic: Topic = .payments, timeout: Duration,
        connectionTimeout: Duration = connectionTimeout, answers: [Topic] = [.receipts],
        onAnswer: ((_ payload: [UInt8]) -> Bool)? = nil
    ) throws(MQTTError) {
        let start = Duration.monotonicNow
        let end = start + timeout
        let session = try Session(
            settings, clientID: ClientID.visitor("publish"), keepsSession: false, will: nil)
        try session.connect()

        try session.awaitAcceptance(until: start + min(timeout, connectionTimeout))
        if onAnswer != nil { for topic in answers { _ = try session.subscribe(to: topic, until: end) } }

        var unacknowledged: Set<Int> = []
        for payload in payloads { unacknowledged.insert(try session.publish(payload, to: topic)) }
        let names = answers.map { settings.topics[$0] }
        var isAnswered = onAnswer == nil
        try session.write()
        while !unacknowledged.isEmpty || !isAnswered {
            let events = try session.turn(
                until: end, waitingFor: unacknowledged.isEmpty ? .receipts : .acknowledgement)
            if let refused = events.refused.first {
                throw .publicationRefused(topic: refused.topic, refused.reason ?? BrokerReason(code: 0x95))
            }
            unacknowledged.subtract(events.acknowledged)
            for message in events.messages where names.contains(message.topic) && !isAnswered {
                isAnswered = onAnswer?(message.payload) ?? true
            }
        }
        session.disconnect()
        try session.write()
    }
}
