import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

@Suite("Two boxes of one client id, with a real mosquitto", .timeLimit(.minutes(10)))
struct TakeOverTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A client of the same id without a session makes the broker drop what it kept, and the box is told")
    func withoutSession() async throws {
        try await withMosquitto(in: folder) { broker in
            let settings = try boxSettings(port: broker.port)
            let delegate = RecordingDelegate()
            try await withFeed(settings, delegate: delegate) { _ in
                try await delegate.subscribed()
                // It comes, pushes the box off, and goes.
                try await ChildProcess.run(
                    "mosquitto_pub", "-p", "\(broker.port)", "-i", settings.clientID, "-t", "x", "-n", "-q", "1")
                try await delegate.subscribed()
                let session = FeedSession(
                    clientID: settings.clientID, broker: "mqtt://127.0.0.1:\(broker.port)", isResumed: false)
                #expect(delegate.sessions.entries == [session, session])
            }
        }
    }

    @Test(
        "Both say what is wrong, and every payment reaches one of them; this mosquitto gives no reason in MQTT 5 either",
        arguments: [BrokerProtocol.v5, .v311])
    func named(version: BrokerProtocol) async throws {
        try await withMosquitto(in: folder) { broker in
            let settings = try boxSettings(port: broker.port) { $0.protocolChoice = version }
            let payments = (1...200).map { "\($0)" }
            let delegates = [RecordingDelegate(), RecordingDelegate()]
            try await withFeed(settings, delegate: delegates[0]) { _ in
                try await delegates[0].subscribed()
                try await withFeed(settings, delegate: delegates[1]) { _ in
                    // While they push each other off.
                    for payment in payments {
                        let publisher = MQTTPublisher(settings: settings)
                        try await onOwnThread(named: "publisher") {
                            try publisher.publish([Array(payment.utf8)], timeout: .seconds(300))
                        }
                    }
                    for delegate in delegates {
                        let faults = try await delegate.faults.next { $0.isEmpty ? nil : $0 }
                        #expect(faults == [.clientIDTaken("soundbox-M1001-box-01")])
                    }
                }
                // The session keeps the order: whatever comes at all has come before this one.
                let publisher = MQTTPublisher(settings: settings)
                try await onOwnThread(named: "publisher") {
                    try publisher.publish([Array("last".utf8)], timeout: .seconds(300))
                }
                try await delegates[0].batches.next { $0.contains { $0.text == "last" } ? () : nil }
                let taken = delegates.flatMap { $0.batches.entries.flatMap { $0 }.map(\.text) }
                #expect(Set(payments).subtracting(taken).isEmpty)
            }
        }
    }
}
