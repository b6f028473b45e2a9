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
        // Longer than a busy machine keeps this broker from answering: it is to be silent on purpose only.
        try await withFakeBroker(delegate: delegate, settings: { $0.keepAlive = .seconds(15) }) { broker, _ in
            let session = try await broker.session()
            try await session.packets.next { $0.kind == .pingreq ? () : nil }
            session.send(ControlPacket(.pingresp))
            try await session.packets.next { $0.kind == .pingreq ? () : nil }
            // The answer to the first kept the connection; the second is left without one.
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker stopped answering")
            _ = try await broker.session()
            try await delegate.subscribed()
        }
    }

    @Test("A broker that takes the connection and says nothing is given up", arguments: [false, true])
    func noAnswer(toSubscribe: Bool) async throws {
        let delegate = RecordingDelegate()
        try await withFakeBroker(delegate: delegate, settings: { $0.handshakeLimit = .seconds(4) }) { broker, _ in
            let (silent, _) = try await broker.connectionWithConnect()
            if toSubscribe { silent.send(.connack()) }
            #expect(try await delegate.disconnectionReason() == "timed out waiting for the broker's answer")
            _ = try await broker.session()
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
