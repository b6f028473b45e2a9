import SoundboxCore

/// The faults of a feed that the state of its connection does not show.
struct FeedFaults {
    /// How long a notice at QoS 0 is remembered: a shop that closes at night still finds the fault in the morning, and one
    /// whose sender was mended is rid of it on the next day.
    static let memory = Duration.seconds(24 * 3600)

    var evictions = TakeOverSuspicion()
    private let clientID: String
    /// What the broker delivers at QoS 0, as of the last connection that got its subscriptions.
    private var weakTopics: [String] = []
    private var paymentsAreWeak = false
    /// When a notice came at QoS 0 last, on the clock of `Duration.monotonicNow`.
    private var lastAtQoS0: Duration?
    /// What the broker that answered last has granted; `nil` when that is enough.
    private var shortSession: (granted: Duration, asked: Duration)?
    /// The largest packet that it takes, when something was larger.
    private var sizeLimit: Int?
    private var reported: [FeedFault] = []

    /// A session that is kept for less than this does not outlive a night and a holiday.
    static let enough = Duration.seconds(24 * 3600)

    init(clientID: String) { self.clientID = clientID }

    /// Notes what a connection's subscriptions have brought.
    ///
    /// - Parameter weak: the topics that were granted at QoS 0, and those on which nothing is taken above it.
    mutating func subscribed(weak: [Topic], _ names: Topics) {
        weakTopics = weak.map { names[$0] }
        paymentsAreWeak = weak.contains(.payments)
    }

    /// Notes for how long the broker keeps the session of a box that is away.
    ///
    /// - Parameter granted: `nil` when the broker does not tell, which MQTT 3.1.1 cannot.
    mutating func accepted(sessionExpiry granted: Duration?, asked: Duration) {
        shortSession = granted.flatMap { $0 < min(asked, Self.enough) ? ($0, asked) : nil }
        sizeLimit = nil
    }

    /// Notes that something of the box's was larger than the broker takes.
    ///
    /// - Parameter limit: in bytes.
    mutating func tooLarge(for limit: Int) { sizeLimit = limit }

    /// Notes a notice at QoS 0 that the broker had not kept.
    mutating func noticeCameAtQoS0(at now: Duration) { lastAtQoS0 = now }

    /// - Returns: all faults, when they are others than at the last call.
    mutating func news(at now: Duration) -> [FeedFault]? {
        if let last = lastAtQoS0, now - last >= Self.memory { lastAtQoS0 = nil }
        var faults: [FeedFault] = []
        if evictions.isSuspected { faults.append(.clientIDTaken(clientID, isCertain: evictions.isCertain)) }
        if !weakTopics.isEmpty { faults.append(.grantedQoS0(topics: weakTopics)) }
        if let shortSession {
            faults.append(.sessionIsShort(granted: shortSession.granted, asked: shortSession.asked))
        }
        if let sizeLimit { faults.append(.answersTooLarge(limit: sizeLimit)) }
        // What the broker has made weak is no fault of those who publish.
        if lastAtQoS0 != nil, !paymentsAreWeak { faults.append(.noticesAtQoS0) }
        guard faults != reported else { return nil }
        reported = faults
        return faults
    }
}

/// Notices that another client uses the same client id. The broker then closes the older connection (section 3.1.4), the
/// box reconnects and evicts the other client, and so on for ever. In MQTT 5 a broker may say so. Otherwise it gives
/// no reason, and it has to be guessed.
///
/// The sign is a broker that answers every attempt and hangs up soon after each connection. A restarting broker is
/// unreachable in between, and a broken network is no hang-up.
struct TakeOverSuspicion {
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
