import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Which address of which broker to try next. Pure.
///
/// Attempts come in rounds. A round tries every address of every broker once, without a pause; the caller waits between
/// two rounds. It begins with the address that last worked; if that one fell silent, it comes last. Each name is looked
/// up when its turn comes. If that fails, its earlier addresses are tried.
struct Route {
    /// One address of one broker.
    struct Stop: Equatable {
        /// Its index in the configuration.
        var broker: Int
        var endpoint: Endpoint
    }

    enum Step: Equatable {
        /// Answered by ``lookedUp(_:)``.
        case lookUp(broker: Int)
        case dial(Stop)
        /// Everything was tried. The next step begins a new round.
        case pause
    }

    private let brokers: Int
    /// The addresses of each name at its last lookup.
    private var known: [[Endpoint]]
    private var brokersLeft: [Int] = []
    private var stopsLeft: [Stop] = []
    private var lookingUp: Int?
    /// The stop that was dialled last.
    private var current: Stop?
    /// The stop that last had a connection.
    private var good: Stop?
    /// Whether ``good`` comes last in the next round.
    private var isGoodLast = false

    /// - Parameter brokers: their number, at least one.
    init(brokers: Int) {
        self.brokers = brokers
        known = Array(repeating: [], count: brokers)
        beginRound()
    }

    /// Whether there is, or may be, more than one address.
    var hasAlternatives: Bool { brokers > 1 || known[0].count > 1 }

    /// Whether this round has steps left.
    var hasMore: Bool { !brokersLeft.isEmpty || !stopsLeft.isEmpty }

    /// Whether a broker's name has ever had an address.
    func hasKnown(_ broker: Int) -> Bool { !known[broker].isEmpty }

    /// What to do now.
    mutating func next() -> Step {
        if !stopsLeft.isEmpty {
            let stop = stopsLeft.removeFirst()
            current = stop
            return .dial(stop)
        }
        if !brokersLeft.isEmpty {
            let broker = brokersLeft.removeFirst()
            lookingUp = broker
            return .lookUp(broker: broker)
        }
        beginRound()
        return .pause
    }

    /// - Parameter endpoints: the name's addresses now; empty when it could not be looked up.
    mutating func lookedUp(_ endpoints: [Endpoint]) {
        guard let broker = lookingUp.take() else { return }
        if !endpoints.isEmpty { known[broker] = endpoints }
        let stops = known[broker].map { Stop(broker: broker, endpoint: $0) }
        guard let good, let place = stops.firstIndex(of: good) else {
            stopsLeft = stops
            return
        }
        let first = isGoodLast ? place + 1 : place
        stopsLeft = Array(stops[first...] + stops[..<first])
    }

    /// The stop that was dialled last has a connection.
    mutating func connected() {
        good = current
        isGoodLast = false
        beginRound()
    }

    /// That connection has ended. The next round begins with the same stop.
    ///
    /// - Parameter silently: nobody closed it, so the peer may be a machine that hangs: it comes last.
    mutating func lost(silently: Bool) {
        isGoodLast = silently
        beginRound()
    }

    private mutating func beginRound() {
        stopsLeft = []
        lookingUp = nil
        var first = good?.broker ?? 0
        // Its other addresses come first, if there are any.
        if isGoodLast, known[first].count < 2 { first = (first + 1) % brokers }
        brokersLeft = (0..<brokers).map { (first + $0) % brokers }
    }
}

/// One address of a broker, with the port, as the system's resolver returns it.
struct Endpoint: Sendable, Hashable {
    /// Numeric.
    var host: String
    var port: Int

    /// More addresses of one name are ignored.
    static let most = 16

    /// Looks up a broker's name. Blocks for as long as the system's resolver takes, usually 5 to 30 s at worst.
    ///
    /// - Returns: at least one and at most ``most``, alternating between the families, IPv4 first: most shops' networks
    ///   have it, and a network may advertise IPv6 that leads nowhere.
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

/// A lookup on a thread of its own, since it blocks. It may outlast its caller's timeout, and is then used by the next
/// attempt.
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

    /// `nil` until there is a result. Any thread.
    var outcome: Result<[Endpoint], LinkFailure>? { result.withLock { $0 } }
}
