/// Notices that another client uses the same client id. A broker of MQTT 3.1.1 then closes the older connection without
/// a word (section 3.1.4), the box comes back and pushes the other one off, and so on for ever.
///
/// What gives it away is a broker that is there at every attempt and ends each connection soon after it was made. A
/// broker that restarts cannot be reached in between; a network that breaks is no hang-up.
struct EvictionWatch {
    /// So many in a row are no coincidence.
    static let limit = 3
    /// A connection that holds for so long was not pushed off by a client that tries again every half minute, as a box
    /// does at most (``Backoff``).
    static let proof = Duration.seconds(60)

    private var evictions = 0

    /// Another client probably uses this client id.
    var isSuspected: Bool { evictions >= Self.limit }

    /// An attempt to connect is over.
    ///
    /// - Parameters:
    ///   - held: how long the subscriptions stood; `nil` when they were never confirmed.
    ///   - byBroker: whether the broker closed the connection, and not the network or the box.
    mutating func ended(after held: Duration?, byBroker: Bool) {
        if let held, byBroker, held < Self.proof { evictions += 1 } else { evictions = 0 }
    }

    /// The subscriptions stand for `held` by now.
    mutating func holds(for held: Duration) {
        if held >= Self.proof { evictions = 0 }
    }
}
