import CMosquitto
import Glibc
import SoundboxSystem

/// Owns one libmosquitto client and destroys it exactly once.
///
/// Nothing is written to the network except by ``write()``: the client is in the library's "threaded" mode, in which
/// `packet__queue` only appends (libmosquitto 2.0.11, `packet_mosq.c`). That is what keeps a PUBACK back until the
/// message it acknowledges is on disk. The library does not document it, so a test with a scripted broker pins it.
///
/// `@unchecked Sendable`: libmosquitto's handle is thread safe (mosquitto.h, "libmosquitto provides thread safe
/// operation, with the exception of `mosquitto_lib_init`"), and the notes beside it are only touched by one thread at
/// a time: the owner hands the client to a connecting thread and leaves it alone until that has finished.
final class MosquittoClient: @unchecked Sendable {
    struct Will {
        var topic: String
        var payload: [UInt8]
    }

    let broker: BrokerAddress
    let handle: OpaquePointer
    /// The broker has accepted the connection.
    private(set) var isAccepted = false
    /// More may be waiting than has been read: come back without sleeping.
    var mayHaveMore = false
    /// The TCP connection is not established yet.
    var isOpening = false

    /// What the broker's key must be one of; empty believes any.
    let pins: [String]
    /// The broker of this connection has shown one of ``pins``, or there are none.
    var keyIsKnown = false

    private let callbacks = MosquittoCallbacks()
    private let keepAliveSeconds: Int32

    // A global's initialiser runs once, whichever thread comes first: mosquitto_lib_init is not thread safe.
    private static let libraryIsReady = mosquitto_lib_init() == MOSQ_SUCCESS

    /// Makes a client that is not connected.
    ///
    /// - Parameters:
    ///   - settings: the broker, the credentials and the keep-alive. Files named in it are only checked for being
    ///     readable; the library loads them at each connection, so that a renewed certificate is picked up.
    ///   - keepsSession: the broker keeps subscriptions and undelivered messages while the client is away.
    ///   - will: what the broker publishes, retained, when the client vanishes.
    init(_ settings: MQTTSettings, clientID: String, keepsSession: Bool, will: Will?) throws(MQTTError) {
        broker = settings.broker
        pins = settings.tls?.pins ?? []
        keepAliveSeconds = Int32(clamping: max(5, min(65_535, settings.keepAlive.components.seconds)))
        guard Self.libraryIsReady else { throw .invalidSettings(reason: "libmosquitto does not initialise") }
        guard let handle = mosquitto_new(clientID, !keepsSession, nil) else {
            throw .invalidSettings(reason: "\"\(clientID)\" cannot be a client id: \(SystemError(code: errno))")
        }
        self.handle = handle
        callbacks.attach(to: handle)
        try configure(settings, will: will)
    }

    deinit { mosquitto_destroy(handle) }

    private func configure(_ settings: MQTTSettings, will: Will?) throws(MQTTError) {
        try check(mosquitto_threaded_set(handle, true), "threads")
        // The window of receipts, the status and room to spare: the library itself never holds a message back.
        try check(mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 0), "in-flight limit")
        try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1), "TCP_NODELAY")
        if let username = settings.username {
            try check(mosquitto_username_pw_set(handle, username, settings.password), "user name and password")
        } else if settings.password != nil {
            throw .invalidSettings(reason: "a broker password needs a user name beside it (username)")
        }
        if let will {
            try check(
                mosquitto_will_set(handle, will.topic, Int32(will.payload.count), will.payload, 1, true), "last will")
        }
        if let tls = settings.tls { try configureTLS(tls) }
    }

    private func configureTLS(_ tls: MQTTSettings.TLS) throws(MQTTError) {
        if (tls.certFile == nil) != (tls.keyFile == nil) {
            throw .invalidSettings(reason: "a client certificate and its key go together (cert_file, key_file)")
        }
        for (name, file) in [("CA", tls.caFile), ("certificate", tls.certFile), ("key", tls.keyFile)] {
            guard let file, access(file, R_OK) != 0 else { continue }
            throw .invalidSettings(
                reason: "cannot read the broker's \(name) file \"\(file)\": \(SystemError(code: errno))")
        }
        // Without this callback OpenSSL asks for an encrypted key's passphrase on the terminal and waits.
        try check(
            mosquitto_tls_set(
                handle, tls.caFile, tls.caFile == nil ? "/etc/ssl/certs" : nil, tls.certFile, tls.keyFile,
                { _, _, _, _ in 0 }), "TLS files")
        // 1 is SSL_VERIFY_PEER. "tlsv1.2" forbids what is older and permits what is newer (net_mosq.c).
        try check(mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil), "TLS options")
        try check(mosquitto_tls_insecure_set(handle, false), "host name verification")
    }

    private func check(_ code: Int32, _ what: String) throws(MQTTError) {
        guard code != MOSQ_SUCCESS else { return }
        throw .invalidSettings(reason: "libmosquitto refuses the \(what): \(String(cString: mosquitto_strerror(code)))")
    }

    /// Looks the broker's name up and starts a TCP connection; whether that succeeds shows in ``readPending(_:limit:)``.
    /// Queued packets of an earlier connection are dropped unsent; unacknowledged publications of ours are kept.
    ///
    /// Blocks while the name is looked up: as long as the system's resolver takes, usually 5 to 30 s at worst.
    ///
    /// - Parameter firstFamily: whose addresses of the broker come first; the other family's are used when those fail
    ///   at once. libmosquitto by itself stays with the first address that does not fail at once, and a network may
    ///   advertise IPv6 that leads nowhere.
    func connect(_ firstFamily: AddressFamily) throws(MQTTError) {
        isAccepted = false
        mayHaveMore = false
        keyIsKnown = pins.isEmpty
        callbacks.events = MosquittoEvents()
        var failure = start(firstFamily)
        if let first = failure, first.code == MOSQ_ERR_ERRNO {
            failure = start(firstFamily.other)
            // The broker has no address of the other family: what went wrong is the first error.
            if failure?.errno == EINVAL { failure = first }
        }
        if let failure { throw lost(Int32(failure.code.rawValue), failure.errno) }
        isOpening = true
    }

    /// Binding to a family's "any" address makes the library skip the other family. Always one of the two: in
    /// 2.0.11 taking a bind address back leaves the library with a pointer to freed memory (`options.c`).
    private func start(_ family: AddressFamily) -> (code: mosq_err_t, errno: Int32)? {
        let code = mosquitto_connect_bind_async(
            handle, broker.host, Int32(broker.port), keepAliveSeconds, family.anyAddress)
        return code == MOSQ_SUCCESS ? nil : (mosq_err_t(code), errno)
    }

    /// What has happened since the last call. Whatever came from a broker whose key is not known did not happen: the
    /// library reads on past the handshake, and only ``write()`` looks at the key.
    func takeEvents() -> MosquittoEvents {
        defer { callbacks.events = MosquittoEvents() }
        guard keyIsKnown else { return MosquittoEvents() }
        if callbacks.events.connectionCode == 0 { isAccepted = true }
        return callbacks.events
    }

    var eventCount: Int { callbacks.events.count }
    var messageCount: Int { callbacks.events.messages.count }
    var messageBytes: Int { callbacks.events.messageBytes }
    var errorLines: [String] { callbacks.events.errorLines }

    /// Queues a SUBSCRIBE at QoS 1: at QoS 2 the library would send a PUBREC before the message is on disk.
    ///
    /// - Returns: the packet id that the SUBACK will carry.
    func subscribe(to topic: String) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        try queued(mosquitto_subscribe(handle, &id, topic, 1))
        return id
    }

    /// Queues a PUBLISH at QoS 1.
    ///
    /// - Returns: the packet id that the PUBACK will carry.
    func publish(_ payload: [UInt8], to topic: String, retained: Bool = false) throws(MQTTError) -> Int32 {
        var id: Int32 = 0
        try queued(mosquitto_publish(handle, &id, topic, Int32(clamping: payload.count), payload, 1, retained))
        return id
    }

    /// Queues a DISCONNECT: the broker forgets the will. It leaves *behind* everything that is queued already, PUBACKs
    /// included, so it is no way to refuse a message; ``drop()`` is.
    func disconnect() throws(MQTTError) { try queued(mosquitto_disconnect(handle)) }

    private func queued(_ code: Int32) throws(MQTTError) {
        guard code == MOSQ_SUCCESS else { throw .connectionLost(reason: reason(code, errno)) }
    }

    /// Ends the connection without sending anything that is queued. The broker publishes the will and keeps what was
    /// not acknowledged for the next connection.
    func drop() {
        isAccepted = false
        if let socket { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The connection's file descriptor, while there is one.
    var socket: Int32? {
        let socket = mosquitto_socket(handle)
        return socket >= 0 ? socket : nil
    }

    func reason(_ code: Int32, _ error: Int32) -> String {
        MosquittoReasons.failure(code, errno: error, lines: errorLines)
    }
}

/// Which of a host's addresses are meant.
enum AddressFamily {
    case ipv4, ipv6

    var other: AddressFamily { self == .ipv4 ? .ipv6 : .ipv4 }

    /// What a socket binds to that leaves the choice of the local address to the kernel.
    fileprivate var anyAddress: String { self == .ipv4 ? "0.0.0.0" : "::" }
}

/// The library's success code as its functions return it.
let MOSQ_SUCCESS = Int32(MOSQ_ERR_SUCCESS.rawValue)
