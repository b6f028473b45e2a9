import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("mqtts:// keeps to dates and revocations", .timeLimit(.minutes(10)))
struct TLSValidityTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
    }

    private static let hosts = "DNS:localhost,IP:127.0.0.1"

    /// Why the first attempt to connect fails.
    private func failure(_ broker: MosquittoBroker, tls: MQTTSettings.TLS) async throws -> String {
        let settings = try boxSettings(port: broker.port) {
            $0.hosts[0].name = "localhost"
            $0.tls = tls
        }
        let delegate = RecordingDelegate()
        let reason = Journal<String>()
        try await withFeed(settings, delegate: delegate) { _ in
            reason.append(try await delegate.disconnectionReason())
        }
        #expect(!delegate.connections.entries.contains(.subscribed))
        return try await reason.next()
    }

    @Test(
        "A broker whose certificate has expired, or begins in the future of this device's clock, is refused",
        arguments: [("20200101000000Z", "20200201000000Z"), ("20900101000000Z", "20900201000000Z")])
    func dates(from: String, until: String) async throws {
        let server = try await authority.issue("server", alternativeName: Self.hosts, validity: (from, until))
        let configuration = ["allow_anonymous true", "certfile \(server.certificate)", "keyfile \(server.key)"]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let reason = try await failure(broker, tls: .init(caFile: authority.certificate))
            #expect(reason.contains("the broker's certificate is not trusted"))
            #expect(reason.contains("this device's clock"))
        }
    }

    @Test("A box whose certificate was revoked is turned away by the broker and says so; another one gets in")
    func revoked() async throws {
        let server = try await authority.issue("server", alternativeName: Self.hosts)
        let stolen = try await authority.issue("stolen")
        let good = try await authority.issue("good")
        try await authority.revoke(stolen)
        let configuration = [
            "allow_anonymous true", "certfile \(server.certificate)", "keyfile \(server.key)",
            "cafile \(authority.certificate)", "require_certificate true",
            "crlfile \(try await authority.revocationList())",
        ]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let reason = try await failure(
                broker,
                tls: .init(caFile: authority.certificate, certFile: stolen.certificate, keyFile: stolen.key))
            #expect(reason.contains("revoked") || reason.contains("closed the connection during the TLS handshake"))

            let settings = try boxSettings(port: broker.port) {
                $0.hosts[0].name = "localhost"
                $0.tls = .init(caFile: authority.certificate, certFile: good.certificate, keyFile: good.key)
            }
            let delegate = RecordingDelegate()
            try await withFeed(settings, delegate: delegate) { _ in try await delegate.subscribed() }
        }
    }
}
