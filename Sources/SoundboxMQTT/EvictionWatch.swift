/// Notices that another client uses the same client id. The broker then closes the older connection (section 3.1.4), the
/// box reconnects and evicts the other client, and so on for ever. In MQTT 5 a broker may say so. Otherwise it gives
/// no reason, and it has to be guessed.
///
/// The sign is a broker that answers every attempt and hangs up soon after each connection. A restarting broker is
/// unreachable in between, and a broken network is no hang-up.
struct EvictionWatch {
    /// This many in a row are no coincidence.
    static let limit = 3
    /// A connection that lasts this long has no rival: another box would have come back and evicted it. A box waits no
    /// longer than ``Backoff/maximum`` between two attempts.
    static let proof = Duration.seconds(60)

    private var evictions = 0
    /// Whether the broker has said so, and no connection has shown since that it is over.
    private(set) var isCertain = false

    /// Whether another client probably uses this client id.
    var isSuspected: Bool { isCertain || evictions >= Self.limit }

    /// Notes that an attempt to connect, or the connection that came of it, has ended.
    ///
    /// - Parameters:
    ///   - held: how long the subscriptions stood; `nil` when they were never confirmed.
    ///   - byBroker: whether the broker closed it, rather than the network or the box.
    mutating func ended(after held: Duration?, byBroker: Bool) {
        if let held, byBroker, held < Self.proof { evictions += 1 } else { evictions = 0 }
    }

    /// Notes that the broker has ended a connection for the sake of another client.
    mutating func takenOver() { isCertain = true }

    /// Notes that the subscriptions have stood for `held`.
    mutating func holds(for held: Duration) {
        guard held >= Self.proof else { return }
        evictions = 0
        isCertain = false
    }
}
