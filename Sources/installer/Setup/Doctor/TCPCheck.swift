import Glibc
import SoundboxMQTT
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

/// Finds out what listens at a port that is not a usable broker.
enum PortCheck {
    /// The protocol of the first bytes.
    enum Listener: Equatable {
        case tls, mqtt, http
        /// The first printable characters.
        case other(String)
    }

    /// The timeout to connect, and the timeout for an answer.
    private static let limit = Duration.seconds(2)

    /// Tries TLS, MQTT and HTTP, each on its own connection.
    /// - Returns: `nil` if nothing answers.
    static func listener(host: String, port: Int) async -> Listener? {
        try? await onOwnThread(named: "port-check") { () -> Listener? in
            if connected(host, port, { OfferedCertificate(on: $0, host: host, within: limit) }) != nil { return .tls }
            // CONNECT of MQTT 3.1.1 without a client id: every broker answers it, at least with a refusal.
            let connect: [UInt8] = [0x10, 12, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 0]
            for question in [connect, Array("GET / HTTP/1.0\r\n\r\n".utf8)] {
                guard let answer = connected(host, port, { firstBytes($0, asked: question) }) else { continue }
                if answer.count >= 4, answer[0] == 0x20, answer[1] == 2 { return .mqtt }
                let text = String(decoding: answer.prefix { (0x20..<0x7F).contains($0) }, as: UTF8.self)
                return text.hasPrefix("HTTP/") ? .http : .other(text)
            }
            return nil
        }
    }

    private static func connected<Answer>(_ host: String, _ port: Int, _ ask: (Int32) -> Answer?) -> Answer? {
        guard case .success(let socket) = TCPCheck.connect(host: host, port: port, until: .monotonicNow + limit)
        else { return nil }
        defer { close(socket) }
        return ask(socket)
    }

    private static func firstBytes(_ socket: Int32, asked question: [UInt8]) -> [UInt8]? {
        guard send(socket, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else { return nil }
        var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, limit.pollMilliseconds) > 0 else { return nil }
        var answer = [UInt8](repeating: 0, count: 60)
        let count = recv(socket, &answer, answer.count, 0)
        return count > 0 ? Array(answer.prefix(count)) : nil
    }
}

extension PortCheck.Listener {
    /// Why this is not a usable broker; `nil` if it is one.
    func explanation(usesTLS: Bool) -> String? {
        switch self {
        case .tls where usesTLS, .mqtt where !usesTLS: nil
        case .tls: "this port speaks TLS: the address has to begin with mqtts://"
        case .mqtt:
            "this port speaks MQTT without TLS: the address begins with mqtt://, or the port is another one, usually 8883"
        case .http:
            "a web server answers at this port, perhaps for MQTT over WebSocket, which the box does not speak; usual "
                + "ports are 8883 (mqtts://) and 1883 (mqtt://)"
        case .other(let text): "what answers at this port is no MQTT broker; it says \"\(text)\""
        }
    }
}
