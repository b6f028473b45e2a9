import NIOCore
import NIOPosix
import NIOSSL
import SoundboxCore

/// What a broker's certificate says, fetched without trusting it. It explains a refusal and never allows a connection;
/// the connection itself tells only that the verification failed.
struct BrokerCertificate: Sendable, Equatable {
    /// Seconds since 1970.
    var notBefore: Int
    var notAfter: Int
    /// Host names and addresses that it is made out to.
    var names: [String]

    /// Connects, takes the certificate and hangs up.
    /// - Returns: `nil` when the broker offers none within ``TCPCheck/limit``.
    static func fetch(host: String, port: Int) async -> BrokerCertificate? {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let received = loop.makePromise(of: BrokerCertificate?.self)
        // An address is no server name (RFC 6066, section 3).
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(TCPCheck.limit).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                var configuration = TLSConfiguration.makeClientConfiguration()
                configuration.minimumTLSVersion = .tlsv12
                let handler = try NIOSSLClientHandler(
                    context: try NIOSSLContext(configuration: configuration), serverHostname: isAddress ? nil : host,
                    customVerificationCallback: { chain, verdict in
                        received.succeed(chain.first.map(BrokerCertificate.init))
                        verdict.succeed(.failed)
                    })
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        let timeout = loop.scheduleTask(in: TCPCheck.limit) { received.succeed(nil) }
        let channel = try? await bootstrap.connect(host: host, port: port).get()
        if channel == nil { received.succeed(nil) }
        let certificate = try? await received.futureResult.get()
        timeout.cancel()
        try? await channel?.close()
        return certificate ?? nil
    }

    init(notBefore: Int, notAfter: Int, names: [String]) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.names = names
    }

    private init(_ certificate: NIOSSLCertificate) {
        notBefore = Int(certificate.notValidBefore)
        notAfter = Int(certificate.notValidAfter)
        names = certificate._subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            switch (name.nameType, bytes.count) {
            case (.dnsName, _): return String(decoding: bytes, as: UTF8.self)
            case (.ipAddress, 4): return bytes.map(String.init).joined(separator: ".")
            case (.ipAddress, 16):
                return (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?.ipAddress
            default: return nil
            }
        }
    }

    /// Why a box with this clock does not accept the certificate.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - hasCAFile: whether the box was given an authority of its own.
    func explanation(for host: String, now: Int, hasCAFile: Bool) -> String {
        if now < notBefore {
            return "the broker's certificate is not valid yet: it begins in \(Self.span(notBefore - now)), by this "
                + "device's clock; is the clock right?"
        }
        if now > notAfter { return "the broker's certificate expired \(Self.span(now - notAfter)) ago" }
        if !names.contains(where: { Self.covers($0, host) }) {
            let names = names.isEmpty ? "no host at all" : names.joined(separator: ", ")
            return "the broker's certificate is for \(names), and not for \(host)"
        }
        return hasCAFile
            ? "the broker's certificate is not signed by the given authority"
            : "the broker's certificate is not signed by an authority that this system trusts; give its authority's file"
    }

    private static func span(_ seconds: Int) -> String {
        let (count, unit) =
            switch seconds {
            case ..<7200: (max(1, seconds / 60), "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    /// A wildcard stands for exactly the first label (RFC 6125, section 6.4.3).
    private static func covers(_ name: String, _ host: String) -> Bool {
        let (name, host) = (name.lowercased(), host.lowercased())
        guard name.hasPrefix("*.") else { return name == host }
        return host.drop { $0 != "." } == name.dropFirst()
    }
}
