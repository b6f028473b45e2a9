import Glibc
import SoundboxCore
import SoundboxSystem

/// Fetches a clip from an allowed host on the public Internet, never from this machine or the shop's network:
///
///     let bytes = try ClipFetcher(settings).bytes(of: "https://cdn.example.com/clip.mp3")
///
/// Each hop is checked: scheme, host, port, and every address of the host. The connection then goes to the checked
/// address, not to the result of a second lookup; TLS is verified against the name. ``HTTPFetch`` follows no redirect,
/// uses no proxy and decompresses nothing.
public struct ClipFetcher {
    /// Allowed addresses and the trusted authority. Only tests change it, to use a server on this machine.
    struct Trust {
        var allows: (InternetAddress) -> Bool = { $0.isPublic }
        /// PEM file of the authority; `nil` for the system's list.
        var authority: String?
        var lookup = NameLookup.addresses(of:)
    }

    private static let mostRedirects = 3
    private static let mostAddresses = 4

    private let settings: ClipSettings
    private let trust: Trust

    /// - Parameter settings: hosts, limits and time.
    public init(_ settings: ClipSettings) { self.init(settings, trust: Trust()) }

    init(_ settings: ClipSettings, trust: Trust) {
        self.settings = settings
        self.trust = trust
    }

    /// Blocks for at most the configured time, even if the bytes arrive slowly, plus the time of the name lookups.
    /// - Returns: at most ``ClipSettings/largest`` bytes, not verified.
    public func bytes(of address: String) throws(ClipError) -> [UInt8] {
        var url = try ClipURL(parsing: address)
        try settings.check(url)
        let deadline = Duration.monotonicNow + settings.timeout
        for _ in 0...Self.mostRedirects {
            switch try answer(of: url, until: deadline) {
            case .body(let bytes): return bytes
            case .elsewhere(let location):
                let next = try url.redirected(to: location)
                guard next.scheme == .https || url.scheme == .http else {
                    throw ClipError("url: redirected from https:// to http://")
                }
                try settings.check(next)
                url = next
            }
        }
        throw ClipError("url: redirected more than \(Self.mostRedirects) times")
    }

    private enum Answer {
        case body([UInt8])
        case elsewhere(String)
    }

    private func answer(of url: ClipURL, until deadline: Duration) throws(ClipError) -> Answer {
        let addresses = try trust.lookup(url.host)
        // A name with a private and a public address is an attack, in any order.
        for address in addresses where !trust.allows(address) {
            throw ClipError("url: \(url.host) has the address \(address.text), which is not on the public Internet")
        }
        var failure = ClipError("the name \(url.host) has no address")
        for address in addresses.prefix(Self.mostAddresses) {
            do { return try answer(of: url, at: address, until: deadline) } catch {
                switch error {
                case .notReached(let reason): failure = ClipError("\(url.host) at \(address.text): \(reason)")
                case .refused(let error): throw error
                }
            }
            guard deadline > .monotonicNow else { break }
        }
        throw failure
    }

    private enum HopFailure: Error {
        /// Nothing was received; another address may work.
        case notReached(String)
        case refused(ClipError)
    }

    private static let redirects = [301, 302, 303, 307, 308]

    private func answer(
        of url: ClipURL, at address: InternetAddress, until deadline: Duration
    ) throws(HopFailure) -> Answer {
        let left = deadline - .monotonicNow
        var request = HTTPFetch("GET", url.text, limit: left, most: settings.largest)
        // Half of the remaining time, so that the next address has a chance.
        request.connectLimit = max(.milliseconds(100), left / 2)
        request.address = address.text
        request.authorities = trust.authority
        request.headers = ["Accept: audio/*", "Accept-Encoding: identity", "User-Agent: soundbox", "Connection: close"]
        request.readsSuccessOnly = true
        let answer: HTTPAnswer
        do throws(HTTPFailure) { answer = try request.answer() } catch { throw hopFailure(error) }
        if Self.redirects.contains(answer.status) {
            guard let location = answer.location else {
                throw .refused(ClipError("the answer is a redirect to nowhere"))
            }
            return .elsewhere(location)
        }
        guard answer.status == 200 else { throw .refused(ClipError("the answer is \(answer.status)")) }
        return .body(answer.body)
    }

    private func hopFailure(_ failure: HTTPFailure) -> HopFailure {
        switch failure {
        case .notReached(let reason, _): .notReached(reason)
        case .timedOut: .refused(ClipError("it did not come within \(settings.timeout)"))
        case .cancelled: .refused(ClipError("it was not fetched"))
        // Also larger than the command has announced: it is not the file that was meant.
        case .tooLarge: .refused(ClipError("it is larger than \(settings.largest) bytes"))
        case .cutOff(let reason, let count): .refused(ClipError("it was cut off after \(count) bytes: \(reason)"))
        }
    }
}

/// Looks up names with getaddrinfo(3). Only the end of the process can interrupt it.
enum NameLookup {
    /// Blocks without a timeout.
    /// - Returns: at least one address, in the order to try.
    static func addresses(of host: String) throws(ClipError) -> [InternetAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else {
            throw ClipError("the name \(host) cannot be looked up: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(first) }
        var addresses: [InternetAddress] = []
        for entry in sequence(first: first, next: { $0?.pointee.ai_next }) {
            guard let entry, let address = entry.pointee.ai_addr else { break }
            // ip(7), ipv6(7): after family and port, in IPv6 also after the flow.
            let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
            let found: InternetAddress? =
                switch Int32(address.pointee.sa_family) {
                case AF_INET where raw.count >= 8: InternetAddress(bytes: Array(raw[4..<8]))
                case AF_INET6 where raw.count >= 24: InternetAddress(bytes: Array(raw[8..<24]))
                default: nil
                }
            if let found, !addresses.contains(found) { addresses.append(found) }
        }
        guard !addresses.isEmpty else { throw ClipError("the name \(host) has no address") }
        return addresses
    }
}

extension InternetAddress {
    /// In the format of inet_ntop(3): `192.0.2.1`, `2001:db8::1`.
    var text: String {
        let (family, bytes) =
            switch self {
            case .v4(let bytes): (AF_INET, bytes)
            case .v6(let bytes): (AF_INET6, bytes)
            }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
