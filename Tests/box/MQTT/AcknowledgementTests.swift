import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("A message is acknowledged after it was committed, and not otherwise", .timeLimit(.minutes(10)))
struct AcknowledgementTests {
    @Test(
        "No PUBACK leaves before the commit has returned",
        arguments: [BrokerProtocol.v5, .v311])
    func nothingBeforeCommit(version: BrokerProtocol) async throws {
        let gate = Gate()
        let delegate = RecordingDelegate { _ in gate.wait() }
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = version }) { broker, _ in
            defer { gate.open() }
            let session = try await broker.session()
            session.send(.publish("one", to: paymentsTopic, id: 7), .publish("two", to: paymentsTopic, id: 8))
            _ = try await delegate.batches.next()

            // The feed's thread now stands in the commit. On the loopback interface whatever it wrote before that has
            // arrived already, so that looking once is enough.
            session.readArrived()
            #expect(session.packets.entries.allSatisfy { $0.kind != .puback })

            gate.open()
            #expect(try await session.packets.next(\.acknowledgedID) == 7)
            #expect(try await session.packets.next(\.acknowledgedID) == 8)
        }
    }

    @Test(
        "When the commit fails, no PUBACK leaves; the message delivered again is acknowledged",
        arguments: [BrokerProtocol.v5, .v311])
    func nothingAfterFailedCommit(version: BrokerProtocol) async throws {
        let delegate = RecordingDelegate { _ in throw RecordingDelegate.CommitRefused() }
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = version }) { broker, _ in
            let refused = try await broker.session()
            refused.send(.publish("first", to: paymentsTopic, id: 7), .publish("second", to: paymentsTopic, id: 8))
            let packets = try await refused.packets.all()
            #expect(packets.allSatisfy { $0.kind != .puback && $0.kind != .disconnect })
            #expect(
                try await delegate.disconnectionReason()
                    == "the messages that arrived could not be stored: disk full")

            delegate.onCommit { _ in }
            let session = try await broker.session()
            session.send(.publish("first", to: paymentsTopic, id: 7, isDuplicate: true))
            #expect(try await session.packets.next(\.acknowledgedID) == 7)
            #expect(delegate.batches.entries.last?.map(\.text) == ["first"])
        }
    }

    @Test(
        "Messages that arrive together are committed once, in order, before the first PUBACK",
        arguments: [BrokerProtocol.v5, .v311])
    func oneCommitPerBatch(version: BrokerProtocol) async throws {
        let gate = Gate()
        let delegate = RecordingDelegate { batch in if batch.first?.text == "plug" { gate.wait() } }
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = version }) { broker, _ in
            defer { gate.open() }
            let session = try await broker.session()
            session.send(.publish("plug", to: paymentsTopic, id: 1))
            #expect(try await delegate.batches.next().map(\.text) == ["plug"])

            // While the first commit lasts, ten more arrive.
            let burst = (2...11).map { ControlPacket.publish("\($0)", to: paymentsTopic, id: $0) }
            session.send(burst)
            gate.open()
            #expect(try await delegate.batches.next().map(\.text) == (2...11).map { "\($0)" })
            for id in UInt16(1)...11 { #expect(try await session.packets.next(\.acknowledgedID) == id) }
        }
    }

    @Test("A flood is committed in portions, none lost and none twice")
    func flood() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            let ids = UInt16(1)...2_000
            session.send(ids.map { .publish("\($0)", to: paymentsTopic, id: $0) })
            for id in ids { #expect(try await session.packets.next(\.acknowledgedID) == id) }
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ids.map { "\($0)" })
            #expect(delegate.batches.entries.allSatisfy { $0.count <= 256 })
        }
    }

    @Test(
        "What arrived just before the broker hung up is still committed",
        arguments: [BrokerProtocol.v5, .v311])
    func committedAfterHangUp(version: BrokerProtocol) async throws {
        let gate = Gate()
        let delegate = RecordingDelegate { batch in if batch.first?.text == "plug" { gate.wait() } }
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = version }) { broker, _ in
            defer { gate.open() }
            let session = try await broker.session()
            session.send(.publish("plug", to: paymentsTopic, id: 1))
            _ = try await delegate.batches.next()
            session.send(.publish("last", to: paymentsTopic, id: 2))
            session.hangUp()
            gate.open()
            #expect(try await delegate.batches.next().map(\.text) == ["last"])
        }
    }

    @Test("Topic and retain flag come through; a message on another topic is noted before it is acknowledged")
    func topics() async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let session = try await broker.session()
            session.send(
                .publish("a", to: paymentsTopic, id: 1, isRetained: true), .publish("b", to: commandsTopic, id: 2),
                .publish("c", to: "soundbox/v1/M1001/box-02/payments", id: 3), .publish("", to: paymentsTopic, id: 4))
            for id in UInt16(1)...4 { #expect(try await session.packets.next(\.acknowledgedID) == id) }
            #expect(
                delegate.batches.entries.flatMap { $0 } == [
                    FeedMessage(topic: .payments, payload: Array("a".utf8), isRetained: true),
                    FeedMessage(topic: .commands, payload: Array("b".utf8)),
                    FeedMessage(topic: .payments, payload: []),
                ])
            let name = "soundbox/v1/M1001/box-02/payments"
            #expect(delegate.strays.entries == [[StrayMessage(name: name, payload: Array("c".utf8))]])
            #expect(try await log.next().contains(name))
        }
    }

    @Test(
        "What RabbitMQ makes of a name with dots is taken for it, and is doubtful where another box's may look like it")
    func rewrittenNames() async throws {
        let delegate = RecordingDelegate()
        let topics = try Topics(prefix: "pay.v1", merchant: "M.1", device: "box")
        try await withFakeBroker(delegate: delegate, settings: { $0.topics = topics }) { broker, _ in
            let session = try await broker.session()
            session.send(
                .publish("a", to: "pay/v1/M/1/box/payments", id: 1),
                .publish("b", to: "pay.v1/M.1/box/payments", id: 2),
                // Answering that would go on for ever.
                .publish("c", to: "pay/v1/M/1/box/receipts", id: 3))
            for id in UInt16(1)...3 { #expect(try await session.packets.next(\.acknowledgedID) == id) }
            #expect(
                delegate.batches.entries.flatMap { $0 } == [
                    FeedMessage(
                        topic: .payments, payload: Array("a".utf8), doubtfulName: "pay/v1/M/1/box/payments"),
                    FeedMessage(topic: .payments, payload: Array("b".utf8)),
                ])
            #expect(delegate.strays.entries.isEmpty)
        }
    }
}
