import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("A message that is too large is told and acknowledged", .timeLimit(.minutes(10)))
struct OversizedMessageTests {
    /// A notice may have 64 KiB; a packet 1 MiB.
    private static let size = 900_000
    private static let large = String(repeating: "x", count: size)

    @Test("What comes before it and after it is committed as ever")
    func skipped() async throws {
        let delegate = RecordingDelegate()
        let log = Journal<String>()
        try await withFakeBroker(delegate: delegate, log: log) { broker, _ in
            let session = try await broker.session()
            session.send(
                .publish("before", to: paymentsTopic, id: 1), .publish(Self.large, to: paymentsTopic, id: 2),
                .publish("after", to: paymentsTopic, id: 3), .publish(Self.large, to: commandsTopic, id: 4),
                .publish(Self.large, to: "another/topic", id: 5), .publish("x", to: "another/topic", id: 6))
            for id in UInt16(1)...6 { #expect(try await session.packets.next(\.acknowledgedID) == id) }
            #expect(delegate.batches.entries.flatMap { $0 }.map(\.text) == ["before", "after"])
            #expect(
                delegate.skipped.entries == [
                    .init(topic: .payments, bytes: Self.size), .init(topic: .commands, bytes: Self.size),
                ])
            #expect(
                log.entries == ["a message came under \"another/topic\", which is none of this box's topics: refused"])
        }
    }

    @Test("Nothing is acknowledged when it cannot be noted; it comes again")
    func notNoted() async throws {
        let delegate = RecordingDelegate()
        delegate.onSkip { throw RecordingDelegate.CommitRefused() }
        try await withFakeBroker(delegate: delegate) { broker, _ in
            let refused = try await broker.session()
            refused.send(.publish(Self.large, to: paymentsTopic, id: 7))
            #expect(try await refused.packets.all().allSatisfy { $0.kind != .puback })
            #expect(try await delegate.disconnectionReason().hasSuffix("could not be stored: disk full"))

            delegate.onSkip {}
            let session = try await broker.session()
            session.send(.publish(Self.large, to: paymentsTopic, id: 7, isDuplicate: true))
            #expect(try await session.packets.next(\.acknowledgedID) == 7)
        }
    }

    @Test("Also through TLS, and with a real mosquitto, which drops what is larger than a packet may be")
    func encrypted() async throws {
        let folder = try TemporaryFolder()
        let certificates = try await TestCertificates(in: folder)
        let configuration = [
            "allow_anonymous true", "certfile \(certificates.server.certificate)", "keyfile \(certificates.server.key)",
        ]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let settings = try boxSettings(port: broker.port) {
                $0.hosts[0].name = "localhost"
                $0.tls = .init(caFile: certificates.authority.certificate)
            }
            let delegate = RecordingDelegate()
            try await withFeed(settings, delegate: delegate) { _ in
                try await delegate.subscribed()
                try await onOwnThread(named: "publisher") {
                    try MQTTPublisher(settings: settings).publish(
                        [Array(Self.large.utf8), Array(repeating: 0x78, count: 3 << 20), Array("good".utf8)],
                        timeout: .seconds(300))
                }
                #expect(try await delegate.batches.next().map(\.text) == ["good"])
                #expect(delegate.skipped.entries == [.init(topic: .payments, bytes: Self.size)])
            }
        }
    }
}
