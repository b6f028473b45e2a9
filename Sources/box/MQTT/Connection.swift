import CMosquitto
import CTLSClient
import Glibc
import SoundboxCore
import SoundboxSystem

/// What a client sends when it connects.
struct Login {
    var clientID: String
    /// Whether the broker should keep the session after the connection has ended.
    var keepsSession: Bool
    /// How many seconds it should. MQTT 3.1.1 has no limit, or one that the broker does not report.
    var sessionExpiry: UInt32
    /// Seconds.
    var keepAlive: UInt16
    /// The broker publishes it, retained, as soon as the connection is lost.
    var will: (topic: String, payload: [UInt8])?
    var username: String?
    var password: String?
}

/// One connection, by libmosquitto, with a handle of its own: a handle keeps what a broker has granted. It has no
/// thread and no timer. Except for the TLS handshake, only ``write()`` writes to the network: the library appends its
/// answers, including PUBACKs, to a queue. Never blocks.
final class Connection {
    /// The largest packet that the broker may send, including its header; only MQTT 5 can say so. The library allocates
    /// the size that a header announces.
    static let maximumPacketBytes: UInt32 = 1 << 20
    /// How many messages a broker may send before the first is acknowledged: as many as are committed together.
    static let receiveMaximum: UInt16 = 256
    /// After this many calls other work has its turn, whatever the broker sends.
    private static let callsPerTurn = 1_000

    let version: ProtocolVersion
    /// Excludes answers to publications, which are in ``answers``.
    private var events = SessionEvents()
    private var answers: [(id: Int32, refusal: BrokerReason?)] = []
    /// Whether TCP is still being established.
    private(set) var isOpening = true
    /// Whether this machine has refused it already: 2.0.11 tries the TLS handshake at once, which takes the socket's error.
    private var isRefused = false
    /// Whether the broker has accepted the connection.
    private(set) var isAccepted = false
    /// Whether all of CONNECT has been sent.
    private(set) var hasAsked = false
    /// Whether the network took less than was queued. Reading pauses then: otherwise a broker that sends and never
    /// reads would fill the memory with acknowledgements.
    private(set) var isStalled = false

    /// Prepared once, by the first thread that needs it.
    private static let library = mosquitto_lib_init()

    private let handle: OpaquePointer
    let tls: OpaquePointer?
    /// The keep-alive; the broker's if it has named a shorter one.
    private var interval: Duration
    /// Whether the library would probe later than that or never: the broker has named a longer time, or none.
    private var libraryIsLate = false
    /// When the first probe was sent since the last packet that came whole.
    private(set) var pinged: Duration?
    /// Why the connection must end although the library would continue.
    private(set) var violation: String?
    /// The first OpenSSL error code that the library has logged in the last call.
    private(set) var errorOfTLS: UInt?
    /// Why the connection has ended: the broker's code, or one of the library's.
    private var disconnection: BrokerReason?
    /// When something was last read or written.
    private var lastHeard = Duration.monotonicNow
    private var lastSent = Duration.monotonicNow

    /// - Parameter settings: `nil` leaves the connection unencrypted. The files are read now.
    init(
        to endpoint: Endpoint, of broker: BrokerAddress, _ login: Login, _ version: ProtocolVersion,
        _ settings: MQTTSettings.TLS?
    ) throws(MQTTError.Loss) {
        _ = Self.library
        self.version = version
        interval = .seconds(login.keepAlive)
        guard let handle = mosquitto_new(login.clientID, !login.keepsSession, nil) else {
            throw .link(.system(SystemError.last))
        }
        self.handle = handle
        guard let settings else {
            tls = nil
            try connect(to: endpoint, login)
            return
        }
        var error = soundbox_tls_error()
        tls = soundbox_tls_new(
            broker.host, settings.caFile, settings.certFile, settings.keyFile, settings.pins.joined(separator: " "),
            &error)
        guard let tls else { throw .link(LinkFailure(error, settings)) }
        mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
        mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, soundbox_tls_context(tls))
        try connect(to: endpoint, login)
    }

    /// Closes the socket. Queued packets are not sent.
    deinit {
        mosquitto_destroy(handle)
        soundbox_tls_free(tls)
    }

    private func connect(to endpoint: Endpoint, _ login: Login) throws(MQTTError.Loss) {
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        // Otherwise the library writes each packet within the call that makes it.
        mosquitto_threaded_set(handle, true)
        mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(version.rawValue))
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        // No limit but the broker's.
        mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 0)
        setCallbacks()
        if let will = login.will {
            mosquitto_will_set_v5(
                handle, will.topic, Int32(will.payload.count), will.payload, Int32(Topic.qualityOfService), true, nil)
        }
        if let username = login.username, mosquitto_username_pw_set(handle, username, login.password) != 0 {
            throw .link(.settings(.controlCharacter(.username)))
        }
        if version == .v5 { keepProperties(of: login) }
        errno = 0
        let code = mosquitto_connect_async(handle, endpoint.host, Int32(endpoint.port), Int32(login.keepAlive))
        let error = errno
        // 2.0.11 begins the handshake here, and so may end it as well.
        guard code <= MOSQ_ERR_SUCCESS.rawValue, let socket else { throw loss(code, error) }
        isRefused = error == ECONNREFUSED
        // Programs that the box starts must not inherit it.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        // Where the box's keep-alive is long, a vanished broker is noticed after a minute by TCP's.
        for (level, option, value) in [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
        ] as [(Int32, Int32, Int32)] {
            var value = value
            setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// No function connects asynchronously and takes properties. This one stores them before it finds that there is no
    /// host, and the next connection sends them; ConnectionTests verify it.
    private func keepProperties(of login: Login) {
        var properties: OpaquePointer?
        if login.keepsSession {
            mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL.id, login.sessionExpiry)
        }
        mosquitto_property_add_int16(&properties, MQTT_PROP_RECEIVE_MAXIMUM.id, Self.receiveMaximum)
        mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.id, Self.maximumPacketBytes)
        mosquitto_connect_bind_v5(handle, nil, 0, 0, nil, properties)
        mosquitto_property_free_all(&properties)
    }

    // MARK: Callbacks

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, me, code, flags, properties in
            Connection.from(me).record(connack: UInt8(truncatingIfNeeded: code), flags, properties)
        }
        mosquitto_message_v5_callback_set(handle) { _, me, message, properties in
            if let message { Connection.from(me).record(message.pointee, properties) }
        }
        mosquitto_publish_v5_callback_set(handle) { _, me, id, code, properties in
            let refusal = code < 0x80 ? nil : BrokerReason(code: UInt8(truncatingIfNeeded: code), properties)
            Connection.from(me).answers.append((id, refusal))
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, me, id, count, granted, properties in
            let code = count > 0 ? granted.map { UInt8(truncatingIfNeeded: $0.pointee) } ?? 0x80 : 0x80
            var reason = code < 0x80 ? nil : BrokerReason(code: code, properties)
            if reason == BrokerReason(code: 0x80) { reason = nil }
            Connection.from(me).events.subscriptions.append((id, code, reason))
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, me, code, properties in
            Connection.from(me).disconnection = BrokerReason(code: UInt8(truncatingIfNeeded: code), properties)
        }
        mosquitto_log_callback_set(handle) { _, me, _, text in
            if let text { Connection.from(me).record(line: text) }
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> Connection {
        Unmanaged<Connection>.fromOpaque(pointer!).takeUnretainedValue()
    }

    private func record(connack code: UInt8, _ flags: Int32, _ properties: OpaquePointer?) {
        guard !isAccepted else {
            violation = "a second CONNACK"
            return
        }
        isAccepted = code == 0
        let terms = version == .v5 ? BrokerTerms(properties) : nil
        if let seconds = terms?.keepAlive {
            libraryIsLate = seconds == 0 || .seconds(seconds) > interval
            if !libraryIsLate { interval = .seconds(seconds) }
        }
        events.answer = .init(
            code: code, knowsSession: flags & 1 != 0, terms: terms,
            reason: version == .v5 ? BrokerReason(code: code, properties) : nil)
    }

    private func record(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        let topic = String(cString: message.topic)
        let count = Int(message.payloadlen)
        guard count <= PaymentNoticeDecoder.maximumPayloadBytes else {
            events.oversized.append(.init(topic: topic, bytes: count))
            return
        }
        let payload = Array(UnsafeRawBufferPointer(start: message.payload, count: count))
        events.messages.append(
            .init(
                topic: topic, payload: payload, qos: UInt8(message.qos), isRetained: message.retain,
                expiry: MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.int32(in: properties)))
        events.messageBytes += count
    }

    /// Only the library's log reports these.
    private func record(line: UnsafePointer<CChar>) {
        // Logged once a packet is there as a whole.
        if strstr(line, " received ") != nil { pinged = nil }
        if let start = strstr(line, "OpenSSL Error"), let code = strstr(start, "error:") {
            // The first in the queue says most.
            errorOfTLS = errorOfTLS ?? strtoul(code + strlen("error:"), nil, 16)
        } else if strstr(line, " received PUBLISH (d0, q2,") != nil || strstr(line, " received PUBLISH (d1, q2,") != nil
        {
            // At QoS 2 the library gives a message to the client after it has been acknowledged, so a power cut may
            // lose it. The topic follows, and then its size.
            let parts = String(cString: line).split(separator: "'", omittingEmptySubsequences: false)
            let topic = String(parts.dropFirst().dropLast().joined(separator: "'").prefix(200))
            violation = "a PUBLISH on \(topic.quoted) with QoS 2, which the box did not ask for"
        }
    }

    // MARK: Turns

    /// `nil` once the library has closed it.
    var socket: Int32? {
        let socket = mosquitto_socket(handle)
        return socket >= 0 ? socket : nil
    }

    /// OpenSSL's part of the connection; `nil` if it is unencrypted or has ended.
    private var ssl: UnsafeMutableRawPointer? { mosquitto_ssl_get(handle) }

    private var isShakingHands: Bool { ssl.map { soundbox_tls_shakes_hands($0) } ?? false }

    /// The `poll` events to wait for.
    var interest: Int16 {
        if isOpening { return Int16(POLLOUT) }
        if isShakingHands {
            // The library claims to want to write when it does not.
            return Int16(soundbox_tls_waits_to_write(ssl) ? POLLOUT : POLLIN)
        }
        return Int16(isStalled ? 0 : POLLIN) | Int16(mosquitto_want_write(handle) ? POLLOUT : 0)
    }

    /// Handles what `poll` has reported: completes the connection, or reads what has arrived.
    ///
    /// - Parameter limit: reading stops after this many messages, or 1 MiB of payloads.
    /// - Returns: whether more may have arrived.
    func read(_ happened: Int32, isPending: Bool, limit: Int) throws(MQTTError.Loss) -> Bool {
        if isOpening {
            guard happened != 0 else { return false }
            try finishOpening(hungUp: happened & (POLLHUP | POLLERR) != 0)
            // In TLS the client speaks first.
            try write()
            return false
        }
        // `poll` reports errors and hang-ups unasked.
        let hasFailed = happened & (POLLHUP | POLLERR) != 0
        guard hasFailed || (!isStalled && (isPending || happened & POLLIN != 0 || isShakingHands)) else { return false }
        for _ in 0..<Self.callsPerTurn where !isFull(limit) {
            try run(mosquitto_loop_read)
            lastHeard = .monotonicNow
            guard socket != nil else { throw disconnection.map { .disconnected($0) } ?? .link(.closed) }
            if isShakingHands, hasHungUp { throw .link(.closed) }
            if !hasUnread { return false }
        }
        return true
    }

    /// Returns what has arrived since the last call, without answers to publications.
    func takeEvents() -> SessionEvents {
        defer { events = SessionEvents() }
        return events
    }

    /// Returns the publications that the broker has acknowledged since the last call, with a reason if it has refused
    /// them.
    func takeAnswers() -> [(id: Int32, refusal: BrokerReason?)] {
        defer { answers = [] }
        return answers
    }

    private func finishOpening(hungUp: Bool) throws(MQTTError.Loss) {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(mosquitto_socket(handle), SOL_SOCKET, SO_ERROR, &code, &size)
        if isRefused, code == 0, hungUp { code = ECONNREFUSED }
        // TLS may have begun, and the peer may have hung up on that.
        if code == ECONNRESET || (code == 0 && hungUp) { throw .link(.closed) }
        guard code == 0 else { throw .link(.system(SystemError(code: code))) }
        isOpening = false
    }

    /// Whether so much has been read that it should be stored before anything more is read.
    private func isFull(_ limit: Int) -> Bool {
        events.messages.count + events.oversized.count >= limit || events.messageBytes >= 1 << 20
    }

    private var hasUnread: Bool {
        if let ssl, soundbox_tls_has_unread(ssl) { return true }
        var waited = pollfd(fd: mosquitto_socket(handle), events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, 0) > 0
    }

    /// libmosquitto 2.0.11 does not notice that during the handshake.
    private var hasHungUp: Bool {
        var byte: UInt8 = 0
        return recv(mosquitto_socket(handle), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Sends as much of the queue as the network takes. From here on PUBACKs may be on the wire.
    func write() throws(MQTTError.Loss) {
        guard !isOpening, isShakingHands || mosquitto_want_write(handle) else { return }
        try run(mosquitto_loop_write)
        guard !isShakingHands else { return }
        lastSent = .monotonicNow
        isStalled = socket != nil && mosquitto_want_write(handle)
        hasAsked = hasAsked || !isStalled
    }

    /// When ``keepAlive(bySubscribingTo:)`` has something to do if nothing arrives or leaves before, on the clock of
    /// `Duration.monotonicNow`. The library counts whole seconds, hence the second more.
    var keepAliveIsDue: Duration { min(lastHeard, lastSent) + interval + .seconds(1) }

    /// Shows the broker that the client is alive, when that is due, and checks that the broker is. Call it whenever
    /// ``keepAliveIsDue`` has passed.
    ///
    /// While bytes arrive, the library is not asked: it would give up a connection on which a large message on a slow
    /// line delays the PINGRESP, and the message would be sent again without end. It also sends no second PINGREQ
    /// before that, and none before the broker's time. Instead the client repeats a subscription that it already has.
    ///
    /// - Throws: when nothing has come since the last probe.
    func keepAlive(bySubscribingTo topic: String) throws(MQTTError.Loss) {
        let now = Duration.monotonicNow
        guard keepAliveIsDue <= now else { return }
        let isSilent = now - lastHeard >= interval
        if isSilent, !libraryIsLate {
            let code = mosquitto_loop_misc(handle)
            guard code == MOSQ_ERR_SUCCESS.rawValue, socket != nil else { throw .silence }
        } else {
            if isSilent, pinged != nil { throw .silence }
            var id: Int32 = 0
            let options = Int32(MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue)
            mosquitto_subscribe_v5(handle, &id, topic, Int32(Topic.qualityOfService), options, nil)
        }
        pinged = pinged ?? now
        lastSent = now
        if isSilent { lastHeard = now }
    }

    // MARK: Requests

    /// Queues a SUBSCRIBE at QoS 1.
    ///
    /// - Returns: the id that the SUBACK will carry.
    func subscribe(to topic: String, quality: UInt8 = Topic.qualityOfService) throws(MQTTError.Loss) -> Int32 {
        var id: Int32 = 0
        let code = mosquitto_subscribe_v5(handle, &id, topic, Int32(quality), 0, nil)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw loss(code, 0) }
        return id
    }

    /// Queues a PUBLISH. The library sends it when the broker accepts one more at a time.
    ///
    /// - Returns: the id that ``takeAnswers()`` will name; `nil` when the message is larger than the broker accepts.
    func publish(
        _ payload: [UInt8], to topic: String, quality: UInt8, isRetained: Bool, expiry: Int? = nil
    ) throws(MQTTError.Loss) -> Int32? {
        var id: Int32 = 0
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if let expiry {
            mosquitto_property_add_int32(
                &properties, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.id, UInt32(clamping: expiry))
        }
        func publish() -> Int32 {
            mosquitto_publish_v5(
                handle, &id, topic, Int32(payload.count), payload, Int32(quality), isRetained, properties)
        }
        var code = publish()
        // MQTT 3.1.1 has no properties.
        if code == MOSQ_ERR_NOT_SUPPORTED.rawValue, properties != nil {
            mosquitto_property_free_all(&properties)
            code = publish()
        }
        if code == MOSQ_ERR_OVERSIZE_PACKET.rawValue { return nil }
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw loss(code, 0) }
        return id
    }

    /// Queues a DISCONNECT. Once it has been sent, ``socket`` is `nil`.
    func disconnect() { mosquitto_disconnect_v5(handle, 0, nil) }

    // MARK: Failures

    private func run(_ call: (OpaquePointer, Int32) -> Int32) throws(MQTTError.Loss) {
        errorOfTLS = nil
        errno = 0
        let code = call(handle, 1)
        let error = errno
        guard code == MOSQ_ERR_SUCCESS.rawValue, violation == nil else { throw loss(code, error) }
    }
}
