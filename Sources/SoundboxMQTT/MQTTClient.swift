import Glibc
import SoundboxCore
import SoundboxSystem

/// An MQTT 3.1.1 client for one broker, over any number of connections, one after the other.
///
/// Nothing is written to the network except by ``write()``: whatever arrives is answered into a queue. That is what keeps
/// a PUBACK back until the message it acknowledges is on disk. Nothing waits except ``read(waitingAtMost:wakeUp:limit:)``.
final class MQTTClient {
    let broker: BrokerAddress
    private let tls: MQTTSettings.TLS?
    private let connectPacket: [UInt8]

    // MARK: One connection's

    /// The connection, while there is one.
    var link: Link?
    /// The broker has accepted the connection.
    private(set) var isAccepted = false
    /// More may be waiting than has been read: come back without sleeping.
    var mayHaveMore = false
    /// What has been read from the network, and not yet looked at.
    var unread: ArraySlice<UInt8> = []
    var reader: PacketReader
    /// What is to be sent, up to `sent` of which has been.
    var outgoing: [UInt8] = []
    var sent = 0
    /// Nothing follows what is queued.
    private(set) var isDisconnecting = false
    var keepAlive: KeepAlive

    private var events = ClientEvents()
    private var subscribing: Set<UInt16> = []
    /// Answers to nothing. A few come from a broker's own muddle; a flood of them is meant to keep the box busy.
    private var strayAnswers = 0
    private static let maximumStrayAnswers = 1_000

    // MARK: Kept over connections

    /// What the broker has not acknowledged, in the order of sending: sent again after the next CONNACK.
    private var unacknowledged: [(id: UInt16, packet: [UInt8])] = []
    private var lastID: UInt16 = 0
    /// A message that is too large, and whose end was not reached on a connection that has gone.
    private var interrupted: (head: IncomingPacket.Head, payloadBytes: Int)?
    /// The message that is being skipped has been acknowledged already.
    private var isAcknowledgedEarly = false

    /// Makes a client that is not connected.
    ///
    /// - Parameters:
    ///   - settings: the broker, the credentials and the keep-alive.
    ///   - keepsSession: the broker keeps subscriptions and undelivered messages while the client is away.
    ///   - will: what the broker publishes, retained, when the client vanishes.
    init(
        _ settings: MQTTSettings, clientID: String, keepsSession: Bool, will: OutgoingPacket.Will?
    ) throws(MQTTError) {
        broker = settings.broker
        tls = settings.tls
        let seconds = UInt16(clamping: max(5, settings.keepAlive.components.seconds))
        keepAlive = KeepAlive(interval: .seconds(seconds), start: .zero)
        reader = PacketReader(maximumPayloadBytes: settings.maximumPayloadBytes)
        if settings.username == nil, settings.password != nil {
            throw .invalidSettings(reason: "a broker password needs a user name beside it (username)")
        }
        for (name, bytes) in [
            ("client id", clientID.utf8.count), ("user name", settings.username?.utf8.count ?? 0),
            ("broker password", settings.password?.utf8.count ?? 0), ("last will", will?.payload.count ?? 0),
        ] where bytes > OutgoingPacket.maximumFieldBytes {
            throw .invalidSettings(
                reason: "the \(name) has \(bytes) bytes; MQTT allows \(OutgoingPacket.maximumFieldBytes)")
        }
        connectPacket = OutgoingPacket.connect(
            clientID: clientID, keepsSession: keepsSession, keepAlive: seconds, will: will,
            username: settings.username, password: settings.password)
    }

    /// Looks at the files that the settings name. To be called before each connection: one may have come or gone.
    func checkFiles() throws(MQTTError) {
        guard let tls else { return }
        if (tls.certFile == nil) != (tls.keyFile == nil) {
            throw .invalidSettings(reason: "a client certificate and its key go together (cert_file, key_file)")
        }
        for (name, file) in [("CA", tls.caFile), ("certificate", tls.certFile), ("key", tls.keyFile)] {
            guard let file, access(file, R_OK) != 0 else { continue }
            throw .invalidSettings(
                reason: "cannot read the broker's \(name) file \"\(file)\": \(SystemError(code: errno))")
        }
    }

    /// Begins a connection. What was queued for an earlier one is dropped unsent; publications that the broker has not
    /// acknowledged are kept.
    ///
    /// - Parameter socket: what ``Link/dial(_:first:)`` returned; the client closes it.
    func begin(on socket: Int32) throws(MQTTError) {
        drop()
        mayHaveMore = false
        unread = []
        reader = PacketReader(maximumPayloadBytes: reader.maximumPayloadBytes)
        outgoing = connectPacket
        sent = 0
        isDisconnecting = false
        keepAlive = KeepAlive(interval: keepAlive.interval, start: .monotonicNow)
        events = ClientEvents()
        subscribing = []
        strayAnswers = 0
        isAcknowledgedEarly = false
        do { link = try Link(socket: socket, to: broker, settings: tls) } catch { throw lost(error) }
    }

    /// Connects. For clients that nobody else drives: blocks while the name is looked up, see ``Link/dial(_:first:)``.
    func connect() throws(MQTTError) {
        try checkFiles()
        let socket: Int32
        do { socket = try Link.dial(broker, first: .ipv4) } catch { throw lost(error) }
        try begin(on: socket)
    }

    /// Ends the connection without sending anything that is queued. The broker publishes the will and keeps what was
    /// not acknowledged for the next connection.
    func drop() {
        interrupted = reader.skipping ?? interrupted
        isAccepted = false
        link = nil
    }

    var isConnected: Bool { link != nil }

    // MARK: Asking for something

    /// Queues a SUBSCRIBE at QoS 1.
    ///
    /// - Returns: the packet id that the SUBACK will carry.
    func subscribe(to topic: String) throws(MQTTError) -> UInt16 {
        let id = try freeID()
        subscribing.insert(id)
        outgoing += OutgoingPacket.subscribe(to: topic, id: id)
        return id
    }

    /// Queues a PUBLISH at QoS 1.
    ///
    /// - Returns: the packet id that the PUBACK will carry.
    func publish(_ payload: [UInt8], to topic: String, retained: Bool = false) throws(MQTTError) -> UInt16 {
        let id = try freeID()
        let packet = OutgoingPacket.publish(payload, to: topic, id: id, isRetained: retained)
        unacknowledged.append((id, packet))
        outgoing += packet
        return id
    }

    private func freeID() throws(MQTTError) -> UInt16 {
        for _ in 1...UInt16.max {
            lastID = lastID == .max ? 1 : lastID + 1
            if !subscribing.contains(lastID), !unacknowledged.contains(where: { $0.id == lastID }) { return lastID }
        }
        throw .timedOut(waitingFor: "the broker to acknowledge any of 65,535 messages")
    }

    /// Queues a DISCONNECT: the broker forgets the will. It leaves *behind* everything that is queued already, PUBACKs
    /// included, so it is no way to refuse a message; ``drop()`` is.
    func disconnect() {
        outgoing += OutgoingPacket.disconnect
        isDisconnecting = true
    }

    /// Queues a PINGREQ when it is time for one. To be called at least every few seconds.
    ///
    /// - Throws: when nothing came back to the last one.
    func ping() throws(MQTTError) {
        guard isAccepted, link != nil else { return }
        switch keepAlive.check(at: .monotonicNow) {
        case .alive: break
        case .pingIsDue: outgoing += OutgoingPacket.pingreq
        case .dead: throw .connectionLost(reason: "the broker stopped answering")
        }
    }

    // MARK: What arrives

    /// What has happened since the last call.
    func takeEvents() -> ClientEvents {
        defer { events = ClientEvents() }
        return events
    }

    /// Whether so much has been read that it should be stored before more is.
    func isFull(_ limit: Int) -> Bool {
        events.messages.count + events.oversized.count >= limit || events.messageBytes >= 1 << 20
    }

    func take(_ packet: IncomingPacket) throws(ProtocolViolation) {
        if case .connack(let code, let knowsSession) = packet {
            guard events.connectionCode == nil, !isAccepted else { throw ProtocolViolation("a second CONNACK") }
            events.connectionCode = code
            events.brokerKnowsSession = knowsSession
            guard code == 0 else { return }
            isAccepted = true
            for message in unacknowledged { outgoing += OutgoingPacket.again(message.packet) }
            return
        }
        guard isAccepted else { throw ProtocolViolation("something before it has accepted the connection") }
        switch packet {
        case .connack: break
        case .publish(let head, let payload):
            events.messages.append(.init(topic: head.topic, payload: payload, isRetained: head.isRetained))
            events.messageBytes += payload.count
            outgoing += OutgoingPacket.acknowledgement(of: head)
        case .oversized(let head, let bytes):
            // Acknowledged at its end, as any message is; but a line that never lasts that long must not bring the same
            // message for ever.
            guard let interrupted, interrupted.head.topic == head.topic, interrupted.payloadBytes == bytes else {
                break
            }
            skip(head, bytes)
            isAcknowledgedEarly = true
        case .skipped(let head, let bytes):
            if !isAcknowledgedEarly { skip(head, bytes) }
            isAcknowledgedEarly = false
            interrupted = nil
        case .puback(let id):
            guard let index = unacknowledged.firstIndex(where: { $0.id == id }) else { return try noteStrayAnswer() }
            unacknowledged.remove(at: index)
            events.acknowledged.append(id)
        case .suback(let id, let granted):
            guard subscribing.remove(id) != nil else { return try noteStrayAnswer() }
            events.subscriptions.append((id, granted))
        case .pubrel(let id):
            // The end of a message at QoS 2, which was asked for by nobody and taken all the same.
            outgoing += OutgoingPacket.pubcomp(id)
        case .pingresp:
            if !keepAlive.answered() { try noteStrayAnswer() }
        }
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
