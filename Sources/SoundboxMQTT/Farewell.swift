import SoundboxSystem

/// The end of a connection at the caller's request: the receipts that are left, the offline status, DISCONNECT.
///
/// When the time is up before the broker has acknowledged all that, the connection is dropped without a DISCONNECT:
/// the broker then publishes the will, which says the same as the offline status.
struct Farewell {
    /// When to give up, on the clock of `Duration.monotonicNow`.
    let end: Duration
    private var statusID: UInt16?
    private var statusIsKnown = false
    private var isDisconnecting = false

    init(end: Duration) { self.end = end }

    mutating func confirm(_ packetIDs: [UInt16]) {
        if let statusID, packetIDs.contains(statusID) { statusIsKnown = true }
    }

    /// Queues what comes next.
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

    /// The DISCONNECT has been sent, which closes the connection; or the time is up.
    func isOver(_ client: MQTTClient) -> Bool {
        (isDisconnecting && !client.isConnected) || .monotonicNow >= end
    }
}
