import SoundboxCore
import SoundboxSystem

/// Sends messages to a box's payments topic, as a payment provider would: for trials and integration.

public struct MQTTPublisher: Sendable {
    private let settings: MQTTSettings

    /// - Parameter settings: how to reach the broker, and the topics of the box. The client id is not used: a client of
    ///   the box's own name would push the box off the broker.
    public init(settings: MQTTSettings) { self.settings = settings }

    /// Publishes at QoS 1 and returns once the broker has acknowledged every message; with `onReceipt`, once the box
    /// has answered as well. Blocks: not to be called on Swift's shared pool.
    ///
    /// - Parameters:
    ///   - payloads: sent in this order.
    ///   - timeout: for all of it: connection, acknowledgements and receipts. The name lookup that comes first is
    ///     bounded by the system's resolver only.
    ///   - onReceipt: is given every payload that appears on the box's receipts topic from before the first message was
    ///     sent, other messages' receipts included, and returns `true` when it has seen enough.
    /// - Throws: ``MQTTError/timedOut(waitingFor:)`` names what did not come; after the broker's acknowledgement the
    ///   messages will still reach the box when it comes online.
    public func publish(
        _ payloads: [[UInt8]], timeout: Duration, onReceipt: ((_ payload: [UInt8]) -> Bool)? = nil
    ) throws(MQTTError) {
        let end = Duration.monotonicNow + timeout
        let client = try MQTTClient(
            settings, clientID: "soundbox-publish-\(String(UInt64.random(in: .min ... .max), radix: 36))",
            keepsSession: false, will: nil)
        try client.connect()

        while try client.turn(until: end, waitingFor: "\(client.broker) to accept the connection").connectionCode == nil
        {}
        if onReceipt != nil {
            let id = try client.subscribe(to: settings.topics.receipts)
            var answer: UInt8?
            while answer == nil {
                try client.write()
                let events = try client.turn(until: end, waitingFor: "the broker to confirm the subscription")
                answer = events.subscriptions.first { $0.id == id }?.grantedQoS
            }
            if let answer, answer > 2 { throw .subscriptionRefused(topic: settings.topics.receipts) }
        }

        var unacknowledged: Set<UInt16> = []
        for payload in payloads { unacknowledged.insert(try client.publish(payload, to: settings.topics.payments)) }
        var isAnswered = onReceipt == nil
        try client.write()
        while !unacknowledged.isEmpty || !isAnswered {
            let events = try client.turn(
                until: end,
                waitingFor: unacknowledged.isEmpty
                    ? "the box's receipts; the broker has the messages, so is the box running and online?"
                    : "the broker to acknowledge the messages")
            unacknowledged.subtract(events.acknowledged)
            for message in events.messages where message.topic == settings.topics.receipts && !isAnswered {
                isAnswered = onReceipt?(message.payload) ?? true
            }
        }
        client.disconnect()
        try client.write()
    }
}
