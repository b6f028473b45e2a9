import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("mqtts:// proves who the broker is, and who the box is", .timeLimit(.minutes(10)))
struct TLSTests {
    private let folder: TemporaryFolder
    private let certificates: TestCertificates

    init() async throws {
        folder = try TemporaryFolder()
        certificates = try await TestCertificates(in: folder)
    }

    private func configuration(server: TestCertificates.Pair, more: String...) -> [String] {
        ["allow_anonymous true", "certfile \(server.certificate)", "keyfile \(server.key)"] + more
    }

    private func settings(_ broker: MosquittoBroker, host: String, tls: MQTTSettings.TLS) throws -> MQTTSettings {
        try boxSettings(port: broker.port) {
            $0.hosts[0].name = host
            $0.tls = tls
        }
    }

    /// Why the first attempt to connect fails.
    private func failure(_ settings: MQTTSettings) async throws -> String {
        let delegate = RecordingDelegate()
        let reason = Journal<String>()
        try await withFeed(settings, delegate: delegate) { _ in
            reason.append(try await delegate.disconnectionReason())
        }
        #expect(!delegate.connections.entries.contains(.subscribed))
        return try await reason.next()
    }

    @Test(
        "With the right authority, payments arrive, by host name and by address", arguments: ["localhost", "127.0.0.1"])
    func rightAuthority(host: String) async throws {
        try await withMosquitto(configuration: configuration(server: certificates.server), in: folder) { broker in
            let settings = try settings(broker, host: host, tls: .init(caFile: certificates.authority.certificate))
            let delegate = RecordingDelegate()
            try await withFeed(settings, delegate: delegate) { _ in
                try await delegate.subscribed()
                // Many at once: what TLS has decrypted already is no longer in the socket, and must not be left there.
                let payloads = (1...200).map { "\($0)" }
                try await onOwnThread(named: "publisher") {
                    try MQTTPublisher(settings: settings).publish(
                        payloads.map { Array($0.utf8) }, timeout: .seconds(300))
                }
                var received: [String] = []
                while received.count < payloads.count { received += try await delegate.batches.next().map(\.text) }
                #expect(received == payloads)
            }
        }
    }

    @Test("A broker that is killed has closed the connection; that TLS misses a goodbye is no other fault")
    func killed() async throws {
        let broker = try await MosquittoBroker.start(
            in: folder, configuration: configuration(server: certificates.server))
        let settings = try settings(
            broker, host: "localhost", tls: .init(caFile: certificates.authority.certificate))
        let delegate = RecordingDelegate()
        try await withFeed(settings, delegate: delegate) { _ in
            try await delegate.subscribed()
            try await broker.kill()
            #expect(
                try await delegate.disconnectionReason() == "connection lost: the broker closed the connection")
        }
    }

    @Test("A broker that another authority vouches for is refused")
    func wrongAuthority() async throws {
        try await withMosquitto(configuration: configuration(server: certificates.server), in: folder) { broker in
            let tls = MQTTSettings.TLS(caFile: certificates.stranger.certificate)
            let reason = try await failure(settings(broker, host: "localhost", tls: tls))
            #expect(
                reason
                    == "cannot reach mqtts://localhost:\(broker.port): TLS: the broker's certificate is not trusted: "
                    + CertificateFault.missingIssuer("CN=authority").description)
        }
    }

    @Test("Without a CA file the system's authorities decide, and they do not know this one")
    func systemAuthorities() async throws {
        try await withMosquitto(configuration: configuration(server: certificates.server), in: folder) { broker in
            let reason = try await failure(settings(broker, host: "localhost", tls: .init()))
            #expect(reason.contains("the broker's certificate is not trusted"))
        }
    }

    @Test("A file that was renewed counts from the next connection on")
    func renewed() async throws {
        let file = folder.file("trusted.pem")
        try folder.write(folder.read("stranger.pem"), to: "trusted.pem")
        try await withMosquitto(configuration: configuration(server: certificates.server), in: folder) { broker in
            let delegate = RecordingDelegate()
            let settings = try settings(broker, host: "localhost", tls: .init(caFile: file))
            try await withFeed(settings, delegate: delegate) { _ in
                #expect(try await delegate.disconnectionReason().contains("is not trusted"))
                try folder.write(folder.read("authority.pem"), to: "trusted.pem")
                try await delegate.subscribed()
            }
        }
    }

    @Test("A certificate made out to another host is refused")
    func wrongHost() async throws {
        try await withMosquitto(configuration: configuration(server: certificates.elsewhere), in: folder) { broker in
            let tls = MQTTSettings.TLS(caFile: certificates.authority.certificate)
            let reason = try await failure(settings(broker, host: "localhost", tls: tls))
            #expect(
                reason == "cannot reach mqtts://localhost:\(broker.port): "
                    + "TLS: the broker's certificate is made out to another host name")
        }
    }

    @Test("A broker that asks for a client certificate lets the box in with it, and not without")
    func clientCertificate() async throws {
        let configuration = configuration(
            server: certificates.server, more: "cafile \(certificates.authority.certificate)",
            "require_certificate true")
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            var tls = MQTTSettings.TLS(caFile: certificates.authority.certificate)
            let reason = try await failure(settings(broker, host: "localhost", tls: tls))
            #expect(reason.contains("cert_file and key_file"))

            tls.certFile = certificates.client.certificate
            tls.keyFile = certificates.client.key
            let delegate = RecordingDelegate()
            try await withFeed(settings(broker, host: "localhost", tls: tls), delegate: delegate) { _ in
                try await delegate.subscribed()
            }
        }
    }

    /// What docs/configuration.md tells an administrator to run.
    private func pin(_ certificate: String) async throws -> String {
        let command = """
            openssl x509 -in '\(certificate)' -noout -pubkey | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64
            """
        return try await ChildProcess(["sh", "-c", command]).output.next()
    }

    @Test("A pinned key is let in, also as one of several")
    func pinnedKey() async throws {
        let pins = [String(repeating: "A", count: 43) + "=", try await pin(certificates.server.certificate)]
        try await withMosquitto(configuration: configuration(server: certificates.server), in: folder) { broker in
            let tls = MQTTSettings.TLS(caFile: certificates.authority.certificate, pins: pins)
            let settings = try settings(broker, host: "localhost", tls: tls)
            let delegate = RecordingDelegate()
            try await withFeed(settings, delegate: delegate) { _ in
                try await delegate.subscribed()
                try await onOwnThread(named: "publisher") {
                    try MQTTPublisher(settings: settings).publish([Array("A".utf8)], timeout: .seconds(300))
                }
                #expect(try await delegate.batches.next().map(\.text) == ["A"])
            }
        }
    }

    @Test("A key that is not pinned is refused before anything is sent, though its authority and its name are right")
    func otherKey() async throws {
        let broker = try await MosquittoBroker.start(
            in: folder, configuration: configuration(server: certificates.server))
        let tls = MQTTSettings.TLS(
            caFile: certificates.authority.certificate, pins: [try await pin(certificates.client.certificate)])
        var settings = try settings(broker, host: "localhost", tls: tls)
        settings.username = "box"
        settings.password = "s3cret"
        let reason = try await failure(settings)
        let found = try await pin(certificates.server.certificate)
        #expect(
            reason == "cannot reach mqtts://localhost:\(broker.port): "
                + "TLS: the broker's key is none of those in pin_sha256; its SHA-256 is \(found)")
        // It was refused within the handshake. The broker logs every CONNECT that reaches it.
        try await broker.log.next { $0.contains("alert") ? () : nil }
        try await broker.stop()
        let log = try await broker.log.all()
        #expect(!log.contains { $0.contains("New client connected") })
    }

    @Test("A pin replaces neither the authority nor the host name")
    func pinAlone() async throws {
        for (server, authority, expected) in [
            (certificates.server, certificates.stranger, "is not trusted"),
            (certificates.elsewhere, certificates.authority, "made out to another host name"),
        ] {
            try await withMosquitto(configuration: configuration(server: server), in: folder) { broker in
                let tls = MQTTSettings.TLS(caFile: authority.certificate, pins: [try await pin(server.certificate)])
                #expect(try await failure(settings(broker, host: "localhost", tls: tls)).contains(expected))
            }
        }
    }

    @Test("A port that does not speak TLS is named as the cause, whether it talks or hangs up")
    func plainPort() async throws {
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        let delegate = RecordingDelegate()
        let settings = try boxSettings(port: broker.port) {
            $0.tls = .init(caFile: certificates.authority.certificate)
            $0.handshakeLimit = .seconds(300)
        }
        try await withFeed(settings, delegate: delegate) { _ in
            let talking = try await broker.connection()
            talking.send(bytes: Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8))
            var reason = try await delegate.disconnectionReason()
            let start = "cannot reach mqtts://127.0.0.1:\(broker.port): "
            #expect(reason == start + "TLS: the broker does not speak TLS on this port")

            let silent = try await broker.connection()
            silent.hangUp()
            reason = try await delegate.disconnectionReason()
            #expect(reason.hasPrefix(start + "the broker closed the connection during the TLS handshake"))
        }
    }

    @Test("A certificate without its key is reported before anything is tried")
    func halfAPair() async throws {
        let settings = try boxSettings(port: 8883) { $0.tls = .init(certFile: certificates.client.certificate) }
        #expect(
            try await failure(settings) == "a client certificate and its key go together (cert_file, key_file)")
    }
}
