import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import TestSupport
import Testing

@Suite("The publisher", .timeLimit(.minutes(10)))
struct PublisherTests {
    /// Publishes on a thread of its own.
    private func publish(
        _ payloads: [String], to broker: FakeBroker, timeout: Duration = .seconds(300),
        onAnswer: (@Sendable (String) -> Bool)? = nil
    ) async throws {
        let publisher = MQTTPublisher(settings: try boxSettings(port: broker.port))
        try await onOwnThread(named: "publisher") {
            try publisher.publish(
                payloads.map { Array($0.utf8) }, timeout: timeout,
                onAnswer: onAnswer.map { onAnswer in { onAnswer(String(decoding: $0, as: UTF8.self)) } })
        }
    }

    @Test("It uses a client id of its own, keeps no session, and returns when every message is acknowledged")
    func acknowledged() async throws {
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        async let published: Void = publish(["1", "2"], to: broker)
        let (connection, connect) = try await broker.connectionWithConnect()
        #expect(connect.clientID != "soundbox-M1001-box-01")
        #expect(connect.cleanSession)
        #expect(connect.willTopic == nil)
        connection.send(.connack())
        for payload in ["1", "2"] {
            let publication = try await connection.packets.next(\.publication)
            #expect(publication.topic == paymentsTopic)
            #expect(publication.payload == payload)
            #expect(publication.qos == 1)
            connection.send(.puback(publication.id))
        }
        try await published
        #expect(try await connection.packets.all().last?.kind == .disconnect)
    }

    @Test("Asked for receipts, it listens before it publishes and until it has seen enough")
    func receipts() async throws {
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        let seen = Journal<String>()
        async let published: Void = publish(["1"], to: broker) { receipt in
            seen.append(receipt)
            return receipt == "announced"
        }
        let (connection, _) = try await broker.connectionWithConnect()
        connection.send(.connack())
        let subscription = try await connection.packets.next(\.subscription)
        #expect(subscription.topic == receiptsTopic)
        #expect(connection.packets.entries.allSatisfy { $0.kind != .publish })
        connection.send(.suback(subscription.id, granted: 1))
        let publication = try await connection.packets.next(\.publication)
        // The receipt may overtake the broker's acknowledgement.
        connection.send(.publish("stored", to: receiptsTopic, id: 1))
        connection.send(.puback(publication.id))
        connection.send(.publish("announced", to: receiptsTopic, id: 2))
        try await published
        #expect(seen.entries == ["stored", "announced"])
    }

    @Test("What does not come in time is named")
    func timeout() async throws {
        let broker = try FakeBroker { _, sent in sent.last?.kind == .connect ? [.connack()] : [] }
        defer { broker.shutDown() }
        let error = await #expect(throws: MQTTError.self) {
            try await publish(["1"], to: broker, timeout: .seconds(5))
        }
        #expect(error == .timedOut(waitingFor: .acknowledgement))
    }

    @Test("A broker that does not accept the connection is given up long before the box must have answered")
    func silent() async throws {
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        let publisher = MQTTPublisher(settings: try boxSettings(port: broker.port))
        let error = await #expect(throws: MQTTError.self) {
            try await onOwnThread(named: "publisher") {
                try publisher.publish([[1]], timeout: .seconds(3600), connectionTimeout: .milliseconds(100))
            }
        }
        guard case .timedOut(waitingFor: .acceptance)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A refusal and an unreachable broker are errors, not endless attempts")
    func refusal() async throws {
        let broker = try FakeBroker()
        let published = Task { try await publish(["1"], to: broker) }
        let (connection, _) = try await broker.connectionWithConnect()
        connection.send(.connack(5))
        let refused = await #expect(throws: MQTTError.self) { try await published.value }
        #expect(refused?.description.contains("refuses the connection: not authorised") == true)

        broker.shutDown()
        let unreachable = await #expect(throws: MQTTError.self) { try await publish(["1"], to: broker) }
        #expect(unreachable?.description.hasPrefix("cannot reach mqtt://127.0.0.1:") == true)
    }
}
