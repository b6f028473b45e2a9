import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("A silent broker is noticed", .timeLimit(.minutes(10)))
struct SilentBrokerTests {
    @Test("Silence is probed with PINGREQ; a broker that answers is kept, one that does not is given up")
    func ping() async throws {
        let delegate = RecordingDelegate()
        let script: FakeBroker.Script = { connection, sent in
            let pings = sent.filter { $0.kind == .pingreq }.count
            if sent.last?.kind != .pingreq { return sent.last?.agreement ?? [] }
            return connection == 1 && pings > 1 ? [] : [ControlPacket(.pingresp)]
        }
        try await withFakeBroker(
            delegate: delegate, script: script, settings: { $0.keepAlive = .seconds(5) }
        ) { broker, _ in
            let first = try await broker.connection()
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker stopped answering")
            // The answer to the first kept the connection; the second was left without one.
            #expect(first.packets.entries.filter { $0.kind == .pingreq }.count == 2)
            try await delegate.subscribed()
        }
    }

    @Test("A message that takes longer than two keep-alives to arrive is taken", arguments: [BrokerProtocol.v5, .v311])
    func slowMessage(version: BrokerProtocol) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(
            delegate: delegate,
            settings: {
                $0.keepAlive = .seconds(5)
                $0.protocolChoice = version
            }
        ) { broker, _ in
            let session = try await broker.session()
            let message = session.bytes(
                of: .publish(String(repeating: "x", count: 60_000), to: paymentsTopic, id: 9))
            var rest = message[...]
            // It has shown twice that it is there, though nothing was answered to it.
            while session.packets.entries.count(where: { $0.kind == .subscribe }) < 5 {
                session.send(bytes: Array(rest.prefix(100)))
                rest = rest.dropFirst(100)
                try await Task.sleep(for: .milliseconds(200))
            }
            session.send(bytes: Array(rest))
            #expect(try await session.packets.next(\.acknowledgedID) == 9)
            #expect(!delegate.connections.entries.contains { if case .disconnected = $0 { true } else { false } })
        }
    }

    @Test(
        "A broker that has turned the keep-alive off, or set it to 18 hours, is probed all the same, and given up",
        arguments: [[0x13, 0, 0], [0x13, 0xFF, 0xFF]] as [[UInt8]])
    func withoutKeepAlive(properties: [UInt8]) async throws {
        let delegate = RecordingDelegate()
        let script: FakeBroker.Script = { _, sent in
            let subscriptions = sent.filter { $0.kind == .subscribe }.count
            if sent.last?.kind == .connect { return [.connack(0, properties)] }
            // Payments, commands, the marker; then one sign of life is answered.
            return subscriptions <= 4 ? sent.last?.agreement ?? [] : []
        }
        try await withFakeBroker(
            delegate: delegate, script: script, settings: { $0.keepAlive = .seconds(5) }
        ) { broker, _ in
            let first = try await broker.connection()
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker stopped answering")
            #expect(first.packets.entries.filter { $0.kind == .subscribe }.count == 5)
        }
    }

    @Test("A packet that arrives byte by byte without an end is given up", arguments: [BrokerProtocol.v5, .v311])
    func drip(version: BrokerProtocol) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(
            delegate: delegate,
            settings: {
                $0.keepAlive = .seconds(5)
                $0.stallLimit = .seconds(8)
                $0.protocolChoice = version
            }
        ) { broker, _ in
            let session = try await broker.session()
            try await delegate.subscribed()
            // A PUBLISH of 256 MB.
            session.send(bytes: [0x32, 0xFF, 0xFF, 0xFF, 0x7F])
            let dripping = Task {
                while !Task.isCancelled {
                    session.send(bytes: [0])
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
            defer { dripping.cancel() }
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker stopped answering")
        }
    }

    @Test("A broker that takes the connection and says nothing is given up", arguments: [false, true])
    func noAnswer(toSubscribe: Bool) async throws {
        let delegate = RecordingDelegate()
        let script: FakeBroker.Script = { connection, sent in
            let isSilent = connection == 1 && (!toSubscribe || sent.count > 1)
            return isSilent ? [] : sent.last?.agreement ?? []
        }
        try await withFakeBroker(
            delegate: delegate, script: script, settings: { $0.handshakeLimit = .seconds(4) }
        ) { _, _ in
            #expect(try await delegate.disconnectionReason() == "timed out waiting for the broker's answer")
            try await delegate.subscribed()
        }
    }

    @Test("The thread's last turn grows old while a commit hangs, and is fresh again afterwards")
    func liveness() async throws {
        let gate = Gate()
        let delegate = RecordingDelegate { _ in gate.wait() }
        try await withFakeBroker(delegate: delegate) { broker, feed in
            defer { gate.open() }
            let session = try await broker.session()
            session.send(.publish("x", to: paymentsTopic, id: 1))
            _ = try await delegate.batches.next()
            // The thread has stood in the commit since before `hung`.
            let hung = ContinuousClock.now
            let earlier = feed.timeSinceLastTurn
            let waited = hung.duration(to: .now)
            let later = feed.timeSinceLastTurn
            #expect(later > earlier)
            #expect(later >= waited)

            gate.open()
            _ = try await session.packets.next(\.acknowledgedID)
            // The turn that answers `z` began after the one that answered `y`.
            let sent = ContinuousClock.now
            for (id, text) in [(2, "y"), (3, "z")] as [(UInt16, String)] {
                session.send(.publish(text, to: paymentsTopic, id: id))
                #expect(try await session.packets.next(\.acknowledgedID) == id)
            }
            let age = feed.timeSinceLastTurn
            #expect(age <= sent.duration(to: .now))
        }
    }
}
