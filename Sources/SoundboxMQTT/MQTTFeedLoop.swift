import SoundboxCore
import SoundboxSystem
import Synchronization

/// The feed's thread: connects, serves the connection until it ends, waits, and connects again.
struct MQTTFeedLoop {
    let settings: MQTTSettings
    let offlineStatus: [UInt8]
    let control: FeedControl
    let delegate: any PaymentFeedDelegate
    let log: @Sendable (String) -> Void

    /// Outlives connections, because it keeps the publications that the broker has not acknowledged.
    private var client: MQTTClient?
    private var outbox: FeedOutbox
    private var backoff = Backoff()
    /// Attempts alternate between the families until one succeeds: either may lead nowhere. IPv4 comes first, since most
    /// shops' networks have it.
    private var family = AddressFamily.ipv4
    private var faults: FaultWatch
    private var isStrangeTopicTold = false
    /// Whether the broker has had a session of this box since the start.
    private var hasSession = false
    /// When this connection got its subscriptions.
    private var subscribedSince: Duration?

    /// The longest time between two turns.
    static let turn: Duration = .seconds(1)
    /// The same while there is nothing to wait for but news, which end a turn: each wakes the processor. A third of the
    /// time that the watchdog's patience gives a turn.
    static let quietTurn: Duration = .seconds(10)

    init(
        settings: MQTTSettings, offlineStatus: [UInt8], control: FeedControl, delegate: any PaymentFeedDelegate,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.offlineStatus = offlineStatus
        self.control = control
        self.delegate = delegate
        self.log = log
        outbox = FeedOutbox(delegate: delegate, log: log)
        faults = FaultWatch(clientID: settings.clientID)
    }

    /// Blocks until the feed has been stopped.
    mutating func run() {
        while !control.isStopping {
            delegate.connectionChanged(to: .connecting)
            subscribedSince = nil
            isStrangeTopicTold = false
            do {
                guard let client = try dial() else { break }
                try serve(client)
            } catch {
                client?.drop()
                guard !control.isStopping else { break }
                faults.evictions.ended(
                    after: subscribedSince.map { .monotonicNow - $0 },
                    byBroker: error == .connectionLost(.link(.closed)))
                reportFaults()
                let delay = backoff.next()
                delegate.connectionChanged(to: .disconnected(reason: error.description, retryIn: delay))
                pause(delay)
            }
        }
        client = nil
        delegate.connectionChanged(to: .stopped)
    }

    // MARK: Connecting

    /// Starts a connection. A thread of its own dials, because the name lookup blocks.
    ///
    /// - Returns: `nil` when the feed is being stopped. The thread then ends by itself, and its socket is closed.
    private mutating func dial() throws(MQTTError) -> MQTTClient? {
        let client = try currentClient()
        try client.checkFiles()

        let dialled = DialledSocket()
        startThread(named: "mqtt-connect") { [family, broker = settings.broker, wakeUp = control.wakeUp] in
            dialled.finish(Result { () throws(LinkFailure) in try Link.dial(broker, first: family) })
            wakeUp.signal()
        }
        while true {
            control.noteTurn()
            if control.isStopping { return nil }
            if let result = dialled.take() {
                family = family.other
                switch result {
                case .success(let socket): try client.begin(on: socket)
                case .failure(let failure): throw client.lost(failure)
                }
                return client
            }
            control.wakeUp.wait(atMost: Self.turn)
        }
    }

    private mutating func currentClient() throws(MQTTError) -> MQTTClient {
        if let client { return client }
        let made = try MQTTClient(
            settings, clientID: settings.clientID, keepsSession: true, will: offlineStatus)
        client = made
        return made
    }

    /// Sleeps until the time has passed or the feed is stopped.
    private func pause(_ delay: Duration) {
        let end = Duration.monotonicNow + delay
        while !control.isStopping, case let rest = end - .monotonicNow, rest > .zero {
            control.noteTurn()
            control.wakeUp.wait(atMost: min(rest, Self.turn))
        }
    }

    // MARK: Serving

    /// Serves one connection. Returns when the feed has been stopped; throws when the connection has to be given up.
    private mutating func serve(_ client: MQTTClient) throws(MQTTError) {
        var subscriptions = Subscriptions(topics: settings.topics)
        var farewell: Farewell?
        let handshakeEnd = Duration.monotonicNow + settings.handshakeLimit

        while true {
            control.noteTurn()
            let isQuiet = subscribedSince != nil && farewell == nil
            let outcome = Result { () throws(MQTTError) in
                try client.read(
                    waitingAtMost: isQuiet ? min(Self.quietTurn, client.timeToPing) : Self.turn,
                    wakeUp: control.wakeUp)
            }
            // Comes first, even when the connection has just broken: a message at QoS 0 is never sent again.
            let events = client.takeEvents()
            try commit(events)
            if let code = events.connectionCode, code != 0 {
                throw .refused(broker: client.broker, .init(code: code))
            }
            outbox.confirm(events.acknowledged)
            farewell?.confirm(events.acknowledged)
            try outcome.get()

            if events.connectionCode == 0 {
                noteSession(isKnown: events.brokerKnowsSession)
                try subscriptions.request(from: client)
                outbox.connectionIsNew()
                family = family.other  // This attempt's addresses are good: the next one begins with them.
            }
            if try subscriptions.confirm(events.subscriptions) {
                subscribedSince = .monotonicNow
                faults.subscribed(weak: subscriptions.weak, settings.topics)
                delegate.connectionChanged(to: .subscribed)
            }
            if let subscribedSince {
                // A connection that ends at once proves nothing: two boxes with one client id evict each other.
                let held = Duration.monotonicNow - subscribedSince
                if held >= backoff.maximum, !faults.evictions.isSuspected { backoff.reset() }
                faults.evictions.holds(for: held)
                reportFaults()
            } else if Duration.monotonicNow > handshakeEnd {
                throw .timedOut(waitingFor: .handshake)
            }

            let requests = control.takeRequests()
            outbox.note(requests)
            if requests.isStopping, farewell == nil {
                guard client.isAccepted else { return }
                farewell = Farewell(end: .monotonicNow + settings.farewellLimit)
            }
            if client.isAccepted {
                if farewell == nil { try outbox.sendStatus(with: client) }
                try outbox.sendReceipts(with: client)
                try farewell?.proceed(client, outbox: outbox, status: offlineStatus)
            }
            try client.ping()
            // Everything leaves from here, PUBACKs included. Every message read so far has been committed.
            try client.write()
            if let farewell, farewell.isOver(client) { return }
        }
    }

    /// Has the delegate store what arrived, and note what was too large.
    private mutating func commit(_ events: ClientEvents) throws(MQTTError) {
        var batch: [FeedMessage] = []
        batch.reserveCapacity(events.messages.count)
        for message in events.messages {
            guard let topic = topic(message.topic) else { continue }
            batch.append(FeedMessage(topic: topic, payload: message.payload, isRetained: message.isRetained))
            // What is retained is sent at the QoS that it was published with as well, but kept by the broker.
            if topic == .payments, message.qos == 0, !message.isRetained { faults.noticeCameAtQoS0(at: .monotonicNow) }
        }
        do {
            if !batch.isEmpty { try delegate.commit(batch) }
            for message in events.oversized {
                guard let topic = topic(message.topic) else { continue }
                try delegate.skipped(topic, bytes: message.bytes)
            }
        } catch {
            throw .refusedByBox(reason: "\(error)")
        }
        // Otherwise two boxes with one client id would evict each other twice a second while payments arrive.
        if !batch.isEmpty, !faults.evictions.isSuspected { backoff.reset() }
    }

    /// - Returns: `nil` for a topic that this box never subscribed to. The first one of a connection is logged.
    private mutating func topic(_ name: String) -> FeedMessage.Topic? {
        switch settings.topics.topic(named: name) {
        case .payments: return .payments
        case .commands: return .commands
        case .receipts, .status, .probe, nil:
            if !isStrangeTopicTold {
                let name = String(name.unicodeScalars.prefix(200))
                log("a message on \"\(name)\" is none of this box's business: ignored")
            }
            isStrangeTopicTold = true
            return nil
        }
    }

    /// Logs that the broker has lost the session, or that a client with the same id made it drop the session. Whatever
    /// was waiting in it is lost.
    private mutating func noteSession(isKnown: Bool) {
        if hasSession, !isKnown {
            log(
                "the broker has forgotten this box's session: what was sent while the box was away is lost there; "
                    + "publish again whatever has no receipt")
        }
        hasSession = true
    }

    private mutating func reportFaults() {
        if let news = faults.news(at: .monotonicNow) { delegate.faultsChanged(to: news) }
    }
}
