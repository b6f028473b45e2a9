import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import SoundboxCore
import SoundboxSystem

/// Fetches the bytes of a clip from a host that the configuration allows, and from nobody on this machine or in the shop.
///
/// Each hop is checked anew: scheme, host, port, and every address that the host's name has. The connection then goes to
/// the address that was checked, and not to what a second lookup might say; TLS is verified against the name. The
/// library's own redirects, proxies and decompression are off.
struct ClipFetcher: Sendable {
    /// Which addresses may be asked, and whose signature is believed. No configuration leads here: tests alone ask a
    /// server on this machine.
    struct Trust: Sendable {
        var allows: @Sendable (InternetAddress) -> Bool = { $0.isPublic }
        /// PEM file of the authority; `nil` is the system's list.
        var authority: String?
        var lookup: @Sendable (String, Duration) async throws(ClipError) -> [InternetAddress] = {
            [names = NameLookup()] (host, time) async throws(ClipError) in
            try await names.addresses(of: host, within: time)
        }
    }

    private static let mostRedirects = 3
    private static let mostAddresses = 4

    private let settings: ClipSettings
    private let trust: Trust

    init(_ settings: ClipSettings, trust: Trust = Trust()) {
        self.settings = settings
        self.trust = trust
    }

    /// Suspends for at most the configured time, however slowly the bytes come.
    /// - Returns: at most ``ClipSettings/largest`` bytes, not verified yet.
    func bytes(of reference: ClipReference) async throws(ClipError) -> [UInt8] {
        try settings.check(reference)
        let first = try ClipURL(parsing: reference.url)
        let most = min(settings.largest, reference.bytes ?? .max)
        let deadline = Duration.monotonicNow + settings.timeout
        let result = await withTaskGroup(of: Result<[UInt8], ClipError>.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do throws(ClipError) { return .success(try await follow(first, most: most, until: deadline)) } catch {
                    return .failure(error)
                }
            }
            group.addTask { [settings] in
                try? await Task.sleep(for: settings.timeout)
                return .failure(ClipError("it did not come within \(settings.timeout)"))
            }
            return await group.next() ?? .failure(ClipError("it was not fetched"))
        }
        return try result.get()
    }

    private func follow(_ first: ClipURL, most: Int, until deadline: Duration) async throws(ClipError) -> [UInt8] {
        var url = first
        for _ in 0...Self.mostRedirects {
            switch try await answer(of: url, most: most, until: deadline) {
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

    private func answer(of url: ClipURL, most: Int, until deadline: Duration) async throws(ClipError) -> Answer {
        let addresses = try await trust.lookup(url.host, deadline - .monotonicNow)
        // A name that leads here and elsewhere is somebody's trick, whichever address comes first.
        for address in addresses where !trust.allows(address) {
            throw ClipError("url: \(url.host) has the address \(address.text), which is not on the public Internet")
        }
        var failure = ClipError("the name \(url.host) has no address")
        for address in addresses.prefix(Self.mostAddresses) {
            do { return try await answer(of: url, at: address, most: most, until: deadline) } catch {
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

    private func answer(
        of url: ClipURL, at address: InternetAddress, most: Int, until deadline: Duration
    ) async throws(HopFailure) -> Answer {
        let client = HTTPClient(configuration: configuration(for: url.host, at: address, until: deadline))
        let result: Result<Answer, HopFailure>
        do throws(HopFailure) {
            result = .success(try await exchange(client, url, most: most, until: deadline))
        } catch {
            result = .failure(error)
        }
        // Closes what is still open, also an answer that nobody reads to its end.
        try? await client.shutdown()
        return try result.get()
    }

    private func configuration(
        for host: String, at address: InternetAddress, until deadline: Duration
    ) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authority = trust.authority { tls.trustRoots = .file(authority) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, proxy: nil, decompression: .disabled)
        configuration.httpVersion = .http1Only
        // The key is the host as the library reads it from the URL, which is the one that was checked.
        configuration.dnsOverride = [host: address.text]
        // Half of what is left, so that the next address has its turn.
        let patience = max(.milliseconds(100), (deadline - .monotonicNow) / 2)
        configuration.timeout.connect = .nanoseconds(patience.nanoseconds)
        // A certificate that is wrong now is wrong for as long as one tries.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Believed last: where the connection has really gone.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            guard channel.remoteAddress?.ipAddress == address.text else {
                return channel.eventLoop.makeFailedFuture(ClipError("the connection went astray"))
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        return configuration
    }

    private func exchange(
        _ client: HTTPClient, _ url: ClipURL, most: Int, until deadline: Duration
    ) async throws(HopFailure) -> Answer {
        var request = HTTPClientRequest(url: url.text)
        request.headers = ["accept": "audio/*", "accept-encoding": "identity", "user-agent": "soundbox"]
        let left = max(.milliseconds(1), deadline - .monotonicNow)
        let response: HTTPClientResponse
        do { response = try await client.execute(request, timeout: .nanoseconds(left.nanoseconds)) } catch {
            throw .notReached("\(error)")
        }
        if [.movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect].contains(response.status) {
            guard let location = response.headers.first(name: "location") else {
                throw .refused(ClipError("the answer is a redirect to nowhere"))
            }
            return .elsewhere(location)
        }
        guard response.status == .ok else { throw .refused(ClipError("the answer is \(response.status.code)")) }
        // More than the sender has announced is not the file that was meant.
        let tooLarge = HopFailure.refused(ClipError("it is larger than \(most) bytes"))
        if let length = response.headers.first(name: "content-length"), Int(length) ?? .max > most { throw tooLarge }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard bytes.count + part.readableBytes <= most else { throw tooLarge }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error as HopFailure {
            throw error
        } catch {
            throw .refused(ClipError("it was cut off after \(bytes.count) bytes: \(error)"))
        }
        return .body(bytes)
    }
}
