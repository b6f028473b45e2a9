import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("Whatever a broker sends, the feed survives it", .timeLimit(.minutes(10)))
struct HostileBrokerTests {
    static let garbage: [(name: String, bytes: [UInt8])] = [
        ("not MQTT at all", Array("220 mail.example.com ESMTP ready at Sat, 21 Nov 2026 10:15:00 +0800\r\n".utf8)),
        ("a packet type that does not exist", [0x00, 0x00]),
        ("a length of five bytes", [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
        ("a topic longer than its packet", [0x32, 0x05, 0xFF, 0xFF, 0x61, 0x00, 0x01]),
        ("QoS 3", [0x36, 0x05, 0x00, 0x01, 0x61, 0x00, 0x01]),
        ("packet id 0", [0x32, 0x05, 0x00, 0x01, 0x61, 0x00, 0x00]),
        ("a topic that is no UTF-8", [0x32, 0x06, 0x00, 0x02, 0xC3, 0x28, 0x00, 0x01]),
        ("a packet only clients send", ControlPacket(.subscribe, flags: 2, body: [0, 1, 0, 1, 0x61, 1]).bytes),
        ("an empty SUBACK", ControlPacket(.suback, body: []).bytes),
    ]

    @Test("Garbage ends the connection, the next one works", arguments: garbage)
    func garbageIsRefused(name: String, bytes: [UInt8]) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let hostile = try await broker.session()
            try await delegate.subscribed()
            hostile.send(bytes: bytes)
            #expect(try await delegate.disconnectionReason().hasPrefix("connection lost: "))

            let session = try await broker.session()
            session.send(.publish("good", to: paymentsTopic, id: 9))
            #expect(try await session.packets.next(\.acknowledgedID) == 9)
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ["good"])
        }
    }

    @Test("Random bytes never crash the feed", arguments: [UInt64(1), 2, 3])
    func randomBytes(seed: UInt64) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            var state = seed
            let noise = (0..<4_096).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            let hostile = try await broker.session()
            hostile.send(bytes: noise)
            hostile.hangUp()
            let session = try await broker.session()
            session.send(.publish("good", to: paymentsTopic, id: 9))
            #expect(try await session.packets.next(\.acknowledgedID) == 9)
        }
    }

    @Test("A message of the largest size passes whole, next to small ones")
    func largestMessage() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            let large = String(repeating: "x", count: PaymentNoticeDecoder.maximumPayloadBytes)
            session.send(
                .publish("before", to: paymentsTopic, id: 1), .publish(large, to: paymentsTopic, id: 2),
                .publish("after", to: paymentsTopic, id: 3))
            for id in UInt16(1)...3 { #expect(try await session.packets.next(\.acknowledgedID) == id) }
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.payload.count) == [6, large.utf8.count, 5])
        }
    }

    @Test("A packet announced at 256 MiB and never sent does not hold the feed")
    func announcedOversize() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let hostile = try await broker.session()
            hostile.send(bytes: [0x32, 0xFF, 0xFF, 0xFF, 0x7F, 0x00])
            hostile.hangUp()
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker closed the connection")
            _ = try await broker.session()
            try await delegate.subscribed()
        }
    }

    @Test("A connection that ends in a packet was closed, and did not fail with “Success”", arguments: 1...9)
    func endInTheMiddle(byte: Int) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let ending = try await broker.session()
            try await delegate.subscribed()
            ending.send(bytes: Array(ending.bytes(of: .publish("{}", to: paymentsTopic, id: 1)).prefix(byte * 4)))
            ending.hangUp()
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker closed the connection")
        }
    }

    @Test("What comes before CONNACK, or as a second one, is not believed")
    func outOfTurn() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = .v5 }) { broker, _ in
            let (early, _) = try await broker.connectionWithConnect()
            early.send(.publish("forged", to: paymentsTopic, id: 1), .connack())
            #expect(
                try await delegate.disconnectionReason()
                    == "connection lost: the broker sent something that MQTT does not allow: "
                    + "what is no MQTT 5, or a CONNACK that gives the box another client id")
            let twice = try await broker.session()
            try await delegate.subscribed()
            twice.send(.connack())
            #expect(try await delegate.disconnectionReason().hasSuffix(": a second CONNACK"))
            #expect(delegate.batches.entries.isEmpty)
        }
    }

    @Test(
        "A flood of answers to nothing holds nothing up", arguments: [ControlPacket(.pingresp), .puback(4_711)])
    func floodOfAnswers(answer: ControlPacket) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            session.send(Array(repeating: answer, count: 20_000))
            session.send(.publish("good", to: paymentsTopic, id: 9))
            #expect(try await session.packets.next(\.acknowledgedID) == 9)
        }
    }

    @Test(
        "A message at QoS 2, which was never asked for, ends the connection, and nothing of it is acknowledged",
        arguments: [BrokerProtocol.v5, .v311])
    func qualityTwo(version: BrokerProtocol) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate, settings: { $0.protocolChoice = version }) { broker, _ in
            let session = try await broker.session()
            try await delegate.subscribed()
            var packet = ControlPacket.publish("good", to: paymentsTopic, id: 9)
            packet.flags = 0b0100
            session.send(packet)
            #expect(
                try await delegate.disconnectionReason()
                    == "connection lost: the broker sent something that MQTT does not allow: "
                    + "a PUBLISH on \"\(paymentsTopic)\" with QoS 2, which the box did not ask for")
            #expect(try await session.packets.all().allSatisfy { $0.kind != .pubrec })
        }
    }

    @Test("A message at the head of the queue that cannot be taken is a fault once it has come twice, with its topic")
    func headOfQueue() async throws {
        let delegate = RecordingDelegate()
        let what = "a PUBLISH on \"\(paymentsTopic)\" with QoS 2, which the box did not ask for"
        var junk = ControlPacket.publish("junk", to: paymentsTopic, id: 9)
        junk.flags = 0b0100
        let script: FakeBroker.Script = { [junk] connection, sent in
            guard let last = sent.last else { return [] }
            // It comes as soon as the box is there.
            return last.agreement + (last.kind == .connect ? [junk] : [])
        }
        try await withFakeBroker(delegate: delegate, script: script) { _, _ in
            let fault = FeedFault.messageCannotBeTaken(what, clientID: "soundbox-M1001-box-01")
            let faults = try await delegate.faults.next()
            #expect(faults == [fault])
            let losses = delegate.connections.entries.filter { if case .disconnected = $0 { true } else { false } }
            #expect(losses.count <= 2)
        }
    }

    @Test("A broker that closes each connection in place of an answer is told with what was sent, not as another box")
    func closes() async throws {
        let delegate = RecordingDelegate()
        let broker = try FakeBroker()
        defer { broker.shutDown() }
        try await withFeed(try boxSettings(port: broker.port), delegate: delegate) { feed in
            defer { broker.shutDown() }
            feed.publishStatus(Array("online".utf8))
            for _ in 1...3 {
                let session = try await broker.session()
                _ = try await session.packets.next { $0.publication?.topic == statusTopic ? () : nil }
                session.hangUp()
                _ = try await delegate.disconnectionReason()
            }
            let instead = "instead of an answer to what the box sends on \"\(statusTopic)\""
            try await delegate.faults.next { $0.contains(.connectionsClosed(instead: instead)) ? () : nil }
            #expect(!delegate.faults.entries.contains { $0.contains(.clientIDTaken("soundbox-M1001-box-01")) })
        }
    }

    @Test("While no connection holds, the waits grow, though each connection brings a payment")
    func waits() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            for id in UInt16(1)...3 {
                let session = try await broker.session()
                session.send(.publish("\(id)", to: paymentsTopic, id: id))
                #expect(try await session.packets.next(\.acknowledgedID) == id)
                session.hangUp()
                _ = try await delegate.disconnectionReason()
            }
            let waits = delegate.connections.entries.compactMap { state -> Duration? in
                if case .disconnected(_, let wait) = state { wait } else { nil }
            }
            // The first is within the window of a usual reconnection; then 1 s and 2 s, or half of it at least.
            #expect(waits.count == 3 && waits[0] < .milliseconds(200))
            #expect(waits[1] >= .milliseconds(500) && waits[2] >= .seconds(1), "\(waits)")
        }
    }

    @Test("A topic of 64 KB is none of the box's business, and does not fill its log")
    func longTopic() async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let session = try await broker.session()
            session.send(.publish("x", to: String(repeating: "t", count: 65_535), id: 9))
            #expect(try await session.packets.next(\.acknowledgedID) == 9)
            #expect(try await log.next().utf8.count < 300)
        }
    }

    @Test("Answers to questions that were never asked are ignored")
    func unexpectedAnswers() async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let session = try await broker.session()
            try await delegate.subscribed()
            session.send(.suback(4_711, granted: 0x80), .puback(4_712), ControlPacket(.pingresp))
            session.send(.publish("good", to: paymentsTopic, id: 9))
            #expect(try await session.packets.next(\.acknowledgedID) == 9)
            #expect(delegate.connections.entries == [.connecting, .subscribed])
            #expect(delegate.delivered.entries.isEmpty)
        }
    }
}
