import SoundboxCore
import SoundboxSystem

/// Tries a box's connection from end to end without being the box: for `soundbox setup` and `soundbox doctor`.
///
/// It comes under a client id of its own, with a session that ends with the connection, so that the running box is
/// neither pushed off the broker nor deprived of a payment.
public struct MQTTProbe: Sendable {
    /// How far the broker let the probe go.
    public enum Outcome: Sendable, Equatable {
        /// Subscribed, and a message to the box's probe topic came back.
        case delivered
        /// Subscribed; the broker's access list keeps the probe topic closed, which proves nothing about payments.
        case subscribed
    }

    private let settings: MQTTSettings

    /// - Parameter settings: how to reach the broker, and the topics of the box. The client id is not used.
    public init(settings: MQTTSettings) { self.settings = settings }

    /// Connects, subscribes to what the box listens to, and sends a message to the box's probe topic and back.
    ///
    /// Never to the payments topic: what arrives there is money to the box. Blocks: not to be called on Swift's shared
    /// pool.
    ///
    /// - Parameters:
    ///   - timeout: until the subscriptions are confirmed. The name lookup that comes first is bounded by the system's
    ///     resolver only.
    ///   - echoTimeout: how long the message may take to come back.
    public func run(timeout: Duration, echoTimeout: Duration = .seconds(3)) throws(MQTTError) -> Outcome {
        let end = Duration.monotonicNow + timeout
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        let client = try MQTTClient(settings, clientID: "soundbox-probe-\(name)", keepsSession: false, will: nil)
        try client.connect()
        while try client.turn(until: end, waitingFor: "\(client.broker) to accept the connection").connectionCode == nil
        {}

        for topic in [settings.topics.payments, settings.topics.commands] {
            guard try isGranted(topic, client, until: end) else { throw .subscriptionRefused(topic: topic) }
        }
        let isEchoed =
            try isGranted(settings.topics.probe, client, until: end)
            ? try echo(name, client, until: Duration.monotonicNow + echoTimeout) : false
        client.disconnect()
        try client.write()
        return isEchoed ? .delivered : .subscribed
    }

    private func isGranted(_ topic: String, _ client: MQTTClient, until end: Duration) throws(MQTTError) -> Bool {
        let id = try client.subscribe(to: topic)
        try client.write()
        while true {
            let events = try client.turn(until: end, waitingFor: "the broker to confirm the subscription")
            if let answer = events.subscriptions.first(where: { $0.id == id }) { return answer.grantedQoS <= 2 }
        }
    }

    private func echo(_ text: String, _ client: MQTTClient, until end: Duration) throws(MQTTError) -> Bool {
        _ = try client.publish(Array(text.utf8), to: settings.topics.probe)
        try client.write()
        while true {
            do {
                let events = try client.turn(until: end, waitingFor: "the probe to come back")
                if events.messages.contains(where: { $0.payload == Array(text.utf8) }) { return true }
            } catch .timedOut {
                return false
            }
        }
    }
}

extension MQTTTopics {
    /// Where a probe of this box talks to itself. Neither the box nor the provider listens to it.
    var probe: String { String(payments.dropLast("payments".count)) + "probe" }
}
