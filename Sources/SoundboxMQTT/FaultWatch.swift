import SoundboxCore

/// The faults of a feed that the state of its connection does not show.
struct FaultWatch {
    /// How long a notice at QoS 0 is remembered: a shop that closes at night still finds the fault in the morning, and one
    /// whose sender was mended is rid of it on the next day.
    static let memory = Duration.seconds(24 * 3600)

    var evictions = EvictionWatch()
    private let clientID: String
    /// What the broker delivers at QoS 0, as of the last connection that got its subscriptions.
    private var weakTopics: [String] = []
    private var paymentsAreWeak = false
    /// When a notice came at QoS 0 last, on the clock of `Duration.monotonicNow`.
    private var lastAtQoS0: Duration?
    private var reported: [FeedFault] = []

    init(clientID: String) { self.clientID = clientID }

    /// Notes what a connection's subscriptions have brought.
    ///
    /// - Parameter weak: the topics that were granted at QoS 0.
    mutating func subscribed(weak: [Topic], _ names: Topics) {
        weakTopics = weak.map { names[$0] }
        paymentsAreWeak = weak.contains(.payments)
    }

    /// Notes a notice at QoS 0 that the broker had not kept.
    mutating func noticeCameAtQoS0(at now: Duration) { lastAtQoS0 = now }

    /// - Returns: all faults, when they are others than at the last call.
    mutating func news(at now: Duration) -> [FeedFault]? {
        if let last = lastAtQoS0, now - last >= Self.memory { lastAtQoS0 = nil }
        var faults: [FeedFault] = []
        if evictions.isSuspected { faults.append(.clientIDTaken(clientID)) }
        if !weakTopics.isEmpty { faults.append(.grantedQoS0(topics: weakTopics)) }
        // What the broker has made weak is no fault of those who publish.
        if lastAtQoS0 != nil, !paymentsAreWeak { faults.append(.noticesAtQoS0) }
        guard faults != reported else { return nil }
        reported = faults
        return faults
    }
}
