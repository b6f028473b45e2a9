import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("The feed finds its way back to a broker", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("CONNECT names the box, keeps the session, leaves a will and carries the credentials")
    func connectPacket() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(
            delegate: delegate,
            settings: {
                $0.username = "box-01"
                $0.password = "secret"
                $0.keepAlive = .seconds(45)
            }
        ) { broker, _ in
            let (_, connect) = try await broker.connectionWithConnect()
            #expect(
                connect
                    == ControlPacket.Connect(
                        cleanSession: false, keepAlive: 45, clientID: "soundbox-M1001-box-01", willTopic: statusTopic,
                        willPayload: offlineStatus, willQoS: 1, willIsRetained: true, username: "box-01",
                        password: "secret",
                        // Kept for 30 days; 256 messages at a time, of 1 MiB at most.
                        properties: [
                            0x11, 0x00, 0x27, 0x8D, 0x00, 0x21, 0x01, 0x00, 0x27, 0x00, 0x10, 0x00, 0x00,
                        ]))
        }
    }

    @Test("It subscribes to payments and commands at QoS 1, then to its probe topic, and again on every connection")
    func subscriptions() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            for _ in 1...2 {
                let (connection, _) = try await broker.connectionWithConnect()
                connection.send(.connack())
                var topics: [String] = []
                for granted: UInt8 in [1, 1, 0x80] {
                    let subscription = try await connection.packets.next(\.subscription)
                    #expect(subscription.qos == 1)
                    topics.append(subscription.topic)
                    connection.send(.suback(subscription.id, granted: granted))
                }
                #expect(topics == [paymentsTopic, commandsTopic, probeTopic])
                try await delegate.subscribed()
                connection.hangUp()
                #expect(try await delegate.disconnectionReason().hasPrefix("connection lost: "))
            }
        }
    }

    @Test("Before the last SUBACK the feed does not call itself subscribed")
    func subscribedAfterLastAnswer() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (connection, _) = try await broker.connectionWithConnect()
            connection.send(.connack())
            let first = try await connection.packets.next(\.subscription)
            let second = try await connection.packets.next(\.subscription)
            // The PUBACK shows that the feed has taken notice of the SUBACK sent before it.
            connection.send(.suback(first.id, granted: 1), .publish("x", to: paymentsTopic, id: 1))
            #expect(try await connection.packets.next(\.acknowledgedID) == 1)
            #expect(!delegate.connections.entries.contains(.subscribed))
            connection.send(.suback(second.id, granted: 1))
            try await delegate.subscribed()
        }
    }

    @Test(
        "A refused connection is reported in words and tried again",
        arguments: [BrokerProtocol.v5, .v311],
        [
            (1, "it does not speak this version of MQTT (see broker.protocol)"),
            (
                2,
                "it does not accept this client id; some platforms answer so to a short broker.keep_alive, too (less "
                    + "than 30s)"
            ),
            (3, "it is not available"), (4, "bad user name or password"),
            (5, "not authorised; check the user name, the password and the broker's access list"),
        ] as [(UInt8, String)])
    func refusals(version: BrokerProtocol, refusal: (code: UInt8, words: String)) async throws {
        let (code, words) = refusal
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = version }) { broker, _ in
            let (refusing, _) = try await broker.connectionWithConnect()
            refusing.send(.connack(code))
            let reason = try await delegate.disconnectionReason()
            #expect(reason == "mqtt://127.0.0.1:\(broker.port) refuses the connection: \(words)")
            _ = try await broker.session()
            try await delegate.subscribed()
        }
    }

    @Test("A refused subscription is reported with its topic and tried again")
    func refusedSubscription() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (refusing, _) = try await broker.connectionWithConnect()
            refusing.send(.connack())
            let subscription = try await refusing.packets.next(\.subscription)
            refusing.send(.suback(subscription.id, granted: 0x80))
            #expect(
                try await delegate.disconnectionReason()
                    == "the broker refuses the subscription to \"\(paymentsTopic)\": "
                    + "let this user read it in the broker's access list")
            _ = try await broker.session()
            try await delegate.subscribed()
        }
    }

    @Test("A broker that is not there is reported, with TLS too, and tried again", arguments: [false, true])
    func nobodyListens(usesTLS: Bool) async throws {
        let delegate = RecordingDelegate()
        let settings = try boxSettings(port: LoopbackSocket.freePort()) { if usesTLS { $0.tls = .init() } }
        try await withFeed(settings, delegate: delegate) { _ in
            for _ in 1...3 {
                let reason = try await delegate.disconnectionReason()
                #expect(reason.hasPrefix("cannot reach mqtt\(usesTLS ? "s" : "")://127.0.0.1:"))
                #expect(reason.hasSuffix(": Connection refused"))
            }
        }
        #expect(delegate.connections.entries.first == .connecting)
        #expect(delegate.connections.entries.last == .stopped)
    }

    @Test("A name that cannot be looked up is reported as such")
    func unknownHost() async throws {
        let delegate = RecordingDelegate()
        // RFC 6761 reserves .invalid for names that never exist.
        try await withFeed(boxSettings(port: 1883) { $0.hosts[0].name = "broker.invalid" }, delegate: delegate) { _ in
            let reason = try await delegate.disconnectionReason()
            #expect(reason.hasPrefix("cannot reach mqtt://broker.invalid:1883: the name cannot be looked up: "))
        }
    }

    @Test("A pipe in the place of a certificate's file is reported, and holds nothing up")
    func pipe() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("ca.pem")
        #expect(mkfifo(path, 0o600) == 0)
        let delegate = RecordingDelegate()
        try await withFeed(boxSettings(port: 8883) { $0.tls = .init(caFile: path) }, delegate: delegate) { _ in
            let reason = try await delegate.disconnectionReason()
            #expect(
                reason == "the broker's CA file \"\(path)\" cannot be used: it is no file, but a pipe, folder or device"
            )
        }
    }

    @Test("Settings that cannot work are reported, and tried again because a file may still appear")
    func invalidSettings() async throws {
        let delegate = RecordingDelegate()
        let settings = try boxSettings(port: 8883) { $0.tls = .init(caFile: "/nonexistent/ca.pem") }
        try await withFeed(settings, delegate: delegate) { _ in
            for _ in 1...2 {
                let reason = try await delegate.disconnectionReason()
                #expect(
                    reason == "cannot read the broker's CA file \"/nonexistent/ca.pem\": No such file or directory")
            }
        }
    }
}
