import Glibc
import SoundboxCore
import SoundboxSystem

/// An MQTT client of one session, over any number of successive connections. It speaks MQTT 5 or 3.1.1, for each
/// address separately: see ``ProtocolVersions``.
///
/// Only ``write()`` writes to the network; every answer is queued first. So a PUBACK is not sent before the message
/// that it acknowledges is on disk. Only ``read(waitingAtMost:wakeUp:limit:)`` blocks.
final class Session {
    /// The broker of the last attempt.
    var broker: BrokerAddress
    private let brokers: [BrokerAddress]
    let topics: Topics
    /// A subscription that the client has, for ``ping()``.
    var keepAliveFilter: String
    private let tls: MQTTSettings.TLS?
    private let login: Login
    private let stallLimit: Duration
    private var protocols: ProtocolVersions<Endpoint>

    // MARK: State of one connection

    /// `nil` while there is none.
    private var connection: Connection?
    private var endpoint: Endpoint?
    private(set) var version: ProtocolVersion
    /// The broker's terms when it accepted; `nil` before that, and in MQTT 3.1.1.
    private(set) var granted: BrokerTerms?
    /// Whether this connection found that the broker speaks only 3.1.1.
    private(set) var hasGoneBack = false
    /// Why MQTT 5 was refused in this attempt, which now tries 3.1.1.
    private var refusal: MQTTError?
    /// Whether more may have arrived than was read. The next turn then does not sleep.
    private var mayHaveMore = false

    // MARK: State that outlives a connection

    private var events = SessionEvents()
    /// Publications that the broker has not acknowledged, in order of sending. They are sent again after the next
    /// CONNACK, in the version of that connection.
    private var unacknowledged: [Publication] = []
    private struct Publication {
        var id: Int
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
        var expiry: Int?
        /// The connection's id for it; `nil` until it is given to this connection.
        var underWay: Int32?
    }
    private var lastID = 0

    /// Makes a client that is not connected.
    ///
    /// - Parameters:
    ///   - settings: the broker, the credentials and the keep-alive.
    ///   - keepsSession: whether the broker keeps subscriptions and undelivered messages while the client is away.
    ///   - will: what the broker publishes on the status topic when the client vanishes.
    init(
        _ settings: MQTTSettings, clientID: String, keepsSession: Bool, will: [UInt8]?
    ) throws(MQTTError) {
        brokers = settings.brokers
        guard let first = brokers.first else { throw .invalidSettings(.noBroker) }
        broker = first
        topics = settings.topics
        keepAliveFilter = settings.topics[.payments]
        tls = settings.tls
        stallLimit = settings.stallLimit
        protocols = ProtocolVersions(settings.protocolChoice, avoids5: settings.avoids5)
        version = settings.protocolChoice == .v311 ? .v311 : .v5
        if settings.username == nil, settings.password != nil {
            throw .invalidSettings(.passwordWithoutUsername)
        }
        let fields: [(MQTTError.Field, bytes: Int)] = [
            (.clientID, clientID.utf8.count), (.username, settings.username?.utf8.count ?? 0),
            (.password, settings.password?.utf8.count ?? 0), (.lastWill, will?.count ?? 0),
        ]
        for (field, bytes) in fields where bytes > Int(UInt16.max) {
            throw .invalidSettings(.tooLong(field, bytes: bytes))
        }
        login = Login(
            clientID: clientID, keepsSession: keepsSession,
            sessionExpiry: UInt32(clamping: settings.sessionExpiry.components.seconds),
            keepAlive: UInt16(clamping: max(settings.keepAlive, MQTTSettings.leastKeepAlive).components.seconds),
            will: will.map { (settings.topics[.status], $0) }, username: settings.username,
            password: settings.password)
    }

    /// Checks that the files in the settings can be read. Call it before each connection: a file may appear or
    /// disappear.
    func checkFiles() throws(MQTTError) {
        guard let tls else { return }
        if (tls.certFile == nil) != (tls.keyFile == nil) {
            throw .invalidSettings(.certificateWithoutKey)
        }
        let files: [(MQTTError.CredentialFile, path: String?)] = [
            (.authorities, tls.caFile), (.certificate, tls.certFile), (.key, tls.keyFile),
        ]
        for (file, path) in files {
            guard let path else { continue }
            guard access(path, R_OK) == 0 else {
                throw .invalidSettings(.unreadable(file, path: path, SystemError.last))
            }
            // A pipe would block the connection until somebody writes into it.
            var attributes = stat()
            guard stat(path, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFREG else {
                throw .invalidSettings(
                    .unusable(file, path: path, reason: "it is no file, but a pipe, folder or device"))
            }
        }
    }

    // MARK: Connecting

    /// Begins a connection. Publications that the broker has not acknowledged are kept.
    func begin(to endpoint: Endpoint) throws(MQTTError) {
        drop()
        self.endpoint = endpoint
        version = protocols.version(for: endpoint, at: .monotonicNow)
        granted = nil
        hasGoneBack = false
        mayHaveMore = false
        // Results of the last connection that were not reported yet.
        var rest = SessionEvents()
        (rest.acknowledged, rest.refused) = (events.acknowledged, events.refused)
        events = rest
        for index in unacknowledged.indices { unacknowledged[index].underWay = nil }
        do throws(MQTTError.Loss) {
            connection = try Connection(to: endpoint, of: broker, login, version, tls)
        } catch { throw ended(error) }
    }

    /// Connects a client without a feed to the first address that accepts. Blocks during name lookups, and then for
    /// ``openingLimit`` for each address that does not answer.
    ///
    /// - Parameter openingLimit: for TCP alone. The last address may take longer: its connection may not be open yet.
    func connect(openingLimit: Duration = .seconds(5)) throws(MQTTError) {
        try checkFiles()
        var failure: MQTTError?
        for (place, broker) in brokers.enumerated() {
            self.broker = broker
            let endpoints: [Endpoint]
            do { endpoints = try Endpoint.lookUp(broker) } catch {
                failure = failure ?? lost(error)
                continue
            }
            for (index, endpoint) in endpoints.enumerated() {
                let isLast = place == brokers.count - 1 && index == endpoints.count - 1
                do throws(MQTTError) {
                    try begin(to: endpoint)
                    if isLast { return }
                    try open(until: .monotonicNow + openingLimit)
                    return
                } catch .invalidSettings(let fault) {
                    throw .invalidSettings(fault)
                } catch {
                    drop()
                    failure = failure ?? error
                }
            }
        }
        throw failure ?? .invalidSettings(.noBroker)
    }

    private func open(until end: Duration) throws(MQTTError) {
        while isOpening {
            let rest = end - .monotonicNow
            guard rest > .zero else { throw lost(.system(SystemError(code: ETIMEDOUT))) }
            try read(waitingAtMost: rest)
        }
    }

    /// Tries the same address at once with MQTT 3.1.1, if that may be all that the broker speaks.
    ///
    /// - Parameter error: how the attempt, or the connection, has ended.
    /// - Throws: why the attempt is over, unless another connection has been begun.
    func goBack(after error: MQTTError) throws(MQTTError) {
        guard let endpoint else { throw error }
        if isAccepted, case .connectionLost(.violation) = error { protocols.couldNotBeRead(version, from: endpoint) }
        if let failure = failure(shownBy: error), protocols.failed(version, at: endpoint, failure) {
            if case .refused = error { refusal = error }
            return try begin(to: endpoint)
        }
        // A reason says more than a closed connection.
        if case .unreachable = error, let refusal = refusal.take() { throw refusal }
        throw error
    }

    /// - Returns: `nil` when the attempt says nothing about the version.
    private func failure(shownBy error: MQTTError) -> ProtocolVersions<Endpoint>.Failure? {
        // Before CONNECT has been sent, nobody can have refused its version.
        guard !isAccepted, connection?.hasAsked == true else { return nil }
        switch error {
        // It answers in MQTT 5, so it speaks it.
        case .refused(_, .reason(let reason)): return reason.concernsVersion ? .version : nil
        // An answer in the form of 3.1.1.
        case .refused(_, let refusal): return refusal == .protocolVersion ? .version : nil
        case .timedOut: return .silent
        case .unreachable(_, .closed), .unreachable(_, .closedInHandshake), .connectionLost(.violation):
            return .closed
        default: return nil
        }
    }

    /// Ends the connection; queued packets are not sent. The broker publishes the will, and keeps unacknowledged
    /// messages for the next connection.
    func drop() { connection = nil }

    var isConnected: Bool { connection != nil }

    /// Whether TCP is still being established.
    var isOpening: Bool { connection?.isOpening == true }

    /// Whether the broker has accepted the connection.
    var isAccepted: Bool { connection?.isAccepted == true }

    // MARK: Requests

    /// Queues a SUBSCRIBE.
    ///
    /// - Returns: the id that the SUBACK will carry.
    func subscribe(to topic: Topic) throws(MQTTError) -> Int32 { try subscribe(toFilter: topics[topic]) }

    /// Queues a SUBSCRIBE to a topic, or to all that a filter with wildcards fits.
    ///
    /// - Returns: the id that the SUBACK will carry.
    func subscribe(toFilter filter: String, quality: UInt8 = Topic.qualityOfService) throws(MQTTError) -> Int32 {
        guard let connection else { throw lost(.closed) }
        do throws(MQTTError.Loss) { return try connection.subscribe(to: filter, quality: quality) } catch {
            throw ended(error)
        }
    }

    /// Queues a PUBLISH. It is sent when the broker accepts one more at a time.
    ///
    /// - Returns: the id that ``SessionEvents/acknowledged`` will name.
    func publish(_ payload: [UInt8], to topic: Topic) throws(MQTTError) -> Int {
        try publish(payload, toName: topics[topic], isRetained: topic.isRetained)
    }

    /// As ``publish(_:to:)``, on a topic that may be another box's.
    func publish(_ payload: [UInt8], toName topic: String, isRetained: Bool = false, expiry: Int? = nil)
        throws(MQTTError) -> Int
    {
        lastID += 1
        unacknowledged.append(
            Publication(id: lastID, topic: topic, payload: payload, isRetained: isRetained, expiry: expiry))
        try sendPublications()
        return lastID
    }

    /// Drops a publication that the broker has not acknowledged, so that it is not sent again. Call it between two
    /// connections.
    func withdraw(_ id: Int) { unacknowledged.removeAll { $0.id == id } }

    /// As ``withdraw(_:)``, for all of them.
    func withdrawAll() { unacknowledged = [] }

    private func sendPublications() throws(MQTTError) {
        guard let connection, connection.isAccepted else { return }
        let quality = min(Topic.qualityOfService, granted?.maximumQoS ?? 2)
        for index in unacknowledged.indices where unacknowledged[index].underWay == nil {
            let message = unacknowledged[index]
            let id: Int32?
            do throws(MQTTError.Loss) {
                id = try connection.publish(
                    message.payload, to: message.topic, quality: quality,
                    isRetained: message.isRetained && granted?.retainIsAvailable != false, expiry: message.expiry)
            } catch { throw ended(error) }
            unacknowledged[index].underWay = id ?? -1
            if id == nil { events.refused.append(.init(id: message.id, topic: message.topic, reason: nil)) }
            // The broker will not acknowledge these.
            if id == nil || quality == 0 { events.acknowledged.append(message.id) }
        }
        guard !events.acknowledged.isEmpty else { return }
        mayHaveMore = true
        let ended = Set(events.acknowledged)
        unacknowledged.removeAll { ended.contains($0.id) }
    }

    /// The topics of publications that this connection has sent and the broker has not acknowledged.
    var unansweredTopics: [String] { unacknowledged.filter { $0.underWay != nil }.map(\.topic) }

    /// The topics that the box publishes at QoS 0, since the broker accepts nothing above.
    var sentAtQoS0: [Topic] { granted?.maximumQoS == 0 ? [.receipts, .replies] : [] }

    /// Queues a DISCONNECT, after which the broker does not publish the will. Everything queued before it is still
    /// sent, PUBACKs included. To refuse a message use ``drop()``.
    func disconnect() { connection?.disconnect() }

    /// Queues what shows the broker that the client is alive, when that is due. Call it at least every ``timeToPing``.
    ///
    /// - Throws: when the broker has not answered.
    func ping() throws(MQTTError) {
        guard let connection, connection.isAccepted else { return }
        if unansweredPing >= stallLimit { throw .connectionLost(.silence) }
        do throws(MQTTError.Loss) { try connection.keepAlive(bySubscribingTo: keepAliveFilter) } catch {
            throw ended(error)
        }
    }

    /// How long ago the first ``ping()`` was that has had no answer yet, though bytes may have come.
    var unansweredPing: Duration { connection?.pinged.map { .monotonicNow - $0 } ?? .zero }

    /// How long ``ping()`` has nothing to do, if nothing arrives or leaves meanwhile; at least a millisecond.
    var timeToPing: Duration {
        connection.map { max(.milliseconds(1), $0.keepAliveIsDue - .monotonicNow) } ?? .seconds(3600)
    }

    // MARK: Turns

    /// Sleeps until something arrives, queued bytes can be sent, `wakeUp` is signalled or the time has passed. Then
    /// reads what has arrived. Writes nothing except the TLS handshake and, on a new connection, CONNECT.
    ///
    /// - Parameters:
    ///   - limit: reading stops after this many messages, or 1 MiB of payloads.
    /// - Throws: when the connection has ended. ``takeEvents()`` still returns what was read before.
    func read(waitingAtMost timeout: Duration, wakeUp: WakeUp? = nil, limit: Int = 256) throws(MQTTError) {
        guard let connection, let socket = connection.socket else { throw lost(.closed) }
        var waited = [pollfd(fd: socket, events: connection.interest, revents: 0)]
        if let wakeUp { waited.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)) }
        poll(&waited, nfds_t(waited.count), mayHaveMore && !connection.isStalled ? 0 : timeout.pollMilliseconds)
        wakeUp?.clear()
        let outcome = Result { () throws(MQTTError.Loss) in
            try connection.read(Int32(waited[0].revents), isPending: mayHaveMore, limit: limit)
        }
        try collect(from: connection)
        do throws(MQTTError.Loss) { mayHaveMore = try outcome.get() } catch { throw ended(error) }
    }

    private func collect(from connection: Connection) throws(MQTTError) {
        let arrived = connection.takeEvents()
        events.messages += arrived.messages
        events.oversized += arrived.oversized
        events.subscriptions += arrived.subscriptions
        for (id, refusal) in connection.takeAnswers() {
            guard let index = unacknowledged.firstIndex(where: { $0.underWay == id }) else { continue }
            let message = unacknowledged.remove(at: index)
            events.acknowledged.append(message.id)
            if let refusal { events.refused.append(.init(id: message.id, topic: message.topic, reason: refusal)) }
        }
        guard let answer = arrived.answer else { return }
        events.answer = answer
        guard answer.refusal == nil else { return }
        granted = answer.terms
        if let endpoint { hasGoneBack = protocols.accepted(version, by: endpoint, at: .monotonicNow) }
        try sendPublications()
    }

    /// Returns what has happened since the last call.
    func takeEvents() -> SessionEvents {
        defer { events = SessionEvents() }
        return events
    }

    /// Sends as much of the queue as the network takes. From here on PUBACKs may be on the wire.
    func write() throws(MQTTError) {
        guard let connection else { return }
        do throws(MQTTError.Loss) { try connection.write() } catch { throw ended(error) }
        // The DISCONNECT has been sent.
        if connection.socket == nil { drop() }
    }

    // MARK: Failures

    private func ended(_ loss: MQTTError.Loss) -> MQTTError {
        if case .link(let failure) = loss { return lost(failure) }
        return .connectionLost(loss)
    }

    /// The error that a link failure means at this stage.
    func lost(_ failure: LinkFailure) -> MQTTError {
        if case .settings(let fault) = failure { return .invalidSettings(fault) }
        if isAccepted { return .connectionLost(.link(failure)) }
        // In TLS 1.3 the client completes the handshake before the broker checks the client's certificate. Often the
        // only sign that the broker wants one is that it hangs up.
        if failure == .closed, broker.usesTLS {
            return .unreachable(broker: broker, .closedInHandshake)
        }
        return .unreachable(broker: broker, failure)
    }
}
