import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// One address of a broker, with the port, as the system's resolver gives it.
struct Endpoint: Sendable, Hashable {
    /// Numeric.
    var host: String
    var port: Int

    /// More than this many of one name are left out.
    static let most = 16

    /// Looks up a broker's name. Blocks for as long as the system's resolver takes, usually 5 to 30 s at worst.
    ///
    /// - Returns: at least one and at most ``most``, the families by turns and IPv4 first: most shops' networks have it,
    ///   and a network may advertise IPv6 that leads nowhere.
    static func lookUp(_ broker: BrokerAddress) throws(LinkFailure) -> [Endpoint] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(broker.host, "\(broker.port)", &hints, &list)
        guard code == 0 else { throw .lookup(code) }
        defer { freeaddrinfo(list) }

        var ipv4: [Endpoint] = []
        var ipv6: [Endpoint] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }).compactMap({ $0?.pointee }) {
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.ai_addr, entry.ai_addrlen, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let endpoint = Endpoint(
                host: String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
                port: broker.port)
            switch entry.ai_family {
            case AF_INET: if !ipv4.contains(endpoint) { ipv4.append(endpoint) }
            case AF_INET6: if !ipv6.contains(endpoint) { ipv6.append(endpoint) }
            default: break
            }
        }
        let endpoints = (0..<max(ipv4.count, ipv6.count)).flatMap {
            ipv4.dropFirst($0).prefix(1) + ipv6.dropFirst($0).prefix(1)
        }
        guard !endpoints.isEmpty else { throw .system(SystemError(code: EAFNOSUPPORT)) }
        return Array(endpoints.prefix(most))
    }
}

/// A lookup on a thread of its own, since it blocks. It outlives the patience of whoever asked, and is asked again.
final class LookUp: Sendable {
    private let result = Mutex<Result<[Endpoint], LinkFailure>?>(nil)

    /// - Parameter wakeUp: signalled when there is a result.
    init(_ broker: BrokerAddress, wakeUp: WakeUp) {
        startThread(named: "mqtt-connect") { [self] in
            let found = Result { () throws(LinkFailure) in try Endpoint.lookUp(broker) }
            result.withLock { $0 = found }
            wakeUp.signal()
        }
    }

    /// `nil` until there is one. Any thread.
    var outcome: Result<[Endpoint], LinkFailure>? { result.withLock { $0 } }
}
