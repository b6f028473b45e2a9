import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxSetup

@Suite("The way to the broker, step by step", .timeLimit(.minutes(10)))
struct BrokerCheckTests {
    private func settings(port: Int, caFile: String? = nil) throws -> MQTTSettings {
        MQTTSettings(
            hosts: [.init("localhost", port: port)], tls: caFile.map { .init(caFile: $0) },
            topics: try Topics(merchant: "M", device: "b"))
    }

    @Test("A certificate that the connection refused is explained with the connection's own reason")
    func intermediate() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        let (server, _) = try await certificates.indirect("indirect", "DNS:localhost", in: folder)
        try await withTLSServer(server) { port in
            let settings = try settings(port: port, caFile: certificates.authority.certificate)
            let finding = try #require(await BrokerCheck(settings: settings, presence: .away).run().last)
            #expect(finding.area == "TLS" && finding.level == .red)
            #expect(finding.detail.contains("\"CN=intermediate\" is neither sent by the broker nor in the CA file"))
        }
    }

    /// Answers each CONNECT as a platform does that refuses a keep-alive below 30 s: MQTT 3.1.1, code 2.
    private func platform() throws -> LoopbackServer {
        try LoopbackServer { connection, request in
            let bytes = Array(request.unicodeScalars)
            // Behind the name, the level and the flags, of which the first may be no UTF-8.
            guard let name = bytes.indices.first(where: { bytes[$0...].starts(with: "MQTT".unicodeScalars) }),
                bytes.count > name + 7
            else { return }
            let keepAlive = bytes[name + 6].value << 8 + bytes[name + 7].value
            var answer: [UInt8] = [0x20, 2, 0, keepAlive < 30 ? 2 : 5]
            send(connection, &answer, answer.count, Int32(MSG_NOSIGNAL))
        }
    }

    @Test(
        "A refused client id may be a keep-alive that is too short, whoever asks",
        arguments: [
            BoxPresence.away, .unknown, .running,
        ])
    func keepAlive(presence: BoxPresence) async throws {
        let platform = try platform()
        var settings = try settings(port: platform.port)
        settings.protocolChoice = .v311
        let finding = try #require(await BrokerCheck(settings: settings, presence: presence).run().last)
        #expect(finding.area == "sign-in")
        #expect(finding.detail.contains("client id") && finding.detail.contains("broker.keep_alive"))
    }

    @Test("TLS to a port without, and the other way round, is told, and how the address has to begin")
    func wrongPorts() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        func detail(_ port: Int, caFile: String?) async throws -> String {
            let settings = try settings(port: port, caFile: caFile)
            return try #require(await BrokerCheck(settings: settings, presence: .away).run().last).detail
        }
        try await withMosquitto(in: folder) { broker in
            let detail = try await detail(broker.port, caFile: certificates.authority.certificate)
            #expect(detail.contains("this port speaks MQTT without TLS: the address begins with mqtt://"))
        }
        let configuration = [
            "allow_anonymous true", "certfile \(certificates.server.certificate)", "keyfile \(certificates.server.key)",
        ]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let detail = try await detail(broker.port, caFile: nil)
            #expect(detail.contains("this port speaks TLS: the address has to begin with mqtts://"))
        }
    }

    @Test(
        "What is no broker is named",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", "a web server answers at this port"),
            ("SSH-2.0-OpenSSH_9.2p1\r\n", "no MQTT broker; it says \"SSH-2.0-OpenSSH_9.2p1\""),
        ])
    func stranger(answer: String, words: String) async throws {
        let server = try LoopbackServer { connection, _ in
            _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        }
        let finding = try #require(
            await BrokerCheck(settings: settings(port: server.port), presence: .away).run().last)
        #expect(finding.level == .red && finding.detail.contains(words), "\(finding)")
    }

    @Test("Setup tries the broker with the keep-alive that is installed")
    func installedKeepAlive() async throws {
        let platform = try platform()
        var answers = SetupAnswers()
        (answers.merchantID, answers.deviceID) = ("M", "b")
        answers.brokerURL = "mqtt://127.0.0.1:\(platform.port)"
        let text = """
            broker: {keep_alive: 60s, protocol: "3.1.1"}
            control_socket: /nonexistent/control.sock

            """
        let document = try YAMLDocument(parsing: text, file: "soundbox.yaml")
        let findings = await SetupTrial(answers, over: document).checkBroker()
        // It has another answer for those who come with 30 s or more.
        #expect(findings.last?.detail.contains("not authorised") == true, "\(findings)")
    }
}
