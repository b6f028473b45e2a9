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
