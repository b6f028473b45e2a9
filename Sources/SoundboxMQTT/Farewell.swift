import SoundboxCore
import SoundboxSystem

/// How a stopped feed ends its connection: it sends the remaining receipts, the offline status and DISCONNECT.
///
/// If the broker does not acknowledge all of that in time, the connection is dropped without a DISCONNECT. The broker
/// then publishes the will, which says the same as the offline status.
struct Farewell {
    /// When to give up, on the clock of `Duration.monotonicNow`.
    let end: Duration
    private var statusID: Int?
    private var statusIsKnown = false
    private var isDisconnecting = false

    init(end: Duration) { self.end = end }

    mutating func confirm(_ ids: [Int]) {
        if let statusID, ids.contains(statusID) { statusIsKnown = true }
    }

    /// Queues the next step.
    mutating func proceed(
        _ client: MQTTClient, outbox: FeedOutbox, status: [UInt8]
    ) throws(MQTTError) {
        if statusID == nil, outbox.isIdle {
            statusID = try client.publish(status, to: .status)
        } else if statusIsKnown, !isDisconnecting {
            client.disconnect()
            isDisconnecting = true
        }
    }

    /// Whether the DISCONNECT has been sent, which closes the connection, or the time is up.
    func isOver(_ client: MQTTClient) -> Bool {
        (isDisconnecting && !client.isConnected) || .monotonicNow >= end
    }
}
