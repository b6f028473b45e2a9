import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxMQTT

@Suite("Why a broker or its certificate is refused is told by its kind", .timeLimit(.minutes(10)))
struct CertificateFaultTests {
    private let folder: TemporaryFolder
    private let certificates: TestCertificates

    init() async throws {
        folder = try TemporaryFolder()
        certificates = try await TestCertificates(in: folder)
    }

    /// Why no connection comes about.
    private func failure(
        _ server: TestCertificates.Pair, _ options: [String] = [], caFile: String?
    ) async throws -> String {
        let reason = Journal<String>()
        try await withTLSServer(server, options: options) { port in
            let settings = try boxSettings(port: port) {
                $0.hosts[0].name = "localhost"
                $0.tls = .init(caFile: caFile)
            }
            let error = await #expect(throws: MQTTError.self) {
                try await onOwnThread(named: "probe") {
                    _ = try MQTTProbe(settings: settings).run(timeout: .seconds(300))
                }
            }
            reason.append("\(try #require(error))")
        }
        return try await reason.next()
    }

    private func expectTrust(in server: TestCertificates.Pair, caFile: String) async throws {
        let configuration = ["allow_anonymous true", "certfile \(server.certificate)", "keyfile \(server.key)"]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let settings = try boxSettings(port: broker.port) {
                $0.hosts[0].name = "localhost"
                $0.tls = .init(caFile: caFile)
            }
            let (outcome, _) = try await onOwnThread(named: "probe") {
                try MQTTProbe(settings: settings).run(timeout: .seconds(300))
            }
            #expect(outcome == .delivered)
        }
    }

    @Test("A missing intermediate is named, with who has to send it; with it, the certificate is trusted")
    func missingIntermediate() async throws {
        let (server, intermediate) = try await certificates.indirect("indirect", "DNS:localhost", in: folder)
        let authority = certificates.authority.certificate
        let text = try await failure(server, caFile: authority)
        #expect(text.contains("its authority \"CN=intermediate\" is neither sent by the broker nor in the CA file"))
        #expect(text.contains("fullchain.pem"))
        try folder.write(folder.read("indirect.pem") + folder.read("intermediate.pem"), to: "fullchain.pem")
        var whole = server
        whole.certificate = folder.file("fullchain.pem")
        try await expectTrust(in: whole, caFile: authority)
        let stranger = try await failure(
            server, ["-cert_chain", intermediate], caFile: certificates.stranger.certificate)
        #expect(stranger.contains("its authority \"CN=authority\""))
    }

    @Test("An authority that the broker sends and nobody trusts is named")
    func unknownAuthority() async throws {
        let text = try await failure(
            certificates.server, ["-cert_chain", certificates.authority.certificate],
            caFile: certificates.stranger.certificate)
        #expect(text.contains("its authority \"CN=authority\" is not in the CA file"))
    }

    @Test("A certificate that signs itself says so")
    func selfSigned() async throws {
        let own = try await TestCertificates.selfSigned("own", "DNS:localhost", in: folder)
        #expect(try await failure(own, caFile: nil).contains("signed by itself only"))
        try await expectTrust(in: own, caFile: own.certificate)
    }

    @Test("A short key and an outdated hash are told from a wrong authority")
    func weak() async throws {
        let authority = certificates.authority.certificate
        let short = try await certificates.weak("short", bits: 1024, in: folder)
        #expect(try await failure(short, caFile: authority).contains("is too short"))
        let outdated = try await certificates.weak("outdated", hash: "sha1", in: folder)
        #expect(try await failure(outdated, caFile: authority).contains("outdated hash such as SHA-1"))
    }

    @Test("A broker that speaks TLS 1.1 only is named as that")
    func oldVersion() async throws {
        let text = try await failure(certificates.server, ["-tls1_1"], caFile: certificates.authority.certificate)
        #expect(text.contains("speaks TLS 1.1 or older only"))
    }
}
