import SoundboxCore
import SoundboxSystem

/// Fetches the bytes of a clip from a host that the configuration allows, and from nobody on this machine or in the shop.
///
/// Each hop is checked anew: scheme, host, port, and every address that the host's name has. The connection then goes to
/// the address that was checked, and not to what a second lookup might say; TLS is verified against the name.
/// ``HTTPFetch`` follows no redirect, asks no proxy and decompresses nothing.
public struct ClipFetcher {
    /// Which addresses may be asked, and whose signature is believed. No configuration leads here: tests alone ask a
    /// server on this machine.
    struct Trust {
        var allows: (InternetAddress) -> Bool = { $0.isPublic }
        /// PEM file of the authority; `nil` is the system's list.
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

    /// Blocks for at most the configured time, however slowly the bytes come, and for as long as names are looked up.
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
        // A name that leads here and elsewhere is somebody's trick, whichever address comes first.
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
        /// Nothing was received; another address may do.
        case notReached(String)
        case refused(ClipError)
    }

    private static let redirects = [301, 302, 303, 307, 308]

    private func answer(
        of url: ClipURL, at address: InternetAddress, until deadline: Duration
    ) throws(HopFailure) -> Answer {
        let left = deadline - .monotonicNow
        var request = HTTPFetch("GET", url.text, limit: left, most: settings.largest)
        // Half of what is left, so that the next address has its turn.
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
        // More than the sender has announced is not the file that was meant.
        case .tooLarge: .refused(ClipError("it is larger than \(settings.largest) bytes"))
        case .cutOff(let reason, let count): .refused(ClipError("it was cut off after \(count) bytes: \(reason)"))
        }
    }
}
