import SoundboxCore
import SoundboxSystem

/// Serves a persistent connection turn by turn: a box's in ``FeedLoop``, a payment provider's in ``FleetLoop``.
///
/// A turn reads what has arrived, commits it, queues what is to be sent, and writes. So a message is acknowledged only
/// after its commit.
protocol ConnectionLoop {
    var settings: MQTTSettings { get }
    var control: FeedControl { get }
    /// The longest time between two turns of an accepted connection. Any message ends a turn early.
    var longestTurn: Duration { get }

    /// Begins with a new connection, from which nothing was read yet.
    ///
    /// - Parameter failure: why the connection before it has failed, which asked the same address for MQTT 5.
    mutating func begin(on session: Session, after failure: MQTTError?)

    /// Commits what has arrived. If it throws, none of that is acknowledged, and the broker delivers it again.
    mutating func commit(_ events: SessionEvents, from session: Session) throws(MQTTError)

    /// Subscribes when the broker has accepted, takes its answers, and watches how long they take. Called in each turn.
    mutating func handshake(_ events: SessionEvents, on session: Session, since start: Duration) throws(MQTTError)

    /// Queues publications.
    ///
    /// - Parameter end: when to leave, once the loop is being stopped. Until then queue the last publications, and
    ///   DISCONNECT when the broker has them.
    mutating func send(_ requests: FeedControl.Requests, on session: Session, until end: Duration?) throws(MQTTError)
}

extension ConnectionLoop {
    /// The longest time between two turns while connecting or stopping.
    static var turn: Duration { .seconds(1) }

    /// Serves a connection. If the broker refuses MQTT 5, serves another one to the same address with 3.1.1.
    ///
    /// Returns when the loop has been stopped; throws when the connection has to be given up.
    mutating func serve(_ session: Session) throws(MQTTError) {
        var failure: MQTTError?
        while true {
            begin(on: session, after: failure)
            do throws(MQTTError) { return try takeTurns(on: session) } catch {
                guard !control.isStopping else { throw error }
                try session.goBack(after: error)
                failure = error
            }
        }
    }

    private mutating func takeTurns(on session: Session) throws(MQTTError) {
        let start = Duration.monotonicNow
        var end: Duration?
        while true {
            control.turnBegan()
            let isQuiet = session.isAccepted && end == nil
            let wait = isQuiet ? min(longestTurn, session.timeToPing) : Self.turn
            let outcome = Result { () throws(MQTTError) in
                try session.read(waitingAtMost: wait, wakeUp: control.wakeUp)
            }
            let events = session.takeEvents()
            // Also when the connection has just broken: a message at QoS 0 is never sent again.
            try commit(events, from: session)
            if let refusal = events.answer?.refusal { throw .refused(broker: session.broker, refusal) }
            try outcome.get()
            try handshake(events, on: session, since: start)

            let requests = control.takeRequests()
            if requests.isStopping, end == nil {
                guard session.isAccepted else { return }
                end = .monotonicNow + settings.farewellLimit
            }
            try send(requests, on: session, until: end)
            try session.ping()
            // Everything is sent from here, PUBACKs included. Every message read so far has been committed.
            try session.write()
            if let end, !session.isConnected || .monotonicNow >= end { return }
        }
    }

    /// Sleeps until the time has passed or the loop is stopped.
    func pause(_ delay: Duration) {
        let end = Duration.monotonicNow + delay
        while !control.isStopping, case let rest = end - .monotonicNow, rest > .zero {
            control.turnBegan()
            control.wakeUp.wait(atMost: min(rest, Self.turn))
        }
    }
}

/// The subscriptions of one connection, from request to confirmation.
struct Subscriptions {
    /// The topics that a box listens to.
    static let topics = Topic.allCases.filter { $0.direction == .toBox }

    typealias Filter = (name: String, quality: UInt8)

    private let filters: [Filter]
    /// Requested, and not yet answered.
    private var pending: [Int32: Filter] = [:]
    /// The filters that the broker grants only at QoS 0, though more was asked for.
    private(set) var weak: [String] = []

    init(_ filters: [Filter]) { self.filters = filters }

    /// Queues the SUBSCRIBE packets, even if the broker has kept the session: an earlier version of this program may
    /// have subscribed to other topics.
    mutating func request(from session: Session) throws(MQTTError) {
        for filter in filters {
            pending[try session.subscribe(toFilter: filter.name, quality: filter.quality)] = filter
        }
    }

    /// Takes the broker's answers.
    ///
    /// - Returns: `true` once, when all answers have come.
    /// - Throws: ``MQTTError/subscriptionRefused(topic:_:)``.
    mutating func confirm(
        _ answers: [(id: Int32, grantedQoS: UInt8, reason: BrokerReason?)]
    ) throws(MQTTError) -> Bool {
        guard !pending.isEmpty else { return false }
        for answer in answers {
            guard let filter = pending.removeValue(forKey: answer.id) else { continue }
            guard answer.grantedQoS <= 2 else { throw .subscriptionRefused(topic: filter.name, answer.reason) }
            if answer.grantedQoS == 0, filter.quality > 0 { weak.append(filter.name) }
        }
        return pending.isEmpty
    }
}
