import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxMQTT

@Suite("A connection is closed when it is given up", .timeLimit(.minutes(10)))
struct LinkTests {
    private func client(port: Int, change: (inout MQTTSettings) -> Void = { _ in }) throws -> Session {
        try Session(
            boxSettings(port: port, change: change), clientID: "box", keepsSession: true, will: nil)
    }

    /// The other side sees the end of each, which only a closed descriptor brings about.
    @Test("When it is dropped, replaced, or its client goes away, a hundred times")
    func closed() async throws {
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        for _ in 1...100 {
            var client: Session? = try client(port: broker.port)
            var connections: [BrokerConnection] = []
            for _ in 1...2 {
                try client?.connect()
                connections.append(try await broker.connection())
            }
            client?.drop()
            try client?.connect()
            connections.append(try await broker.connection())
            client = nil
            for connection in connections { #expect(try await connection.packets.all().isEmpty) }
        }
    }

    @Test(
        "When its files cannot be used, which is told by name, and without asking for a passphrase",
        arguments: ["authority.pem", "client.pem", "client.key", "encrypted.key"])
    func unusableFiles(name: String) async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        let broken = folder.file(name)
        if name == "encrypted.key" {
            try await ChildProcess.run(
                "openssl", "pkey", "-in", certificates.client.key, "-aes256", "-passout", "pass:secret", "-out", broken)
        } else {
            try folder.write("-----BEGIN NONSENSE-----\n", to: name)
        }
        let client = try client(port: 8883) {
            $0.tls = .init(
                caFile: certificates.authority.certificate, certFile: certificates.client.certificate,
                keyFile: name == "encrypted.key" ? broken : certificates.client.key)
        }
        let error = #expect(throws: MQTTError.self) { try client.connect() }
        let kind = name == "authority.pem" ? "CA" : name == "client.pem" ? "certificate" : "key"
        #expect(error?.description.hasPrefix("the broker's \(kind) file \"\(broken)\" cannot be used: ") == true)
        if name == "encrypted.key" { #expect(error?.description.contains("it has a passphrase") == true) }
    }

    @Test("A certificate of the box's own that is too weak says why")
    func weakCertificate() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        for (pair, expected) in [
            (try await certificates.weak("short", bits: 1024, in: folder), "its key is too short"),
            (try await certificates.weak("outdated", hash: "sha1", in: folder), "outdated hash such as SHA-1"),
        ] {
            let client = try client(port: 8883) { $0.tls = .init(certFile: pair.certificate, keyFile: pair.key) }
            let error = #expect(throws: MQTTError.self) { try client.connect() }
            #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
        }
    }

    @Test("A key that does not belong to its certificate is told by name")
    func otherKey() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        let client = try client(port: 8883) {
            $0.tls = .init(certFile: certificates.client.certificate, keyFile: certificates.server.key)
        }
        let error = #expect(throws: MQTTError.self) { try client.connect() }
        #expect(error?.description.contains("key file \"\(certificates.server.key)\" cannot be used: ") == true)
    }
}
