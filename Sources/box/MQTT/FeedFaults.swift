import SoundboxCore

/// Tracks the faults of a feed that the state of its connection does not show.
struct FeedFaults {
    /// How long a notice at QoS 0 is remembered: a shop that closes at night still sees the fault in the morning, and
    /// it disappears a day after the sender was corrected.
    static let memory = Duration.seconds(24 * 3600)

    var endings = Endings()
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
    /// Why the marker does not come back; `nil` when it does, or was not sent yet.
    private var markerProblem: FeedFault?
    /// Whether a packet has been arriving for long.
    private var isStalled = false
    /// Connections in a row that ended because the broker answered nothing any more.
    private var silences = 0
    private var reported: [FeedFault] = []

    /// A session that is kept for less than this does not last through a night and a holiday.
    static let enough = Duration.seconds(24 * 3600)

    /// A packet that has been arriving for this long is told of. A payment of the largest size needs less on a line of
    /// 10 kbit/s.
    static let stall = Duration.seconds(60)

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

    /// Notes what this connection shows of the marker.
    mutating func saw(_ backlog: Backlog, _ names: Topics) {
        if backlog.isMarkerBack {
            markerProblem = nil
        } else if let problem = backlog.problem {
            markerProblem = .markerMissing(topic: names[.probe], answer: problem)
        }
    }

    /// Notes that the marker has cost connections, and is not sent for ``MarkerRest/rest``.
    mutating func markerRests(_ names: Topics) {
        markerProblem = .markerMissing(
            topic: names[.probe],
            answer: "it has ended three connections over it, so the box sends none for a day")
    }

    /// Notes how a connection answers.
    ///
    /// - Parameters:
    ///   - unanswered: for how long a sign of life has had no answer.
    ///   - held: how long the subscriptions have stood.
    mutating func answers(unanswered: Duration, after held: Duration) {
        if unanswered >= Self.stall {
            isStalled = true
        } else if held >= Self.stall * 2 {
            // The next connection begins well, too.
            isStalled = false
            silences = 0
        }
    }

    /// Notes that a connection has ended because the broker answered nothing any more. Once is a network that broke.
    mutating func fellSilent() {
        silences += 1
        if silences > 1 { isStalled = true }
    }

    /// Notes a notice at QoS 0 that was not retained.
    mutating func noticeCameAtQoS0(at now: Duration) { lastAtQoS0 = now }

    /// - Returns: all faults, if they have changed since the last call.
    mutating func news(at now: Duration) -> [FeedFault]? {
        if let last = lastAtQoS0, now - last >= Self.memory { lastAtQoS0 = nil }
        var faults: [FeedFault] = []
        if let fault = endings.fault(clientID: clientID) { faults.append(fault) }
        if isStalled { faults.append(.brokerStalls) }
        if !weakTopics.isEmpty { faults.append(.grantedQoS0(topics: weakTopics)) }
        if let shortSession {
            faults.append(.sessionIsShort(granted: shortSession.granted, asked: shortSession.asked))
        }
        if let sizeLimit { faults.append(.answersTooLarge(limit: sizeLimit)) }
        if let markerProblem { faults.append(markerProblem) }
        // If the broker grants only QoS 0, it is not the senders' fault.
        if lastAtQoS0 != nil, !paymentsAreWeak { faults.append(.noticesAtQoS0) }
        guard faults != reported else { return nil }
        reported = faults
        return faults
    }
}
