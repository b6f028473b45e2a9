import SoundboxCore
import SoundboxSystem

/// The thread of an ``MQTTFleet``: connects, serves the connection until it ends, waits, and connects again.
struct FleetLoop: ConnectionLoop {
    /// How many publications are under way at once. The broker may allow fewer; the library then holds the rest.
    static let window = 256

    let session: Session
    let filters: [String]
    /// Subscribed at QoS 0: the broker would queue a status a minute of every box, and drop receipts for it.
    let retained: [String]
    let settings: MQTTSettings
    let control: FeedControl
    var delegate: any MQTTFleetDelegate
    let log: @Sendable (String) -> Void

    var longestTurn: Duration { Self.turn }

    /// Gateways are few: none waits for longer so that others may return.
    static var backoff: Backoff { Backoff(maximum: .seconds(5)) }
    /// How long a connection must have held to count as a good one.
    private static let proof = Duration.seconds(30)

    private var backoff = FleetLoop.backoff
    /// The delegate's ids by the session's.
    private var underWay: [Int: Int64] = [:]
    private var subscriptions = Subscriptions([])
    private var isResumed = false
    /// When this connection got its subscriptions.
    private var readySince: Duration?
    private var nextQuestion = Duration.zero

    init(
        session: Session, filters: [String], retained: [String], settings: MQTTSettings, control: FeedControl,
        delegate: any MQTTFleetDelegate, log: @escaping @Sendable (String) -> Void
    ) {
        self.session = session
        self.filters = filters
        self.retained = retained
        self.settings = settings
        self.control = control
        self.delegate = delegate
        self.log = log
        session.keepAliveFilter = filters[0]
    }

    /// Blocks until it has been stopped.
    mutating func run() {
        while !control.isStopping {
            do throws(MQTTError) {
                control.turnBegan()
                try session.connect()
                try serve(session)
            } catch {
                session.drop()
                guard !control.isStopping else { break }
                let delay = backoff.next()
                var reason = error.description
                // mosquitto does not say why.
                if case .connectionLost(.link(.closed)) = error { reason += "; another client may use this client id" }
                delegate.connectionChanged(to: .lost(reason: reason, retryIn: delay))
                pause(delay)
            }
        }
        session.drop()
    }

    /// The delegate names again what was not acknowledged.
    mutating func begin(on session: Session, after failure: MQTTError?) {
        session.withdrawAll()
        (underWay, readySince) = ([:], nil)
        subscriptions = Subscriptions(
            filters.map { ($0, Topic.qualityOfService) } + retained.map { ($0, 0) })
    }

    mutating func commit(_ events: SessionEvents, from session: Session) throws(MQTTError) {
        var turn = FleetTurn()
        turn.messages = events.messages.map { .init(topic: $0.topic, payload: $0.payload) }
        for refused in events.refused {
            guard let id = underWay.removeValue(forKey: refused.id) else { continue }
            turn.refused.append((id, refused.reason.map { "\($0)" } ?? "larger than the broker takes"))
        }
        turn.acknowledged = events.acknowledged.compactMap { underWay.removeValue(forKey: $0) }
        for message in events.oversized {
            log("a message of \(message.bytes) bytes under \"\(message.topic.prefix(200))\" is too long: ignored")
        }
        guard !turn.isEmpty else { return }
        do { try delegate.commit(turn) } catch { throw .refusedByBox(reason: "\(error)") }
    }

    mutating func handshake(_ events: SessionEvents, on session: Session, since start: Duration) throws(MQTTError) {
        if let answer = events.answer {
            isResumed = answer.knowsSession
            try subscriptions.request(from: session)
        }
        if try subscriptions.confirm(events.subscriptions) {
            for filter in subscriptions.weak {
                log("\(session.broker) grants \"\(filter)\" at QoS 0 only: receipts may be lost")
            }
            readySince = .monotonicNow
            nextQuestion = .zero
            delegate.connectionChanged(to: .ready(broker: session.broker.description, isResumed: isResumed))
        }
        if let readySince {
            // A connection that ends at once proves nothing: two clients with one id evict each other.
            if .monotonicNow - readySince >= Self.proof { backoff.reset() }
        } else if .monotonicNow - start > settings.handshakeLimit {
            throw .timedOut(waitingFor: .handshake)
        }
    }

    mutating func send(_ requests: FeedControl.Requests, on session: Session, until end: Duration?) throws(MQTTError) {
        if let end {
            if underWay.isEmpty || .monotonicNow >= end { session.disconnect() }
            return
        }
        let room = Self.window - underWay.count
        let isDue = requests.publicationsAreWaiting || .monotonicNow >= nextQuestion
        guard readySince != nil, room > 0, isDue else { return }
        let publications = delegate.publications(limit: room)
        nextQuestion = publications.count == room ? .zero : .monotonicNow + Self.turn
        for publication in publications {
            let id = try session.publish(
                publication.payload, toName: publication.topic, expiry: publication.expiry)
            underWay[id] = publication.id
        }
    }
}
