import CTLSClient
import Glibc
import SoundboxCore
import SoundboxSystem

/// One TCP connection, encrypted or not. Owns the socket, and closes it. Never waits.
final class Link {
    /// How far the connection has come.
    enum Stage {
        /// TCP is being established.
        case opening
        /// TLS is being established. No byte of the application is read or written here.
        case shakingHands
        case open
    }

    let socket: Int32
    private(set) var stage = Stage.opening
    private let broker: BrokerAddress
    private let pins: [String]
    private let tls: OpaquePointer?

    /// - Parameters:
    ///   - socket: what ``dial(_:first:)`` returned; this object closes it, also when it throws.
    ///   - settings: `nil` leaves the connection unencrypted. The files are read now.
    init(socket: Int32, to broker: BrokerAddress, settings: MQTTSettings.TLS?) throws(LinkFailure) {
        self.socket = socket
        self.broker = broker
        pins = settings?.pins ?? []
        guard let settings else {
            tls = nil
            return
        }
        var error = soundbox_tls_error()
        tls = soundbox_tls_new(
            socket, broker.host, settings.caFile, settings.certFile, settings.keyFile, &error)
        guard tls != nil else { throw LinkFailure(error, settings) }
    }

    deinit {
        soundbox_tls_free(tls)
        close(socket)
    }

    /// What to wait for before ``advance()`` or ``read(into:)`` can get any further.
    var interest: Int16 {
        if case .opening = stage { return Int16(POLLOUT) }
        guard let tls, soundbox_tls_waits_to_write(tls) else { return Int16(POLLIN) }
        return Int16(POLLOUT)
    }

    /// Goes on with making the connection.
    ///
    /// - Parameter happened: what `poll` has reported of the socket.
    /// - Returns: whether it is open: established, encrypted where it has to be, and with the broker's key known.
    func advance(_ happened: Int32) throws(LinkFailure) -> Bool {
        if stage == .opening {
            guard happened != 0 else { return false }
            try finishOpening(hungUp: happened & (POLLHUP | POLLERR) != 0)
            stage = tls == nil ? .open : .shakingHands
        }
        if stage == .shakingHands, let tls {
            var error = soundbox_tls_error()
            switch soundbox_tls_shake_hands(tls, &error) {
            case 0: return false
            case 1: try checkKey(tls)
            default: throw LinkFailure(error)
            }
            stage = .open
        }
        return true
    }

    private func finishOpening(hungUp: Bool) throws(LinkFailure) {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
        if code == 0, hungUp { code = ECONNRESET }
        guard code == 0 else { throw .system(code) }
    }

    /// Before anything that the broker has sent is looked at, and before anything is sent to it, a password for one.
    private func checkKey(_ tls: OpaquePointer) throws(LinkFailure) {
        guard !pins.isEmpty else { return }
        var text = [CChar](repeating: 0, count: Int(SOUNDBOX_PIN_CAPACITY))
        let isRead = soundbox_tls_peer_pin(tls, &text)
        let pin = isRead ? String(decoding: text.dropLast().map(UInt8.init), as: UTF8.self) : "unreadable"
        guard pins.contains(pin) else {
            throw .tls("the broker's key is none of those in pin_sha256; its SHA-256 is \(pin)")
        }
    }

    /// - Returns: how many bytes have arrived; 0 when there are none now.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws(LinkFailure) -> Int {
        if let tls {
            var error = soundbox_tls_error()
            let count = soundbox_tls_read(tls, bytes.baseAddress, bytes.count, &error)
            guard count >= 0 else { throw LinkFailure(error) }
            return count
        }
        let count = recv(socket, bytes.baseAddress, bytes.count, 0)
        if count == 0 { throw .closed }
        return try moved(count)
    }

    /// - Returns: how many bytes the network took; 0 when it has no room now.
    func write(_ bytes: UnsafeRawBufferPointer) throws(LinkFailure) -> Int {
        if let tls {
            var error = soundbox_tls_error()
            let count = soundbox_tls_write(tls, bytes.baseAddress, bytes.count, &error)
            guard count >= 0 else { throw LinkFailure(error) }
            return count
        }
        return try moved(send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    private func moved(_ count: Int) throws(LinkFailure) -> Int {
        if count >= 0 { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case ECONNRESET, EPIPE: throw .closed
        case let code: throw .system(code)
        }
    }

    /// Tells the broker that nothing more will be sent.
    func finish() {
        if let tls { soundbox_tls_finish(tls) }
    }
}

// MARK: Dialling

/// Which of a host's addresses are meant.
enum AddressFamily {
    case ipv4, ipv6

    var other: AddressFamily { self == .ipv4 ? .ipv6 : .ipv4 }

    fileprivate var code: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
}

extension Link {
    /// Looks a broker's name up and starts a TCP connection. Whether that succeeds shows in ``advance(_:)``.
    ///
    /// Blocks while the name is looked up: as long as the system's resolver takes, usually 5 to 30 s at worst.
    ///
    /// - Parameter first: whose addresses of the broker come first; the other family's are used when those fail at once.
    ///   A network may advertise IPv6 that leads nowhere.
    /// - Returns: a socket that does not block, for whoever makes a ``Link`` of it.
    static func dial(_ broker: BrokerAddress, first: AddressFamily) throws(LinkFailure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(broker.host, "\(broker.port)", &hints, &list)
        guard code == 0 else { throw .lookup(code) }
        defer { freeaddrinfo(list) }

        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
        var failure: Int32?
        for family in [first, first.other] {
            for address in addresses where address.ai_family == family.code {
                switch start(address) {
                case .success(let socket): return socket
                case .failure(let error): failure = failure ?? error.code
                }
            }
        }
        throw .system(failure ?? EAFNOSUPPORT)
    }

    private static func start(_ address: addrinfo) -> Result<Int32, SystemError> {
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(address.ai_family, type, address.ai_protocol)
        guard socket >= 0 else { return .failure(SystemError(code: errno)) }
        // What is sent is small and waited for.
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        if connect(socket, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS {
            return .success(socket)
        }
        let error = SystemError(code: errno)
        close(socket)
        return .failure(error)
    }
}
