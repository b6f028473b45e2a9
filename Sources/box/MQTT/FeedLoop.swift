import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The feed's thread: connects, serves the connection until it ends, waits, and connects again.
struct FeedLoop: ConnectionLoop {
    let settings: MQTTSettings
    let offlineStatus: [UInt8]
    let control: FeedControl
    let delegate: any PaymentFeedDelegate
    let log: @Sendable (String) -> Void

    /// Kept across connections, because it holds the publications that the broker has not acknowledged.
    var session: Session?
    private var outbox: Outbox
    var backoff = Backoff()
    var route: Route
    /// Unused lookups by broker. A lookup may outlast the timeout of an attempt.
    private var lookUps: [Int: LookUp] = [:]
    var faults: FeedFaults
    var isStrangeTopicTold = false
    /// Lines about a broker's answers that were logged, so that each is logged once.
    private var told: Set<String> = []
    /// When this connection got its subscriptions.
    var subscribedSince: Duration?
    private var subscriptions = Subscriptions([])
    /// This connection's backlog.
    var backlog = Backlog()
    var markerRest = MarkerRest()

    /// Each turn wakes the processor. With subscriptions a third of the time that the watchdog allows a turn.
    var longestTurn: Duration { subscribedSince == nil ? Self.turn : .seconds(10) }

    init(
        settings: MQTTSettings, offlineStatus: [UInt8], control: FeedControl, delegate: any PaymentFeedDelegate,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.offlineStatus = offlineStatus
        self.control = control
        self.delegate = delegate
        self.log = log
        route = Route(brokers: settings.hosts.count)
        outbox = Outbox(delegate: delegate, log: log)
        faults = FeedFaults(clientID: settings.clientID)
    }

    /// Blocks until the feed has been stopped.
    mutating func run() {
        while !control.isStopping {
            delegate.connectionChanged(to: .connecting)
            subscribedSince = nil
            isStrangeTopicTold = false
            do {
                guard let session = try dial() else { break }
                try serve(session)
            } catch {
                let end = end(error)
                session?.drop()
                if let session { outbox.withdrawStatus(from: session) }
                recordHeldTime()
                forgetMarker(after: end)
                guard !control.isStopping else { break }
                faults.endings.ended(end)
                if error == .connectionLost(.silence) { faults.fellSilent() }
                reportFaults()
                let delay = delay(after: error)
                delegate.connectionChanged(to: .disconnected(reason: error.description, retryIn: delay))
                pause(delay)
            }
        }
        session = nil
        delegate.connectionChanged(to: .stopped)
    }

    // MARK: Connecting

    /// Starts a connection to the next address.
    ///
    /// - Returns: `nil` when the feed is being stopped.
    private mutating func dial() throws(MQTTError) -> Session? {
        let session = try currentSession()
        try session.checkFiles()
        while true {
            switch route.next() {
            case .lookUp(let broker):
                session.broker = settings.brokers[broker]
                guard let result = lookUp(broker) else { return nil }
                route.lookedUp((try? result.get()) ?? [])
                // The name's earlier addresses are tried instead, if there were any.
                if case .failure(let failure) = result, !route.hasKnown(broker) { throw session.lost(failure) }
            case .dial(let stop):
                session.broker = settings.brokers[stop.broker]
                try session.begin(to: stop.endpoint)
                return session
            case .pause: break
            }
        }
    }

    /// Looks a name up on a thread of its own, because that blocks. Waits for it, but only for
    /// ``MQTTSettings/openingLimit`` if there is another address to try.
    ///
    /// - Returns: `nil` when the feed is being stopped. The thread then ends by itself.
    private mutating func lookUp(_ broker: Int) -> Result<[Endpoint], LinkFailure>? {
        let lookUp = lookUps[broker] ?? LookUp(settings.brokers[broker], wakeUp: control.wakeUp)
        lookUps[broker] = lookUp
        let end = Duration.monotonicNow + settings.openingLimit
        while true {
            control.turnBegan()
            if control.isStopping { return nil }
            if let outcome = lookUp.outcome {
                lookUps[broker] = nil
                return outcome
            }
            if .monotonicNow > end, route.hasMore || route.hasKnown(broker) { return .failure(.lookup(EAI_AGAIN)) }
            control.wakeUp.wait(atMost: Self.turn)
        }
    }

    private mutating func currentSession() throws(MQTTError) -> Session {
        if let session { return session }
        let made = try Session(
            settings, clientID: settings.clientID, keepsSession: true, will: offlineStatus)
        session = made
        return made
    }

    // MARK: Serving

    mutating func begin(on session: Session, after failure: MQTTError?) {
        subscriptions = Subscriptions(Subscriptions.topics.map { (settings.topics[$0], Topic.qualityOfService) })
        backlog = Backlog()
        if let failure, case .connectionLost(.violation) = failure { tellOnce("\(failure); MQTT 3.1.1 is tried") }
    }

    mutating func commit(_ events: SessionEvents, from session: Session) throws(MQTTError) {
        if let answer = events.answer, answer.refusal == nil {
            delegate.sessionBegan(
                FeedSession(
                    clientID: settings.clientID, broker: session.broker.description, isResumed: answer.knowsSession))
        }
        try store(events)
        outbox.confirm(events.acknowledged)
        backlog.confirm(events)
        record(events.refused, session)
    }

    mutating func handshake(_ events: SessionEvents, on session: Session, since start: Duration) throws(MQTTError) {
        if events.answer != nil {
            recordTerms(of: session)
            try subscriptions.request(from: session)
            outbox.connectionIsNew()
        }
        if try subscriptions.confirm(events.subscriptions) {
            subscribedSince = .monotonicNow
            backlog.subscribed(at: .monotonicNow)
            if markerRest.isOver(at: .monotonicNow) { try backlog.requestMarker(from: session) }
            route.connected()
            let weak = Subscriptions.topics.filter { subscriptions.weak.contains(settings.topics[$0]) }
            faults.subscribed(weak: weak + session.sentAtQoS0, settings.topics)
            delegate.connectionChanged(to: .subscribed)
        }
        try backlog.sendMarkerIfDue(with: session)
        guard subscribedSince == nil else {
            recordHeldTime()
            recordAnswers(of: session)
            return reportFaults()
        }
        let spent = Duration.monotonicNow - start
        let isDetour = route.hasMore
        let limit = isDetour ? min(settings.detourLimit, settings.handshakeLimit) : settings.handshakeLimit
        if spent > limit { throw .timedOut(waitingFor: .handshake) }
        if isDetour, session.isOpening, spent > settings.openingLimit {
            throw session.lost(.system(SystemError(code: ETIMEDOUT)))
        }
    }

    /// The last receipts, the offline status and DISCONNECT end it. Without a DISCONNECT the broker publishes the will,
    /// which has the same content.
    mutating func send(_ requests: FeedControl.Requests, on session: Session, until end: Duration?) throws(MQTTError) {
        outbox.record(requests)
        guard session.isAccepted else { return }
        if end == nil { try outbox.sendStatus(with: session) }
        try outbox.sendReceipts(with: session)
        if end != nil { try outbox.sayGoodbye(offlineStatus, with: session) }
    }

    /// Records and logs what the broker has granted.
    private mutating func recordTerms(of session: Session) {
        if session.hasGoneBack { log("MQTT 3.1.1 is spoken with \(session.broker), and 5 is asked for again tomorrow") }
        guard let granted = session.granted else {
            return faults.accepted(sessionExpiry: nil, asked: settings.sessionExpiry)
        }
        // A broker that reports no expiry uses the one that was asked for.
        let expiry = granted.sessionExpiry.map { Duration.seconds($0) } ?? settings.sessionExpiry
        faults.accepted(sessionExpiry: expiry, asked: settings.sessionExpiry)
        if expiry < settings.sessionExpiry {
            tellOnce(
                "\(session.broker) keeps the session for \(expiry.components.seconds) s; "
                    + "\(settings.sessionExpiry.components.seconds) s were asked for")
        }
    }

    private mutating func record(_ refused: [SessionEvents.Refused], _ session: Session) {
        for message in refused {
            if let reason = message.reason {
                tellOnce(MQTTError.publicationRefused(topic: message.topic, reason).description)
            } else if let limit = session.granted?.maximumPacketSize {
                faults.tooLarge(for: Int(limit))
                tellOnce(
                    "a message for \"\(message.topic)\" is larger than the \(limit) bytes that the broker takes: not sent"
                )
            }
        }
    }

    private mutating func tellOnce(_ line: String) {
        // A broker may give reasons without end.
        guard told.count < 100, told.insert(line).inserted else { return }
        log(line)
    }

    private mutating func reportFaults() {
        if let news = faults.news(at: .monotonicNow) { delegate.faultsChanged(to: news) }
    }
}
