import SoundboxCore
import SoundboxMQTT
import SoundboxTesting
import TestSupport
import Testing

@Suite("Nothing counts before the broker's key is known", .timeLimit(.minutes(10)))
struct PinningTests {
    private let certificates: TestCertificates
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        certificates = try await TestCertificates(in: folder)
    }

    @Test(
        "With the right authority and the wrong key, a payment together with the last message of the handshake is nothing",
        arguments: EagerTLSBroker.Version.allCases)
    func paymentWithTheHandshake(version: EagerTLSBroker.Version) async throws {
        let forged = ControlPacket.publish(#"{"id":"F-1","amount":"9999"}"#, to: paymentsTopic, id: 1)
        let broker = try await EagerTLSBroker(
            certificates.server, version, sending: [.connack(), forged, .puback(1), .suback(1, granted: 1)])
        let settings = try boxSettings(port: broker.port) {
            $0.hosts[0].name = "localhost"
            $0.tls = .init(
                caFile: certificates.authority.certificate, pins: [String(repeating: "A", count: 43) + "="])
        }
        // Once is not enough: what arrives together is not always read together.
        for _ in 1...8 {
            let delegate = RecordingDelegate()
            try await withFeed(settings, delegate: delegate) { _ in
                let reason = try await delegate.disconnectionReason()
                #expect(reason.contains("the broker's key is none of those in pin_sha256"))
            }
            #expect(delegate.batches.entries.isEmpty)
            #expect(!delegate.connections.entries.contains(.subscribed))
        }
        try await broker.stop()
    }
}
