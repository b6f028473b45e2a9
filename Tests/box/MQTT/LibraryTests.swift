import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import SoundboxTesting
import TestSupport
import Testing

/// What libmosquitto's documentation does not promise. `make test` runs it over the versions of Debian 12 and 13.
@Suite("What the box relies on in libmosquitto", .timeLimit(.minutes(10)))
struct LibraryTests {
    enum Security: String, CaseIterable { case plain, tls12 = "tlsv1.2", tls13 = "tlsv1.3" }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Three hundred messages in one burst: no PUBACK before the commit has ended, each one after it; none after a failure",
        arguments: Security.allCases, [BrokerProtocol.v5, .v311])
    func burst(security: Security, version: BrokerProtocol) async throws {
        let certificates = try await TestCertificates(in: folder)
        var configuration = ["allow_anonymous true", "max_inflight_messages 400"]
        if security != .plain {
            configuration += [
                "certfile \(certificates.server.certificate)", "keyfile \(certificates.server.key)",
                "tls_version \(security.rawValue)",
            ]
        }
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            let settings = try boxSettings(port: broker.port) {
                $0.protocolChoice = version
                guard security != .plain else { return }
                $0.hosts[0].name = "localhost"
                $0.tls = .init(caFile: certificates.authority.certificate)
            }
            let payloads = (1...300).map { "\($0)" }
            func publish(_ payloads: [String]) async throws {
                try await onOwnThread(named: "publisher") {
                    try MQTTPublisher(settings: settings).publish(
                        payloads.map { Array($0.utf8) }, timeout: .seconds(300))
                }
            }
            func acknowledged() -> Int {
                broker.log.entries.count { $0.contains("Received PUBACK from soundbox-M1001-box-01 ") }
            }
            // The session is there, and the box is away.
            let absent = RecordingDelegate()
            try await withFeed(settings, delegate: absent) { _ in
                // Its message to itself.
                while acknowledged() < 1 { _ = try await broker.log.next() }
            }
            let earlier = acknowledged()
            try await publish(payloads)

            let gate = Gate()
            let delegate = RecordingDelegate { _ in
                gate.wait()
                throw RecordingDelegate.CommitRefused()
            }
            try await withFeed(settings, delegate: delegate) { _ in
                defer { gate.open() }
                _ = try await delegate.batches.next()
                // The feed's thread stands in the commit, and the broker has read whatever came before this.
                try await publish(["more"])
                #expect(acknowledged() == earlier)
                gate.open()
                #expect(try await delegate.disconnectionReason().hasSuffix("disk full"))
                #expect(acknowledged() == earlier)
                let failed = delegate.batches.entries.count
                delegate.onCommit { _ in }
                var received: [String] = []
                while received.count < 301 {
                    received = delegate.batches.entries.dropFirst(failed).flatMap { $0 }.map(\.text)
                    if received.count < 301 { _ = try await delegate.batches.next() }
                }
                #expect(received == payloads + ["more"])
                while acknowledged() < earlier + 301 { _ = try await broker.log.next() }
            }
        }
    }
}
