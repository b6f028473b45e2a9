import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("Where the broker does not speak MQTT 5, the box speaks 3.1.1", .timeLimit(.minutes(10)))
struct FallbackTests {
    /// How brokers that do not know MQTT 5 answer to it.
    enum Audibility: String, CaseIterable, Sendable {
        /// In MQTT 5, as a broker that was told to refuse it.
        case reasonCode
        /// As 3.1.1 has it (section 3.1.2.2).
        case returnCode
        /// As if nothing were wrong, in the form of 3.1.1.
        case acceptance
        case hangUp
        case garbage

        func answer(on connection: BrokerConnection) {
            switch self {
            case .reasonCode: connection.send(.connack(0x84))
            case .returnCode: connection.send(bytes: [0x20, 2, 0, 1])
            case .acceptance: connection.send(bytes: [0x20, 2, 0, 0])
            case .hangUp: connection.hangUp()
            case .garbage: connection.send(bytes: [0x00, 0x00])
            }
        }
    }

    @Test("At once, and on every connection after that", arguments: Audibility.allCases)
    func fallsBack(audibility: Audibility) async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let (refusing, first) = try await broker.connectionWithConnect()
            #expect(first.level == 5)
            audibility.answer(on: refusing)
            for _ in 1...2 {
                let (connection, connect) = try await broker.connectionWithConnect()
                #expect(connect.level == 4)
                #expect(!connect.cleanSession)
                connection.send(.connack())
                try await connection.grantSubscriptions(marker: 0x80)
                try await delegate.subscribed()
                connection.send(.publish("good", to: paymentsTopic, id: 9))
                #expect(try await connection.packets.next(\.acknowledgedID) == 9)
                connection.hangUp()
                _ = try await delegate.disconnectionReason()
            }
            #expect(
                log.entries.filter { !$0.hasSuffix("; MQTT 3.1.1 is tried") } == [
                    "MQTT 3.1.1 is spoken with mqtt://127.0.0.1:\(broker.port), and 5 is asked for again tomorrow"
                ])
            // Neither the refusal nor the second connection of the first attempt counts as a loss.
            let states = delegate.connections.entries.prefix(2)
            #expect(Array(states) == [.connecting, .subscribed])
        }
    }

    @Test("A refusal for another reason is no matter of the version", arguments: [0x86, 0x87, 0x89, 0x97] as [UInt8])
    func otherReasons(code: UInt8) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (refusing, _) = try await broker.connectionWithConnect()
            refusing.send(.connack(code, ControlPacket.property(0x1F, "because")))
            #expect(try await delegate.disconnectionReason().hasSuffix("(the broker says \"because\")"))
            #expect(try await broker.connectionWithConnect().1.level == 5)
        }
    }

    @Test("A broker that gives the box another client id is named, and spoken to in 3.1.1, where it cannot")
    func assignedClientID() async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let (assigning, _) = try await broker.connectionWithConnect()
            assigning.send(.connack(0, ControlPacket.property(0x12, "auto-7")))
            #expect(try await broker.connectionWithConnect().1.level == 4)
            #expect(try await log.next().contains("gives the box another client id; MQTT 3.1.1 is tried"))
        }
    }

    @Test("A message with a property that cannot be read comes again without properties")
    func unreadable() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            var packet = ControlPacket.publish("good", to: paymentsTopic, id: 9)
            packet.properties = [0x26, 0, 1, 0x61, 0, 1, 0x0A]
            session.send(packet)
            #expect(try await delegate.disconnectionReason().hasPrefix("connection lost: the broker sent something"))
            let (again, connect) = try await broker.connectionWithConnect()
            #expect(connect.level == 4)
            again.send(.connack())
            again.send(.publish("good", to: paymentsTopic, id: 9, isDuplicate: true))
            #expect(try await again.packets.next(\.acknowledgedID) == 9)
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ["good"])
        }
    }

    @Test("When 3.1.1 fares no better, the reason that was given is told, and 5 is asked for again")
    func neither() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let (refusing, _) = try await broker.connectionWithConnect()
            refusing.send(.connack(0x9B))
            let (closing, connect) = try await broker.connectionWithConnect()
            #expect(connect.level == 4)
            closing.hangUp()
            #expect(try await delegate.disconnectionReason().hasSuffix("it does not take messages at QoS 1"))
            #expect(try await broker.connectionWithConnect().1.level == 5)
        }
    }

    @Test("Only where it may: a version that is configured is the one that is spoken, and its refusal is told")
    func configured() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = .v5 }) { broker, _ in
            for _ in 1...2 {
                let (refusing, connect) = try await broker.connectionWithConnect()
                #expect(connect.level == 5)
                Audibility.returnCode.answer(on: refusing)
                // In words that depend on the version of libmosquitto.
                #expect(try await delegate.disconnectionReason().hasSuffix("(see broker.protocol)"))
            }
        }
    }

    @Test("A message that was not acknowledged in one version is sent again in the other")
    func resent() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, feed in
            let session = try await broker.session()
            delegate.queueReceipts(["one"])
            feed.receiptsAreWaiting()
            _ = try await session.packets.next(\.publication)
            session.hangUp()
            _ = try await delegate.disconnectionReason()
            let (refusing, _) = try await broker.connectionWithConnect()
            Audibility.returnCode.answer(on: refusing)
            let (older, _) = try await broker.connectionWithConnect()
            older.send(.connack())
            let again = try await older.packets.next(\.publication)
            #expect(again.payload == "one")
            older.send(.puback(again.id))
            #expect(try await delegate.delivered.next() == [1])
        }
    }

    @Test("Publisher and probe go back in the same attempt")
    func shortLived() async throws {
        let broker = try FakeBroker { _, sent in
            guard let last = sent.last else { return [] }
            if last.connect?.level == 5 { return [.connack(0x84)] }
            guard let message = last.publication else { return last.agreement }
            return [.puback(message.id), .publish(message.payload, to: message.topic, id: 1)]
        }
        defer { broker.shutDown() }
        let settings = try boxSettings(port: broker.port)
        try await onOwnThread(named: "publisher") {
            try MQTTPublisher(settings: settings).publish([Array("x".utf8)], timeout: .seconds(300))
        }
        let outcome = try await onOwnThread(named: "probe") {
            try MQTTProbe(settings: settings).run(timeout: .seconds(300))
        }
        #expect(outcome.outcome == .delivered && !outcome.speaks5)
    }
}
