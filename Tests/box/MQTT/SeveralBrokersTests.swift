import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("Several brokers", .timeLimit(.minutes(10)))
struct SeveralBrokersTests {
    /// Runs a feed that may go to any of these ports while `body` runs.
    private func withFeed(
        _ ports: [Int], _ delegate: RecordingDelegate, change: (inout MQTTSettings) -> Void = { _ in },
        _ body: () async throws -> Void
    ) async throws {
        let settings = try boxSettings(port: ports[0]) {
            $0.hosts = ports.map { .init("127.0.0.1", port: $0) }
            $0.keepAlive = .seconds(300)
            $0.handshakeLimit = .seconds(300)
            $0.detourLimit = .seconds(300)
            $0.openingLimit = .seconds(300)
            change(&$0)
        }
        try await SoundboxMQTTTests.withFeed(settings, delegate: delegate) { _ in try await body() }
    }

    /// What a broker says that works.
    private static let agreeable: FakeBroker.Script = { _, sent in
        sent.last?.kind == .pingreq ? [ControlPacket(.pingresp)] : sent.last?.agreement ?? []
    }

    @Test("Where nobody listens the next one is tried at once, without the wait between rounds")
    func nobodyListens() async throws {
        let broker = try FakeBroker(script: Self.agreeable)
        defer { broker.shutDown() }
        let delegate = RecordingDelegate()
        let closed = try (1...2).map { _ in try LoopbackSocket.freePort() }
        try await withFeed(closed + [broker.port], delegate) {
            try await delegate.subscribed()
            #expect(delegate.sessions.entries.map(\.broker) == ["mqtt://127.0.0.1:\(broker.port)"])
            let waits = delegate.connections.entries.compactMap { state in
                if case .disconnected(_, let wait) = state { wait } else { nil }
            }
            #expect(waits == [.zero, .zero])
            broker.shutDown()
        }
    }

    @Test("One that takes the connection and says nothing is left for the next before its usual time is over")
    func hanging() async throws {
        let silent = try FakeBroker()
        let broker = try FakeBroker(script: Self.agreeable)
        defer {
            silent.shutDown()
            broker.shutDown()
        }
        let delegate = RecordingDelegate()
        try await withFeed([silent.port, broker.port], delegate, change: { $0.detourLimit = .seconds(2) }) {
            #expect(try await delegate.disconnectionReason() == "timed out waiting for the broker's answer")
            try await delegate.subscribed()
            broker.shutDown()
        }
    }

    @Test("After a connection was closed the box returns to the same one; the others have no part of its session")
    func closed() async throws {
        let brokers = try (1...2).map { _ in try FakeBroker(script: Self.agreeable) }
        defer { for broker in brokers { broker.shutDown() } }
        let delegate = RecordingDelegate()
        try await withFeed(brokers.map(\.port), delegate) {
            for _ in 1...3 {
                let connection = try await brokers[0].connection()
                try await delegate.subscribed()
                connection.hangUp()
            }
            _ = try await brokers[0].connection()
            try await delegate.subscribed()
            for broker in brokers { broker.shutDown() }
        }
    }

    @Test("One that has fallen silent is left for the other, and not tried first again")
    func silence() async throws {
        // It answers nothing behind the subscriptions.
        let mute: FakeBroker.Script = { _, sent in sent.last?.agreement ?? [] }
        let first = try FakeBroker(script: mute)
        let second = try FakeBroker(script: Self.agreeable)
        defer {
            first.shutDown()
            second.shutDown()
        }
        let delegate = RecordingDelegate()
        try await withFeed([first.port, second.port], delegate, change: { $0.keepAlive = .seconds(5) }) {
            try await delegate.subscribed()
            #expect(try await delegate.disconnectionReason() == "connection lost: the broker stopped answering")
            let connection = try await second.connection()
            try await delegate.subscribed()
            // A loss at the second brings the box back there, and not to the one that hangs.
            connection.hangUp()
            _ = try await second.connection()
            try await delegate.subscribed()
            first.shutDown()
            second.shutDown()
        }
    }

    @Test("A broker that refuses the box is named, and the next one is tried")
    func refused() async throws {
        let refusing = try FakeBroker { _, sent in sent.last?.connect == nil ? [] : [.connack(5)] }
        let broker = try FakeBroker(script: Self.agreeable)
        defer {
            refusing.shutDown()
            broker.shutDown()
        }
        let delegate = RecordingDelegate()
        try await withFeed([refusing.port, broker.port], delegate) {
            #expect(
                try await delegate.disconnectionReason().hasPrefix(
                    "mqtt://127.0.0.1:\(refusing.port) refuses the connection: not authorised"))
            try await delegate.subscribed()
            broker.shutDown()
        }
    }

    @Test("Settings that cannot work are not tried again without a wait, however many brokers there are")
    func settings() async throws {
        let delegate = RecordingDelegate()
        try await withFeed([1, 2, 3], delegate, change: { $0.tls = .init(caFile: "/nonexistent/ca.pem") }) {
            for _ in 1...2 { _ = try await delegate.disconnectionReason() }
        }
        for case .disconnected(_, let wait) in delegate.connections.entries { #expect(wait > .zero) }
    }

    @Test("A publisher finds the broker that is there")
    func publisher() async throws {
        let folder = try TemporaryFolder()
        try await withMosquitto(in: folder) { broker in
            let settings = try boxSettings(port: broker.port) {
                $0.hosts = [.init("127.0.0.1", port: try! LoopbackSocket.freePort())] + $0.hosts
            }
            try await onOwnThread(named: "publisher") {
                try MQTTPublisher(settings: settings).publish([Array("x".utf8)], timeout: .seconds(300))
            }
        }
    }
}
