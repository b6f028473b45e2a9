import SoundboxCore
import SoundboxSystem

/// Tries a box's connection from end to end, for `soundbox setup` and `soundbox doctor`.
///
/// It uses a client id of its own and a session that ends with the connection. So it neither evicts the running box nor
/// takes a payment from it.
public struct MQTTProbe: Sendable {
    /// How far the broker let the probe go.
    public enum Outcome: Sendable, Equatable {
        /// Subscribed, and a message to the box's probe topic came back.
        case delivered
        /// Subscribed. The broker's access list closes the probe topic, which proves nothing about payments.
        case subscribed
    }

    /// The most that the message may take to come back.
    private static let echoLimit = Duration.seconds(3)

    private let settings: MQTTSettings

    /// - Parameter settings: how to reach the broker, and the topics of the box. The client id is not used.
    public init(settings: MQTTSettings) { self.settings = settings }

    /// Connects, subscribes to what the box listens to, and sends itself a message on the box's probe topic. Never on the
    /// payments topic: whatever arrives there is money. Blocks: do not call it on Swift's shared pool.
    ///
    /// - Parameter timeout: until the subscriptions are confirmed. The system's resolver alone bounds the name lookup
    ///   that comes first.
    public func run(timeout: Duration) throws(MQTTError) -> Outcome {
        let end = Duration.monotonicNow + timeout
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        let client = try MQTTClient(settings, clientID: ClientID.visitor("probe"), keepsSession: false, will: nil)
        try client.connect()
        while try client.turn(until: end, waitingFor: .acceptance(by: client.broker)).connectionCode == nil {}

        for topic in Subscriptions.topics {
            guard try isGranted(topic, client, until: end) else {
                throw .subscriptionRefused(topic: settings.topics[topic])
            }
        }
        let isEchoed =
            try isGranted(.probe, client, until: end)
            ? try echo(name, client, until: .monotonicNow + Self.echoLimit) : false
        client.disconnect()
        try client.write()
        return isEchoed ? .delivered : .subscribed
    }

    private func isGranted(_ topic: Topic, _ client: MQTTClient, until end: Duration) throws(MQTTError) -> Bool {
        let id = try client.subscribe(to: topic)
        try client.write()
        while true {
            let events = try client.turn(until: end, waitingFor: .subscription)
            if let answer = events.subscriptions.first(where: { $0.id == id }) { return answer.grantedQoS <= 2 }
        }
    }

    private func echo(_ text: String, _ client: MQTTClient, until end: Duration) throws(MQTTError) -> Bool {
        _ = try client.publish(Array(text.utf8), to: .probe)
        try client.write()
        while true {
            do {
                let events = try client.turn(until: end, waitingFor: .probe)
                if events.messages.contains(where: { $0.payload == Array(text.utf8) }) { return true }
            } catch .timedOut {
                return false
            }
        }
    }
}
