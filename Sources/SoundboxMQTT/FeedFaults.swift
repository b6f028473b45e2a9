import SoundboxCore

/// Tracks the faults of a feed that the state of its connection does not show.
struct FeedFaults {
    /// How long a notice at QoS 0 is remembered: a shop that closes at night still sees the fault in the morning, and
    /// it disappears a day after the sender was corrected.
    static let memory = Duration.seconds(24 * 3600)

    var evictions = TakeOverSuspicion()
    private let clientID: String
    /// The topics that the broker delivers at QoS 0, as of the last connection that got its subscriptions.
    private var weakTopics: [String] = []
    private var paymentsAreWeak = false
    /// When a notice last came at QoS 0, on the clock of `Duration.monotonicNow`.
    private var lastAtQoS0: Duration?
    /// What the last broker has granted; `nil` when that is enough.
    private var shortSession: (granted: Duration, asked: Duration)?
    /// The largest packet that the broker accepts, if something was larger.
    private var sizeLimit: Int?
    private var reported: [FeedFault] = []

    /// A session that is kept for less than this does not last through a night and a holiday.
    static let enough = Duration.seconds(24 * 3600)

    init(clientID: String) { self.clientID = clientID }

    /// Notes the result of a connection's subscriptions.
    ///
    /// - Parameter weak: the topics that were granted at QoS 0, and those on which the broker accepts only QoS 0.
    mutating func subscribed(weak: [Topic], _ names: Topics) {
        weakTopics = weak.map { names[$0] }
        paymentsAreWeak = weak.contains(.payments)
    }

    /// Notes how long the broker keeps the session of an absent box.
    ///
    /// - Parameter granted: `nil` when the broker does not report it, as in MQTT 3.1.1.
    mutating func accepted(sessionExpiry granted: Duration?, asked: Duration) {
        shortSession = granted.flatMap { $0 < min(asked, Self.enough) ? ($0, asked) : nil }
        sizeLimit = nil
    }

    /// Notes that a message of the box was larger than the broker accepts.
    ///
    /// - Parameter limit: in bytes.
    mutating func tooLarge(for limit: Int) { sizeLimit = limit }

    /// Notes a notice at QoS 0 that was not retained.
    mutating func noticeCameAtQoS0(at now: Duration) { lastAtQoS0 = now }

    /// - Returns: all faults, if they have changed since the last call.
    mutating func news(at now: Duration) -> [FeedFault]? {
        if let last = lastAtQoS0, now - last >= Self.memory { lastAtQoS0 = nil }
        var faults: [FeedFault] = []
        if evictions.isSuspected { faults.append(.clientIDTaken(clientID, isCertain: evictions.isCertain)) }
        if !weakTopics.isEmpty { faults.append(.grantedQoS0(topics: weakTopics)) }
        if let shortSession {
            faults.append(.sessionIsShort(granted: shortSession.granted, asked: shortSession.asked))
        }
        if let sizeLimit { faults.append(.answersTooLarge(limit: sizeLimit)) }
        // If the broker grants only QoS 0, it is not the senders' fault.
        if lastAtQoS0 != nil, !paymentsAreWeak { faults.append(.noticesAtQoS0) }
        guard faults != reported else { return nil }
        reported = faults
        return faults
    }
}

/// Detects that another client uses the same client id. The broker then closes the older connection (section 3.1.4),
/// the box reconnects and evicts the other client, and so on without end. In MQTT 5 a broker may say so. Otherwise
/// there is no reason, and it must be guessed.
///
/// The sign is a broker that answers every attempt and hangs up soon after each connection. A restarting broker is
/// unreachable in between, and a broken network does not hang up.
struct TakeOverSuspicion {
    /// This many in a row are no coincidence.
    static let limit = 3
    /// A connection that lasts this long has no rival: another box would have reconnected and evicted it. A box waits
    /// no longer than ``Backoff/maximum`` between two attempts.
    static let proof = Duration.seconds(60)

    private var evictions = 0
    /// Whether the broker has said so, and no later connection has proved that it is over.
    private(set) var isCertain = false

    /// Whether another client probably uses this client id.
    var isSuspected: Bool { isCertain || evictions >= Self.limit }

    /// Notes that an attempt to connect, or its connection, has ended.
    ///
    /// - Parameters:
    ///   - held: how long the subscriptions stood; `nil` when they were never confirmed.
    ///   - byBroker: whether the broker closed it, rather than the network or the box.
    mutating func ended(after held: Duration?, byBroker: Bool) {
        if let held, byBroker, held < Self.proof { evictions += 1 } else { evictions = 0 }
    }

    /// Notes that the broker has ended a connection because of another client.
    mutating func takenOver() { isCertain = true }

    /// Notes that the subscriptions have stood for `held`.
    mutating func holds(for held: Duration) {
        guard held >= Self.proof else { return }
        evictions = 0
        isCertain = false
    }
}
