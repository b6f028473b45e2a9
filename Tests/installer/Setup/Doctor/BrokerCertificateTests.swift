import Glibc
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxSetup

@Suite("The second look at a broker's certificate", .timeLimit(.minutes(10)))
struct BrokerCertificateTests {
    @Test("It tells names, addresses and dates of a certificate that nobody trusts")
    func offered() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        let now = time(nil)
        try await withTLSServer(certificates.server) { port in
            for host in ["localhost", "127.0.0.1"] {
                let found = try #require(await BrokerCertificate.fetch(host: host, port: port))
                #expect(found.names == ["localhost", "127.0.0.1"])
                #expect(abs(found.notBefore - now) < 3600 && abs(found.notAfter - now - 2 * 86_400) < 3600)
            }
        }
        try await withTLSServer(certificates.elsewhere) { port in
            let found = try #require(await BrokerCertificate.fetch(host: "127.0.0.1", port: port))
            #expect(found.names == ["broker.example"])
        }
        let many = try await TestCertificates.selfSigned(
            "many", "DNS:*.example.com,email:a@example.com,IP:2001:db8::1,URI:https://example.com/,IP:192.0.2.1",
            in: folder)
        try await withTLSServer(many) { port in
            let found = try #require(await BrokerCertificate.fetch(host: "127.0.0.1", port: port))
            #expect(found.names == ["*.example.com", "2001:db8::1", "192.0.2.1"])
        }
    }

    @Test("Whoever is silent, hangs up or speaks no TLS offers none, and costs the limit at most")
    func none() async throws {
        let silent = try LoopbackServer { connection, _ in
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
        }
        #expect(await BrokerCertificate.fetch(host: "127.0.0.1", port: silent.port, within: .milliseconds(200)) == nil)
        let others = [
            try LoopbackServer { _, _ in }, try LoopbackServer(answer: "220 mail.example\r\n"),
            // The head of a TLS record that never comes.
            try LoopbackServer(answer: "\u{16}\u{3}\u{3}\u{40}\u{0}"),
        ]
        for server in others {
            #expect(await BrokerCertificate.fetch(host: "127.0.0.1", port: server.port, within: .seconds(1)) == nil)
        }
        #expect(await BrokerCertificate.fetch(host: "127.0.0.1", port: try LoopbackSocket.freePort()) == nil)
    }

    @Test("A port with a listener is reached, and one without is named by the system's reason")
    func reached() async throws {
        let listener = try LoopbackSocket.listen()
        defer { close(listener) }
        let port = try LoopbackSocket.port(of: listener)
        // localhost may have an IPv6 address as well, at which nobody listens.
        for host in ["127.0.0.1", "localhost"] { #expect(await TCPCheck.failure(host: host, port: port) == nil) }
        #expect(
            await TCPCheck.failure(host: "127.0.0.1", port: try LoopbackSocket.freePort()) == "Connection refused")
        #expect(await TCPCheck.failure(host: "nobody.invalid", port: 1) != nil)
    }
}
