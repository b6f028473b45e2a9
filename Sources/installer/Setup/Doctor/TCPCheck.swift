import Glibc
import SoundboxSystem

/// Checks that something listens at an address, before MQTT is tried.
enum TCPCheck {
    /// The timeout to connect.
    static let limit = Duration.seconds(5)

    /// Why there is no connection.
    struct Failure: Error {
        var reason: String
    }

    /// Connects and disconnects. Returns within ``limit``, even if the system's resolver takes longer.
    /// - Returns: why there is no connection; `nil` if there is one.
    static func failure(host: String, port: Int) async -> String? {
        let deadline = Duration.monotonicNow + limit
        let outcome = await onOwnThread(named: "tcp-check", within: limit) { () -> String? in
            switch connect(host: host, port: port, until: deadline) {
            case .success(let socket):
                close(socket)
                return nil
            case .failure(let failure): return failure.reason
            }
        }
        guard let outcome else { return noAnswer }
        return outcome
    }

    /// Connects to all addresses of the host at once and takes the first that answers, because one may be unreachable.
    /// Blocks until `deadline` at most, plus the time of the system's resolver.
    /// - Returns: a non-blocking socket, which is the caller's.
    static func connect(host: String, port: Int, until deadline: Duration) -> Result<Int32, Failure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        guard code == 0 else { return .failure(Failure(reason: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }

        var attempts: [pollfd] = []
        // Report the first failure of several addresses.
        var failure: SystemError?
        for address in sequence(first: list, next: { $0?.pointee.ai_next }).compactMap({ $0?.pointee }) {
            switch start(address) {
            case .success(let socket): attempts.append(pollfd(fd: socket, events: Int16(POLLOUT), revents: 0))
            case .failure(let error): failure = failure ?? error
            }
        }
        defer { for attempt in attempts { close(attempt.fd) } }
        while !attempts.isEmpty {
            let count = poll(&attempts, nfds_t(attempts.count), (deadline - .monotonicNow).pollMilliseconds)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .failure(Failure(reason: noAnswer)) }
            for index in attempts.indices.reversed() where attempts[index].revents != 0 {
                let socket = attempts.remove(at: index).fd
                let code = errorCode(of: socket)
                if code == 0 { return .success(socket) }
                close(socket)
                failure = failure ?? SystemError(code: code)
            }
        }
        return .failure(Failure(reason: (failure ?? SystemError(code: EAFNOSUPPORT)).description))
    }

    private static var noAnswer: String { "no answer within \(limit.components.seconds) s" }

    private static func start(_ address: addrinfo) -> Result<Int32, SystemError> {
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(address.ai_family, type, address.ai_protocol)
        guard socket >= 0 else { return .failure(SystemError.last) }
        if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS {
            return .success(socket)
        }
        let error = SystemError.last
        close(socket)
        return .failure(error)
    }

    private static func errorCode(of socket: Int32) -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
        return code
    }
}
