import SoundboxCore

/// Concludes from how connections end why none of them holds. Pure.
///
///     var endings = Endings()
///     endings.ended(.closed(after: .seconds(2), instead: nil))
///     if let fault = endings.fault(clientID: "soundbox-M1001-box-01") { print(fault) }
///
/// - Another client uses the same client id. The broker closes the older connection (section 3.1.4), the box reconnects
///   and evicts the other client, and so on without end. In MQTT 5 a broker may say so. Otherwise it must be guessed:
///   the broker answers everything, and closes a quiet connection.
/// - The broker closes because of what the box sends, such as a topic that its access list closes: it leaves something
///   unanswered, or closes at once.
/// - The broker's next message cannot be taken. It comes again at the head of the queue.
///
/// A restarting broker is unreachable in between, and a broken network does not hang up.
struct Endings {
    /// How an attempt to connect, or its connection, has ended.
    enum End: Equatable {
        /// The broker says that another client has connected with the client id.
        case takenOver
        /// The broker has closed a connection that it had accepted. `after` is how long the subscriptions stood; zero
        /// when they were never confirmed. `instead` says why, or of what an answer was missing; `nil` for neither.
        case closed(after: Duration, instead: String?)
        /// What arrived was not allowed. The text says what it was.
        case violation(String)
        /// The network, the box itself, or a broker that did not accept the connection.
        case other
    }

    /// A connection that has lasted for this long has held.
    static let hold = Duration.seconds(10)
    /// This many in a row are no coincidence.
    static let limit = 3
    /// A connection that lasts this long has no rival: another box would have reconnected and evicted it. A box waits
    /// no longer than ``Backoff/maximum`` between two attempts.
    static let proof = Duration.seconds(60)
    /// Another box needs this long to come back: no wait after the first one is shorter (``Backoff/initial``).
    static let shortestVisit = Duration.milliseconds(250)

    private var evictions = 0
    /// Whether the broker has said so, and no later connection has proved that it is over.
    private var isCertain = false
    private var closings = 0
    /// Of the last of ``closings``.
    private var instead: String?
    private var violations = 0
    private var violation = ""

    /// Whether another client probably uses this client id.
    var isTakeOverSuspected: Bool { isCertain || evictions >= Self.limit }

    mutating func ended(_ end: End) {
        switch end {
        case .takenOver: isCertain = true
        case .closed(let held, nil) where held >= Self.proof: (evictions, closings) = (0, 0)
        case .closed(let held, nil) where held >= Self.shortestVisit:
            evictions += 1
            closings = 0
        case .closed(let held, let reason):
            guard held < Self.hold else { return }
            closings += 1
            instead = reason
        case .violation(let what):
            (evictions, closings) = (0, 0)
            violations += 1
            violation = what
        case .other: (evictions, closings) = (0, 0)
        }
    }

    /// Notes that the subscriptions have stood for `held`.
    mutating func holds(for held: Duration) {
        if held >= Self.hold { (closings, violations) = (0, 0) }
        guard held >= Self.proof else { return }
        evictions = 0
        isCertain = false
    }

    func fault(clientID: String) -> FeedFault? {
        if violations > 1 { return .messageCannotBeTaken(violation, clientID: clientID) }
        if isTakeOverSuspected { return .clientIDTaken(clientID, isCertain: isCertain) }
        return closings >= Self.limit ? .connectionsClosed(instead: instead) : nil
    }
}
