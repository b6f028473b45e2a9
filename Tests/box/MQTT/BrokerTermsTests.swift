import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("What a broker says in MQTT 5 is kept to, and told", .timeLimit(.minutes(10)))
struct BrokerTermsTests {
    private static func word(_ id: UInt8, _ value: UInt16) -> [UInt8] { [id] + value.bigEndianBytes }

    private static func long(_ id: UInt8, _ value: UInt32) -> [UInt8] {
        [id] + UInt16(value >> 16).bigEndianBytes + UInt16(value & 0xFFFF).bigEndianBytes
    }

    @Test(
        "A session that is kept for less than a day is a fault; one for less than was asked for is told once",
        arguments: [(3_600, true), (86_400, false), (2_592_000, false), (0, true)] as [(UInt32, Bool)])
    func sessionExpiry(granted: UInt32, isFault: Bool) async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            for _ in 1...2 {
                let session = try await broker.session(Self.long(0x11, granted))
                try await delegate.subscribed()
                session.hangUp()
                _ = try await delegate.disconnectionReason()
            }
            // Without a word of it, it is what was asked for.
            let session = try await broker.session()
            try await delegate.subscribed()
            session.hangUp()
            _ = try await delegate.disconnectionReason()
            let fault = FeedFault.sessionIsShort(granted: .seconds(granted), asked: .seconds(2_592_000))
            #expect(delegate.faults.entries.contains { $0.contains(fault) } == isFault)
            #expect(delegate.faults.entries.last?.contains(fault) != true)
            let words = "keeps the session for \(granted) s; 2592000 s were asked for"
            let lines = log.entries.filter { $0.hasSuffix(words) }
            #expect(lines.count == (granted < 2_592_000 ? 1 : 0))
        }
    }

    @Test("No more messages are under way than the broker takes at a time; none is lost")
    func receiveMaximum() async throws {
        let delegate = RecordingDelegate()
        delegate.queueReceipts((1...10).map { "\($0)" })
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session(Self.word(0x21, 3))
            var sent: [ControlPacket.Publication] = []
            for _ in 1...3 { sent.append(try await session.packets.next(\.publication)) }
            // The PUBACK comes from a later turn of the feed than what it would have sent.
            session.send(.publish("x", to: paymentsTopic, id: 1))
            _ = try await session.packets.next(\.acknowledgedID)
            #expect(session.packets.entries.count { $0.publication != nil } == 3)
            for number in 1...10 {
                session.send(.puback(sent[number - 1].id))
                guard number <= 7 else { continue }
                sent.append(try await session.packets.next(\.publication))
            }
            #expect(sent.map(\.payload) == (1...10).map { "\($0)" })
        }
    }

    @Test("What was not acknowledged, and what waited for room, is sent on the next connection")
    func heldBack() async throws {
        let delegate = RecordingDelegate()
        delegate.queueReceipts(["1", "2"])
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let first = try await broker.session(Self.word(0x21, 1))
            #expect(try await first.packets.next(\.publication).payload == "1")
            first.hangUp()
            let (second, _) = try await broker.connectionWithConnect()
            second.send(.connack(knowsSession: true))
            let sent = [try await second.packets.next(\.publication), try await second.packets.next(\.publication)]
            #expect(sent.map(\.payload) == ["1", "2"])
        }
    }

    @Test("A receipt that is larger than the broker takes is not sent, and told; the others are")
    func maximumPacketSize() async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        delegate.queueReceipts([String(repeating: "x", count: 200), "small"])
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let session = try await broker.session(Self.long(0x27, 150))
            #expect(try await session.packets.next(\.publication).payload == "small")
            #expect(try await delegate.delivered.next().contains(1))
            let line = try await log.next()
            #expect(
                line
                    == "a message for \"\(receiptsTopic)\" is larger than the 150 bytes that the broker takes: not sent"
            )
            try await delegate.faults.next { $0.contains(.answersTooLarge(limit: 150)) ? () : nil }
        }
    }

    @Test("A broker that takes QoS 0 only and keeps nothing gets that, with a warning")
    func weakBroker() async throws {
        let delegate = RecordingDelegate()
        delegate.queueReceipts(["one"])
        try await withFakeBroker(delegate: delegate) { broker, feed in
            let session = try await broker.session([0x24, 0, 0x25, 0])
            feed.publishStatus(Array("online".utf8))
            for text in ["one", "online"] {
                let sent = try await session.packets.next { packet in
                    packet.kind == .publish && String(decoding: packet.body, as: UTF8.self).hasSuffix(text)
                        ? packet : nil
                }
                #expect(sent.flags == 0)
            }
            #expect(try await delegate.delivered.next() == [1])
            let names = ["soundbox/v1/M1001/box-01/receipts", "soundbox/v1/M1001/box-01/replies"]
            #expect(try await delegate.faults.next().first == .grantedQoS0(topics: names))
        }
    }

    @Test("The broker's keep-alive counts where it is shorter")
    func serverKeepAlive() async throws {
        let delegate = RecordingDelegate()
        let script: FakeBroker.Script = { _, sent in
            switch sent.last?.kind {
            case .connect: [.connack(0, Self.word(0x13, 5))]
            case .pingreq: [ControlPacket(.pingresp)]
            default: sent.last?.agreement ?? []
            }
        }
        // Otherwise 300 s pass before the first one.
        try await withFakeBroker(delegate: delegate, script: script) { broker, _ in
            let connection = try await broker.connection()
            try await connection.packets.next { $0.kind == .pingreq ? () : nil }
        }
    }

    @Test(
        "Why the broker ends a connection is told by its code; libmosquitto passes no text on",
        arguments: [
            (ControlPacket.disconnect(0x8B), "it is shutting down"),
            (
                .disconnect(0x97, ControlPacket.property(0x1F, "why")),
                "a quota is exceeded"
            ),
            (
                .disconnect(0x9C, ControlPacket.property(0x1C, "other:1883")),
                "it asks to use another server for now"
            ),
            (.disconnect(0xEE), "reason code 0xEE"),
        ])
    func disconnect(packet: ControlPacket, words: String) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            try await delegate.subscribed()
            // What came before it is committed, and not acknowledged: it comes again.
            session.send(.publish("x", to: paymentsTopic, id: 1), packet)
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker has ended it: " + words)
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ["x"])
            #expect(try await session.packets.all().allSatisfy { $0.kind != .puback })
            _ = try await broker.session()
            try await delegate.subscribed()
        }
    }

    @Test("A client that takes the box's place is named at once, until a connection holds")
    func takenOver() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            try await delegate.subscribed()
            session.send(.disconnect(0x8E))
            let id = "soundbox-M1001-box-01"
            try await delegate.faults.next { $0.contains(.clientIDTaken(id, isCertain: true)) ? () : nil }
            let reason = try await delegate.disconnectionReason()
            #expect(reason.hasSuffix("another client has connected with this client id"))
        }
    }

    @Test("A refused subscription and a refused receipt are told with the broker's reason")
    func refusals() async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        delegate.queueReceipts(["one", "two"])
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let (refusing, _) = try await broker.connectionWithConnect()
            refusing.send(.connack())
            let subscription = try await refusing.packets.next(\.subscription)
            var refusal = ControlPacket.suback(subscription.id, granted: 0x87)
            refusal.properties = ControlPacket.property(0x1F, "no")
            refusing.send(refusal)
            #expect(
                try await delegate.disconnectionReason()
                    == "the broker refuses the subscription to \"\(paymentsTopic)\": not authorised; check the user name, "
                    + "the password and the broker's access list (the broker says \"no\"); "
                    + "let this user read it in the broker's access list")
            let (session, _) = try await broker.connectionWithConnect()
            session.send(.connack())
            for _ in 1...2 {
                var answer = ControlPacket.puback(try await session.packets.next(\.publication).id)
                answer.body.append(0x97)
                session.send(answer)
            }
            // It is refused for good, told once, and does not keep the others up.
            #expect(try await delegate.delivered.next().contains(1))
            let line = try await log.next()
            #expect(line == "the broker refuses what is published on \"\(receiptsTopic)\": a quota is exceeded")
        }
    }

    @Test("A publisher is told that the broker does not take its message")
    func publisher() async throws {
        let broker = try FakeBroker { _, sent in
            guard let last = sent.last, let message = last.publication else { return sent.last?.agreement ?? [] }
            var answer = ControlPacket.puback(message.id)
            answer.body.append(0x87)
            return [answer]
        }
        defer { broker.shutDown() }
        let settings = try boxSettings(port: broker.port)
        await #expect(throws: MQTTError.publicationRefused(topic: paymentsTopic, BrokerReason(code: 0x87))) {
            try await onOwnThread(named: "publisher") {
                try MQTTPublisher(settings: settings).publish([Array("x".utf8)], timeout: .seconds(300))
            }
        }
    }

    @Test("What a message has left comes with it")
    func messageExpiry() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            var expiring = ControlPacket.publish("a", to: paymentsTopic, id: 1)
            expiring.properties = Self.long(0x02, 90)
            var gone = ControlPacket.publish("b", to: paymentsTopic, id: 2)
            gone.properties = Self.long(0x02, 0)
            session.send(expiring, gone, .publish("c", to: paymentsTopic, id: 3))
            for id in UInt16(1)...3 { #expect(try await session.packets.next(\.acknowledgedID) == id) }
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.expiry) == [.seconds(90), .zero, nil])
        }
    }

    @Test("A malformed property ends the connection with a reason, and nothing of it is acknowledged")
    func malformed() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let hostile = try await broker.session()
            try await delegate.subscribed()
            var packet = ControlPacket.publish("x", to: paymentsTopic, id: 1)
            // Twice the same: how long the message has left.
            packet.properties = Self.long(0x02, 90) + Self.long(0x02, 90)
            hostile.send(packet)
            #expect(
                try await delegate.disconnectionReason()
                    == "connection lost: the broker sent something that MQTT does not allow: "
                    + "a property that comes twice")
            #expect(try await hostile.packets.all().allSatisfy { $0.kind != .puback })
            _ = try await broker.session()
            try await delegate.subscribed()
        }
    }
}
