import Foundation
import SoundboxCore
import SoundboxMQTT
import SoundboxSetup
import TestSupport
import Testing

@Suite("A broker that binds client ids to users, as the example has it", .timeLimit(.minutes(10)))
struct BoundClientIDTests {
    private static let id = "soundbox-M1001-box-01"
    private static let payments = "soundbox/v1/M1001/box-01/payments"

    private let folder: TemporaryFolder
    private let configuration: [String]

    init() async throws {
        folder = try TemporaryFolder()
        let example = "\(Products.project)/provisioning/broker/dynamic-security"
        let script = try ChildProcess(
            ["\(example)/make-dynamic-security.py", "provider", folder.file("passwords")],
            input: "M1001 box-01\nM2002 box-02\n")
        let security = try folder.write(
            try await script.output.all().joined(separator: "\n"), to: "dynamic-security.json")
        // Without its certificates: what is tried is the sign-in.
        let encrypted = ["listener", "tls_version", "cafile", "certfile", "keyfile", "require_cert", "use_identity"]
        configuration = try String(contentsOfFile: "\(example)/mosquitto.conf", encoding: .utf8)
            .replacing("/var/lib/mosquitto/dynamic-security.json", with: security)
            .replacing("/var/lib/mosquitto", with: folder.path)
            .split(separator: "\n").map(String.init).filter { line in !encrypted.contains { line.hasPrefix($0) } }
    }

    private func password(_ user: String) throws -> String {
        try String(contentsOfFile: folder.file("passwords/\(user)"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func client(
        _ program: String, _ user: String, _ id: String, _ broker: MosquittoBroker, _ arguments: [String]
    ) throws -> ChildProcess {
        try ChildProcess(
            [
                program, "--host", "127.0.0.1", "--port", "\(broker.port)", "--username", user, "--pw",
                try password(user), "--id", id, "--qos", "1", "--topic", Self.payments,
            ] + arguments)
    }

    /// Listens as the box for a moment, so that it has a session.
    private func beginSession(_ broker: MosquittoBroker) async throws {
        let box = try client("mosquitto_sub", "M1001.box-01", Self.id, broker, ["--disable-clean-session", "-E"])
        #expect(try await box.exitStatus() == 0)
    }

    private func pay(_ broker: MosquittoBroker) async throws {
        let provider = try client("mosquitto_pub", "provider", "provider-1", broker, ["--message", "a payment"])
        #expect(try await provider.exitStatus() == 0)
    }

    /// What waits for the box.
    private func waiting(_ broker: MosquittoBroker) async throws -> String? {
        let box = try client(
            "mosquitto_sub", "M1001.box-01", Self.id, broker, ["--disable-clean-session", "-C", "1", "-W", "20"])
        return try await box.output.all().first
    }

    private func settings(_ broker: MosquittoBroker, password: String) throws -> MQTTSettings {
        MQTTSettings(
            hosts: [.init("127.0.0.1", port: broker.port)], username: "M1001.box-01", password: password,
            topics: try Topics(merchant: "M1001", device: "box-01"))
    }

    private func signIn(_ broker: MosquittoBroker, _ presence: BoxPresence, password: String) async throws -> Finding {
        let findings = await BrokerCheck(settings: try settings(broker, password: password), presence: presence).run()
        return try #require(findings.first { $0.area == "sign-in" })
    }

    @Test("Another user who takes the box's client id is refused, and what waits for the box still comes")
    func thief() async throws {
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            try await beginSession(broker)
            try await pay(broker)
            let thief = try client("mosquitto_sub", "M2002.box-02", Self.id, broker, ["-W", "5"])
            #expect(try await thief.exitStatus() != 0)
            let payment = try await waiting(broker)
            #expect(payment == "a payment")
        }
    }

    @Test("The doctor leaves a running box alone, and says that the refusal may be meant for the id")
    func running() async throws {
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let finding = try await signIn(broker, .running, password: try password("M1001.box-01"))
            #expect(finding.level == .amber)
            #expect(finding.detail.contains("under another client id than the box's"))
            let connections = broker.log.entries.filter { $0.contains("as \(Self.id)") }
            #expect(connections.isEmpty)
        }
    }

    @Test("Where no box runs, the doctor comes under its id, and takes nothing of what waits")
    func away() async throws {
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            try await beginSession(broker)
            try await pay(broker)
            let finding = try await signIn(broker, .away, password: try password("M1001.box-01"))
            #expect(finding.level == .amber)
            #expect(finding.detail.contains("under the box's own client id only"))
            let payment = try await waiting(broker)
            #expect(payment == "a payment")
        }
    }

    @Test("A session that the broker does not have is not made by the doctor: the box would not miss its own")
    func noSession() async throws {
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            _ = try await signIn(broker, .away, password: try password("M1001.box-01"))
            try await beginSession(broker)
            // Only the box subscribes. What the broker tells at each connection: whether there was a session.
            _ = try await broker.log.next { $0.contains("Sending SUBACK to \(Self.id)") ? $0 : nil }
            let answers = broker.log.entries.filter { $0.contains("Sending CONNACK to \(Self.id)") }
            #expect(answers.count == 3)
            #expect(answers.allSatisfy { $0.contains("(0, 0)") })
        }
    }

    @Test("A wrong password is red when no box runs")
    func wrongPassword() async throws {
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let finding = try await signIn(broker, .away, password: "wrong")
            #expect(finding.level == .red)
        }
    }
}
