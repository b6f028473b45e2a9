import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The kind of a host's addresses.
enum AddressFamily {
    case ipv4, ipv6

    var other: AddressFamily { self == .ipv4 ? .ipv6 : .ipv4 }

    fileprivate var code: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
}

extension Link {
    /// Looks up a broker's name and starts a TCP connection. ``advance(_:)`` tells whether it succeeds.
    ///
    /// Blocks for as long as the system's resolver takes, usually 5 to 30 s at worst.
    ///
    /// - Parameter first: the addresses to try first. The other family's are tried when those fail at once: a network
    ///   may advertise IPv6 that leads nowhere.
    /// - Returns: a non-blocking socket. The caller owns it until a ``Link`` takes it.
    static func dial(_ broker: BrokerAddress, first: AddressFamily) throws(LinkFailure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(broker.host, "\(broker.port)", &hints, &list)
        guard code == 0 else { throw .lookup(code) }
        defer { freeaddrinfo(list) }

        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
        var failure: SystemError?
        for family in [first, first.other] {
            for address in addresses where address.ai_family == family.code {
                switch start(address) {
                case .success(let socket): return socket
                case .failure(let error): failure = failure ?? error
                }
            }
        }
        throw .system(failure ?? SystemError(code: EAFNOSUPPORT))
    }

    private static func start(_ address: addrinfo) -> Result<Int32, SystemError> {
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(address.ai_family, type, address.ai_protocol)
        guard socket >= 0 else { return .failure(SystemError.last) }
        // Packets are small, and the other side waits for them.
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        if connect(socket, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS {
            return .success(socket)
        }
        let error = SystemError.last
        close(socket)
        return .failure(error)
    }
}

/// Hands a socket from the thread that looked the name up to the feed's thread. Closes it if nobody takes it.
final class DialledSocket: Sendable {
    private let result = Mutex<Result<Int32, LinkFailure>?>(nil)

    deinit {
        if case .success(let socket) = take() { close(socket) }
    }

    func finish(_ outcome: Result<Int32, LinkFailure>) { result.withLock { $0 = outcome } }

    /// - Returns: `nil` until there is a result.
    func take() -> Result<Int32, LinkFailure>? { result.withLock { $0.take() } }
}
