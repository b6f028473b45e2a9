import Glibc
import SoundboxCore
import SoundboxSystem

/// An MQTT client of one session, over any number of connections, one after the other. It speaks MQTT 5 or 3.1.1, each
/// address its own: see ``ProtocolMemory``.
///
/// Only ``write()`` writes to the network; every answer goes into a queue first. That holds a PUBACK back until the
/// message that it acknowledges is on disk. Only ``read(waitingAtMost:wakeUp:limit:)`` waits.
final class MQTTClient {
    /// The one that the last attempt was about.
    var broker: BrokerAddress
    private let brokers: [BrokerAddress]
    private let topics: Topics
    private let tls: MQTTSettings.TLS?
    private let login: OutgoingPacket.Connect
    private var protocols: ProtocolMemory<Endpoint>

    // MARK: State of one connection

    /// The connection, while there is one.
    var link: Link?
    private var endpoint: Endpoint?
    private(set) var version: ProtocolVersion
    /// Whether the broker has accepted the connection.
    private(set) var isAccepted = false
    /// What the broker said when it accepted; `nil` before that, and in MQTT 3.1.1.
    private(set) var granted: IncomingProperties?
    /// Whether the broker was found to speak 3.1.1 only, by this connection.
    private(set) var hasGoneBack = false
    /// Why the broker has ended the connection, when it has said so.
    private(set) var disconnection: BrokerReason?
    /// Whether more may have arrived than was read. The next turn then does not sleep.
    var mayHaveMore = false
    /// Bytes that were read from the network and not yet parsed.
    var unread: ArraySlice<UInt8> = []
    var reader: PacketReader
    /// The bytes to send. The first `sent` of them have left.
    var outgoing: [UInt8] = []
    var sent = 0
    /// Whether the queue ends with a DISCONNECT.
    private(set) var isDisconnecting = false
    var keepAlive: KeepAlive
    private let ownInterval: Duration

    private var events = ClientEvents()
    private var subscribing: Set<UInt16> = []
    /// Answers to nothing that was asked. A confused broker sends a few; a flood is an attempt to keep the box busy.
    private var strayAnswers = 0
    private static let maximumStrayAnswers = 1_000

    // MARK: State that outlives a connection

    /// What was published and the broker has not acknowledged, in order of sending. It is sent again after the next
    /// CONNACK, in the version that is spoken then.
    private var unacknowledged: [Publication] = []
    private struct Publication {
        var id: UInt16
        var topic: Topic
        var payload: [UInt8]
        /// On any connection.
        var wasSent = false
        /// On this connection.
        var isUnderWay = false
    }
    private var lastID: UInt16 = 0
    /// A message that is too large, and whose end never came on an earlier connection.
    private var interrupted: (head: IncomingPacket.Head, payloadBytes: Int)?
    /// Whether the message that is being skipped has been acknowledged already.
    private var isAcknowledgedEarly = false

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
        tls = settings.tls
        let seconds = UInt16(clamping: max(settings.keepAlive, MQTTSettings.leastKeepAlive).components.seconds)
        ownInterval = .seconds(seconds)
        keepAlive = KeepAlive(interval: ownInterval, start: .zero)
        protocols = ProtocolMemory(settings.protocolChoice)
        version = settings.protocolChoice == .v311 ? .v311 : .v5
        reader = PacketReader(maximumPayloadBytes: PaymentNoticeDecoder.maximumPayloadBytes, version: version)
        if settings.username == nil, settings.password != nil {
            throw .invalidSettings(.passwordWithoutUsername)
        }
        let fields: [(MQTTError.Field, bytes: Int)] = [
            (.clientID, clientID.utf8.count), (.username, settings.username?.utf8.count ?? 0),
            (.password, settings.password?.utf8.count ?? 0), (.lastWill, will?.count ?? 0),
        ]
        for (field, bytes) in fields where bytes > OutgoingPacket.maximumFieldBytes {
            throw .invalidSettings(.tooLong(field, bytes: bytes))
        }
        login = OutgoingPacket.Connect(
            clientID: clientID, keepsSession: keepsSession,
            sessionExpiry: UInt32(clamping: settings.sessionExpiry.components.seconds), keepAlive: seconds,
            will: will.map { .init(topic: settings.topics[.status], payload: $0, isRetained: Topic.status.isRetained) },
            username: settings.username, password: settings.password)
    }

    /// Checks that the files in the settings can be read. Call this before each connection: a file may come or go.
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
            // A pipe would hold the connection up until somebody writes into it.
            var attributes = stat()
            guard stat(path, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFREG else {
                throw .invalidSettings(
                    .unusable(file, path: path, reason: "it is no file, but a pipe, folder or device"))
            }
        }
    }

    /// Begins a connection. Bytes queued for an earlier one are dropped; publications that the broker has not
    /// acknowledged are kept.
    ///
    /// - Parameters:
    ///   - socket: from ``Endpoint/dial()``. The client closes it.
    ///   - endpoint: where it leads to.
    func begin(on socket: Int32, to endpoint: Endpoint) throws(MQTTError) {
        drop()
        self.endpoint = endpoint
        version = protocols.version(for: endpoint, at: .monotonicNow)
        granted = nil
        hasGoneBack = false
        disconnection = nil
        mayHaveMore = false
        unread = []
        reader = PacketReader(maximumPayloadBytes: reader.maximumPayloadBytes, version: version)
        outgoing = OutgoingPacket.connect(login, version)
        sent = 0
        isDisconnecting = false
        keepAlive = KeepAlive(interval: ownInterval, start: .monotonicNow)
        // What was done with on the last connection, and not told yet.
        var rest = ClientEvents()
        (rest.acknowledged, rest.refused) = (events.acknowledged, events.refused)
        events = rest
        for index in unacknowledged.indices { unacknowledged[index].isUnderWay = false }
        subscribing = []
        strayAnswers = 0
        isAcknowledgedEarly = false
        do { link = try Link(socket: socket, to: broker, settings: tls) } catch { throw lost(error) }
    }

    /// Connects a client that no feed drives to the first address that takes it. Blocks while names are looked up, and
    /// then for ``openingLimit`` for each address that does not answer.
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
                    let socket: Int32
                    do { socket = try endpoint.dial() } catch { throw lost(error) }
                    try begin(on: socket, to: endpoint)
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

    /// Tries the same address at once with MQTT 3.1.1, where that may be all that the broker speaks.
    ///
    /// - Parameter error: how the attempt has ended.
    /// - Returns: whether a connection has been begun. The attempt is over otherwise.
    func goBack(after error: MQTTError) throws(MQTTError) -> Bool {
        // Before CONNECT has left, nobody can have refused its version.
        guard !isAccepted, let endpoint, let link, link.stage == .open, sent > 0 || outgoing.isEmpty
        else { return false }
        let failure: ProtocolMemory<Endpoint>.Failure
        switch error {
        case .refused(_, .reason(let reason)):
            // It answers in MQTT 5, so it speaks that.
            guard reason.concernsVersion else { return false }
            failure = .version
        // An answer in the form of 3.1.1; to MQTT 5 that refuses the version, whatever it says.
        case .refused(_, let refusal):
            guard version == .v5 || refusal == .protocolVersion else { return false }
            failure = .version
        case .timedOut: failure = .silent
        case .unreachable(_, .closed), .unreachable(_, .closedInHandshake), .connectionLost(.violation):
            failure = .closed
        default: return false
        }
        guard protocols.failed(version, at: endpoint, failure) else { return false }
        let socket: Int32
        do { socket = try endpoint.dial() } catch { throw lost(error) }
        try begin(on: socket, to: endpoint)
        return true
    }

    private func open(until end: Duration) throws(MQTTError) {
        while isOpening {
            let rest = end - .monotonicNow
            guard rest > .zero else { throw lost(.system(SystemError(code: ETIMEDOUT))) }
            try read(waitingAtMost: rest)
        }
    }

    /// Ends the connection and sends nothing that is queued. The broker publishes the will, and keeps what was not
    /// acknowledged for the next connection.
    func drop() {
        interrupted = reader.skipping ?? interrupted
        isAccepted = false
        link = nil
    }

    var isConnected: Bool { link != nil }

    /// Whether TCP is still being established.
    var isOpening: Bool { link?.stage == .opening }

    // MARK: Requests

    /// Queues a SUBSCRIBE.
    ///
    /// - Returns: the packet id that the SUBACK will carry.
    func subscribe(to topic: Topic) throws(MQTTError) -> UInt16 {
        let id = try freeID()
        subscribing.insert(id)
        outgoing += OutgoingPacket.subscribe(to: topics[topic], id: id, version)
        return id
    }

    /// Queues a PUBLISH. It leaves when the broker takes one more at a time.
    ///
    /// - Returns: the packet id that ``ClientEvents/acknowledged`` will name.
    func publish(_ payload: [UInt8], to topic: Topic) throws(MQTTError) -> UInt16 {
        let id = try freeID()
        unacknowledged.append(Publication(id: id, topic: topic, payload: payload))
        sendPublications()
        return id
    }

    /// Queues what waits to be published, within what the broker has said that it takes.
    private func sendPublications() {
        guard isAccepted else { return }
        let isQoS0 = granted?.maximumQoS == 0
        var room = Int(granted?.receiveMaximum ?? .max) - unacknowledged.count { $0.isUnderWay }
        var ended: Set<UInt16> = []
        for index in unacknowledged.indices where room > 0 && !unacknowledged[index].isUnderWay {
            let message = unacknowledged[index]
            let packet = OutgoingPacket.publish(
                message.payload, to: topics[message.topic], id: isQoS0 ? nil : message.id,
                isRetained: message.topic.isRetained && granted?.retainIsAvailable != false,
                isAgain: !isQoS0 && message.wasSent, version)
            let isTooLarge = granted?.maximumPacketSize.map { packet.count > Int($0) } ?? false
            if isTooLarge {
                events.refused.append(.init(id: message.id, topic: message.topic, reason: nil))
            } else {
                outgoing += packet
            }
            guard isTooLarge || isQoS0 else {
                unacknowledged[index].wasSent = true
                unacknowledged[index].isUnderWay = true
                room -= 1
                continue
            }
            // The broker will say nothing about it.
            ended.insert(message.id)
            events.acknowledged.append(message.id)
            mayHaveMore = true
        }
        if !ended.isEmpty { unacknowledged.removeAll { ended.contains($0.id) } }
    }

    private func freeID() throws(MQTTError) -> UInt16 {
        for _ in 1...UInt16.max {
            lastID = lastID == .max ? 1 : lastID + 1
            if !subscribing.contains(lastID), !unacknowledged.contains(where: { $0.id == lastID }) { return lastID }
        }
        throw .timedOut(waitingFor: .packetID)
    }

    /// Queues a DISCONNECT, after which the broker does not publish the will. Everything queued before it still leaves,
    /// PUBACKs included. To refuse a message use ``drop()``.
    func disconnect() {
        outgoing += OutgoingPacket.disconnect
        isDisconnecting = true
    }

    /// Queues a PINGREQ when one is due. Call this at least every few seconds.
    ///
    /// - Throws: when the last one was not answered.
    func ping() throws(MQTTError) {
        guard isAccepted, link != nil else { return }
        switch keepAlive.check(at: .monotonicNow) {
        case .alive: break
        case .pingIsDue: outgoing += OutgoingPacket.pingreq
        case .dead: throw .connectionLost(.silence)
        }
    }

    /// How long ``ping()`` has nothing to do, if nothing arrives or leaves meanwhile; a millisecond at least.
    var timeToPing: Duration { max(.milliseconds(1), keepAlive.nextVerdict - .monotonicNow) }

    // MARK: Arrivals

    /// Returns what has happened since the last call.
    func takeEvents() -> ClientEvents {
        defer { events = ClientEvents() }
        return events
    }

    /// Whether enough has been read that it should be stored before anything more is read.
    func isFull(_ limit: Int) -> Bool {
        events.messages.count + events.oversized.count >= limit || events.messageBytes >= 1 << 20
    }

    func take(_ packet: IncomingPacket) throws(ProtocolViolation) {
        if case .connack(let code, let knowsSession, let properties) = packet {
            guard events.answer == nil, !isAccepted else { throw ProtocolViolation("a second CONNACK") }
            var answer = ClientEvents.Answer(code: code, knowsSession: knowsSession, properties: properties)
            // Whoever accepts MQTT 5 in the form of 3.1.1 has not looked at the version, and would not understand the rest.
            if version == .v5, properties == nil, code == 0 { answer.code = 0x01 }
            events.answer = answer
            guard answer.code == 0 else { return }
            accepted(properties)
            return
        }
        guard isAccepted else { throw ProtocolViolation("something before it has accepted the connection") }
        switch packet {
        case .connack: break
        case .publish(let head, let payload):
            events.messages.append(
                .init(
                    topic: head.topic, payload: payload, qos: head.qos, isRetained: head.isRetained,
                    expiry: head.expiry))
            events.messageBytes += payload.count
            outgoing += OutgoingPacket.acknowledgement(of: head)
        case .oversized(let head, let bytes):
            // Like any message it is acknowledged at its end. On its second attempt it is acknowledged at its beginning: on
            // a connection too short for its end, it would otherwise come for ever.
            guard let interrupted, interrupted.head.topic == head.topic, interrupted.payloadBytes == bytes else {
                break
            }
            skip(head, bytes)
            isAcknowledgedEarly = true
        case .skipped(let head, let bytes):
            if !isAcknowledgedEarly { skip(head, bytes) }
            isAcknowledgedEarly = false
            interrupted = nil
        case .puback(let id, let reason):
            guard let index = unacknowledged.firstIndex(where: { $0.id == id }) else { return try noteStrayAnswer() }
            let message = unacknowledged.remove(at: index)
            events.acknowledged.append(id)
            if let reason { events.refused.append(.init(id: id, topic: message.topic, reason: reason)) }
            sendPublications()
        case .suback(let id, let granted, let reason):
            guard subscribing.remove(id) != nil else { return try noteStrayAnswer() }
            events.subscriptions.append((id, granted, reason))
        case .disconnect(let reason): disconnection = reason
        case .pubrel(let id):
            // The end of a message at QoS 2. Nobody subscribed to that, but it is taken.
            outgoing += OutgoingPacket.pubcomp(id)
        case .pingresp:
            if !keepAlive.answered() { try noteStrayAnswer() }
        }
    }

    private func accepted(_ properties: IncomingProperties?) {
        isAccepted = true
        granted = properties
        if let endpoint {
            hasGoneBack = protocols.accepted(version, by: endpoint, at: .monotonicNow)
        }
        // A client may ask more often than the broker wants to hear of it (MQTT 5, section 3.1.2.10), not less often.
        if let seconds = properties?.serverKeepAlive, seconds > 0, .seconds(seconds) < ownInterval {
            keepAlive = KeepAlive(interval: .seconds(seconds), start: .monotonicNow)
        }
        sendPublications()
    }

    private func skip(_ head: IncomingPacket.Head, _ bytes: Int) {
        events.oversized.append(.init(topic: head.topic, bytes: bytes))
        outgoing += OutgoingPacket.acknowledgement(of: head)
    }

    private func noteStrayAnswer() throws(ProtocolViolation) {
        strayAnswers += 1
        if strayAnswers > Self.maximumStrayAnswers { throw ProtocolViolation("a flood of answers to nothing") }
    }
}
