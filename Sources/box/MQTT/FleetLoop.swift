import SoundboxCore
import SoundboxSystem

/// The thread of an ``MQTTFleet``: connects, serves the connection until it ends, waits, and connects again.
struct FleetLoop {
    /// How many publications are under way at once. The broker may allow fewer; the library then holds the rest.
    static let window = 256
    /// The longest time between two turns.
    static let turn: Duration = .seconds(1)

    let session: Session
    let filters: [String]
    /// Subscribed at QoS 0: the broker would queue a status a minute of every box, and drop receipts for it.
    let retained: [String]
    let settings: MQTTSettings
    let control: FeedControl
    let delegate: any MQTTFleetDelegate
    let log: @Sendable (String) -> Void

    private var backoff = Backoff()
    /// The delegate's ids by the session's.
    private var underWay: [Int: Int64] = [:]
    /// Subscriptions that were requested and not yet answered.
    private var pending: [Int32: String] = [:]
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
                forgetConnection()
                control.noteTurn()
                try session.connect()
                try serveInEitherVersion()
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
    private mutating func forgetConnection() {
        session.takeAllBack()
        (underWay, pending, readySince) = ([:], [:], nil)
    }

    private func pause(_ delay: Duration) {
        let end = Duration.monotonicNow + delay
        while !control.isStopping, case let rest = end - .monotonicNow, rest > .zero {
            control.noteTurn()
            control.wakeUp.wait(atMost: min(rest, Self.turn))
        }
    }

    /// Serves a connection. If the broker refuses MQTT 5, serves another one to the same address with 3.1.1.
    private mutating func serveInEitherVersion() throws(MQTTError) {
        while true {
            do throws(MQTTError) { return try serve() } catch {
                guard !control.isStopping else { throw error }
                try session.goBack(after: error)
                forgetConnection()
            }
        }
    }

    /// Serves one connection. Returns when it has been stopped; throws when the connection has to be given up.
    private mutating func serve() throws(MQTTError) {
        let start = Duration.monotonicNow
        var isResumed = false
        // When to give up a clean end.
        var end: Duration?
        while true {
            control.noteTurn()
            let outcome = Result { () throws(MQTTError) in
                try session.read(waitingAtMost: min(Self.turn, session.timeToPing), wakeUp: control.wakeUp)
            }
            let events = session.takeEvents()
            // Also when the connection has just broken: what it has acknowledged need not be published again.
            try commit(events)
            if let refusal = events.answer?.refusal { throw .refused(broker: session.broker, refusal) }
            try outcome.get()

            if let answer = events.answer {
                isResumed = answer.knowsSession
                for filter in filters { pending[try session.subscribe(toFilter: filter)] = filter }
                for filter in retained { pending[try session.subscribe(toFilter: filter, quality: 0)] = filter }
            }
            try confirm(events.subscriptions, isResumed)
            if let readySince {
                // A connection that ends at once proves nothing: two clients with one id evict each other.
                if .monotonicNow - readySince >= backoff.maximum { backoff.reset() }
            } else if .monotonicNow - start > settings.handshakeLimit {
                throw .timedOut(waitingFor: .handshake)
            }

            let requests = control.takeRequests()
            if requests.isStopping, end == nil {
                guard session.isAccepted else { return }
                end = .monotonicNow + settings.farewellLimit
            }
            if let end {
                if underWay.isEmpty || .monotonicNow >= end { session.disconnect() }
            } else if readySince != nil {
                try publish(atOnce: requests.publicationsAreWaiting)
            }
            try session.ping()
            // Everything is sent from here, PUBACKs included. Every message read so far has been committed.
            try session.write()
            if let end, !session.isConnected || .monotonicNow >= end + Self.turn { return }
        }
    }

    private mutating func commit(_ events: SessionEvents) throws(MQTTError) {
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

    private mutating func confirm(
        _ answers: [(id: Int32, grantedQoS: UInt8, reason: BrokerReason?)], _ isResumed: Bool
    ) throws(MQTTError) {
        guard !pending.isEmpty else { return }
        for answer in answers {
            guard let filter = pending.removeValue(forKey: answer.id) else { continue }
            guard answer.grantedQoS <= 2 else { throw .subscriptionRefused(topic: filter, answer.reason) }
            if answer.grantedQoS == 0, filters.contains(filter) {
                log("\(session.broker) grants \"\(filter)\" at QoS 0 only: receipts may be lost")
            }
        }
        guard pending.isEmpty else { return }
        readySince = .monotonicNow
        nextQuestion = .zero
        delegate.connectionChanged(to: .ready(broker: session.broker.description, isResumed: isResumed))
    }

    private mutating func publish(atOnce: Bool) throws(MQTTError) {
        let room = Self.window - underWay.count
        guard room > 0, atOnce || .monotonicNow >= nextQuestion else { return }
        let publications = delegate.publications(limit: room)
        nextQuestion = publications.count == room ? .zero : .monotonicNow + Self.turn
        for publication in publications {
            underWay[try session.publish(publication.payload, toName: publication.topic)] = publication.id
        }
    }
}
