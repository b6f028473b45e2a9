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

    /// Kept over reconnects, because it keeps the publications that the broker has not acknowledged.
    private var client: MosquittoClient?
    private var outbox: FeedOutbox
    private var backoff = Backoff()
    /// Attempts alternate until one succeeds: either family may lead nowhere. IPv4 first, as shop networks are.
    private var family = AddressFamily.ipv4

    /// The longest time between two turns.
    static let turn: Duration = .seconds(1)

    init(
        settings: MQTTSettings, offlineStatus: [UInt8], control: FeedControl, delegate: any PaymentFeedDelegate,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.offlineStatus = offlineStatus
        self.control = control
        self.delegate = delegate
        self.log = log
        outbox = FeedOutbox(topics: settings.topics, delegate: delegate, log: log)
    }

    /// Returns when the feed has been stopped. Blocks.
    mutating func run() {
        while !control.isStopping {
            delegate.connectionChanged(to: .connecting)
            do {
                guard let client = try dial() else { break }
                try serve(client)
            } catch {
                client?.drop()
                guard !control.isStopping else { break }
                let delay = backoff.next()
                delegate.connectionChanged(to: .disconnected(reason: error.description, retryIn: delay))
                pause(delay)
            }
        }
        client = nil
        delegate.connectionChanged(to: .stopped)
    }

    // MARK: Connecting

    /// Starts a connection, on a thread of its own because the name lookup blocks.
    ///
    /// - Returns: `nil` when the feed is being stopped; the thread then finishes alone and releases the client.
    private mutating func dial() throws(MQTTError) -> MosquittoClient? {
        let client = try currentClient()

        final class Outcome: Sendable { let result = Mutex<Result<Void, MQTTError>?>(nil) }
        let outcome = Outcome()
        startThread(named: "mqtt-connect") { [family, wakeUp = control.wakeUp] in
            let result = Result { () throws(MQTTError) in try client.connect(family) }
            outcome.result.withLock { $0 = result }
            wakeUp.signal()
        }
        while true {
            control.noteTurn()
            if control.isStopping { return nil }
            if let result = outcome.result.withLock({ $0 }) {
                family = family.other
                try result.get()
                return client
            }
            control.wakeUp.wait(atMost: Self.turn)
        }
    }

    private mutating func currentClient() throws(MQTTError) -> MosquittoClient {
        if let client { return client }
        let made = try MosquittoClient(
            settings, clientID: settings.clientID, keepsSession: true,
            will: .init(topic: settings.topics.status, payload: offlineStatus))
        client = made
        return made
    }

    /// Sleeps, unless the feed is stopped meanwhile.
    private func pause(_ delay: Duration) {
        let end = Duration.monotonicNow + delay
        while !control.isStopping, case let rest = end - .monotonicNow, rest > .zero {
            control.noteTurn()
            control.wakeUp.wait(atMost: min(rest, Self.turn))
        }
    }

    // MARK: Serving

    /// Serves one connection. Returns when the feed has been stopped; throws when the connection is to be given up.
    private mutating func serve(_ client: MosquittoClient) throws(MQTTError) {
        var subscriptions = Subscriptions(topics: settings.topics)
        var farewell: Farewell?
        let handshakeEnd = Duration.monotonicNow + settings.handshakeLimit
        var subscribedSince: Duration?

        while true {
            control.noteTurn()
            let outcome = Result { () throws(MQTTError) in
                try client.read(waitingAtMost: Self.turn, wakeUp: control.wakeUp)
            }
            // First of all, also when the connection has just broken: what came with QoS 0 is not sent again.
            let events = client.takeEvents()
            try commit(events.messages)
            if let code = events.connectionCode, code != 0 {
                throw .refused(broker: client.broker, reason: MosquittoReasons.refusal(code))
            }
            outbox.confirm(events.acknowledged)
            farewell?.confirm(events.acknowledged)
            try outcome.get()

            if events.connectionCode == 0 {
                try subscriptions.request(from: client)
                outbox.connectionIsNew()
                family = family.other  // This attempt's addresses are good: the next one begins with them.
            }
            if try subscriptions.confirm(events.subscriptions, log: log) {
                subscribedSince = .monotonicNow
                delegate.connectionChanged(to: .subscribed)
            }
            if let subscribedSince {
                // A connection that ends at once proves nothing: two boxes of one client id evict each other.
                if Duration.monotonicNow - subscribedSince >= backoff.maximum { backoff.reset() }
            } else if Duration.monotonicNow > handshakeEnd {
                throw .timedOut(waitingFor: "the broker's answer")
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
                try farewell?.proceed(client, outbox: outbox, topic: settings.topics.status, status: offlineStatus)
            }
            try client.keepAlive()
            // The one place from which anything leaves, PUBACKs included: every message read so far is committed.
            try client.write()
            if let farewell, farewell.isOver(client) { return }
        }
    }

    /// Has the delegate store what arrived.
    private mutating func commit(_ messages: [MosquittoEvents.Message]) throws(MQTTError) {
        var batch: [FeedMessage] = []
        batch.reserveCapacity(messages.count)
        for message in messages {
            let topic: FeedMessage.Topic
            switch message.topic {
            case settings.topics.payments: topic = .payments
            case settings.topics.commands: topic = .commands
            default:
                log("a message on \"\(message.topic)\" is none of this box's business: ignored")
                continue
            }
            batch.append(FeedMessage(topic: topic, payload: message.payload, isRetained: message.isRetained))
        }
        guard !batch.isEmpty else { return }
        do {
            try delegate.commit(batch)
        } catch {
            throw .refusedByBox(reason: "\(error)")
        }
        backoff.reset()
    }
}
