import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("A session that the broker has lost is told", .timeLimit(.minutes(10)))
struct SessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The retained status, as a provider sees it, until one fits.
    private func status(
        of broker: MosquittoBroker, where fits: @escaping @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        let listener = try ChildProcess([
            "mosquitto_sub", "-p", "\(broker.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-01/status",
        ])
        defer { listener.terminate() }
        return try await listener.output.next { line in
            (try? JSONValue(parsing: Array(line.utf8))).flatMap { fits($0) ? $0 : nil }
        }
    }

    private static func faults(_ status: JSONValue) -> [String] {
        guard case .array(let faults)? = status["faults"] else { return [] }
        return faults.compactMap(\.string)
    }

    private static let isAboutSession: @Sendable (JSONValue) -> Bool = { status in
        faults(status).contains { $0.contains("has lost this box's session") }
    }

    @Test("Also after a kill of the box, until the provider has reconciled, and never at the first start")
    func lost() async throws {
        let first = try await MosquittoBroker.start(in: folder)
        let trial = try Trial(folder: folder, broker: first)
        var box = try await trial.startBox()
        let fresh = try await status(of: first) { $0["state"]?.string == "online" && $0["session"] != nil }
        #expect(fresh["session"]?.string == "new" && fresh["session_epoch"]?.integer == 1)
        #expect(fresh["merchant"]?.string == "M1001" && Self.faults(fresh).isEmpty)

        // It keeps nothing on its disk.
        try await first.kill()
        let second = try await MosquittoBroker.start(in: folder, port: first.port)
        let lost = try await status(of: second, where: Self.isAboutSession)
        #expect(lost["session"]?.string == "new" && lost["session_epoch"]?.integer == 2)

        box.kill9()
        _ = try await box.exitStatus()
        box = try await trial.startBox()
        let resumed = try await status(of: second) { $0["session"]?.string == "resumed" }
        #expect(Self.isAboutSession(resumed) && resumed["session_epoch"]?.integer == 2)

        for number in [1, 2] {
            try await ChildProcess.run(
                "mosquitto_pub", "-p", "\(second.port)", "-q", "1", "-t", "soundbox/v1/M1001/box-01/commands", "-m",
                #"{"id":"r-\#(number)","type":"reconciled","session_epoch":\#(number)}"#)
        }
        let over = try await status(of: second) { $0["state"]?.string == "online" && Self.faults($0).isEmpty }
        #expect(over["session_epoch"]?.integer == 2)
        try await box.hasLogged("command refused", "session_epoch: ")
        #expect(try await box.stop() == 0)
        try await second.stop()
    }

    @Test("A broker that has kept it is told as well, and is no fault")
    func kept() async throws {
        let first = try await MosquittoBroker.start(
            in: folder, configuration: ["allow_anonymous true"] + MosquittoBroker.persistence(in: folder))
        let trial = try Trial(folder: folder, broker: first)
        let box = try await trial.startBox()
        try await first.stop()
        let second = try await MosquittoBroker.start(
            in: folder, port: first.port,
            configuration: ["allow_anonymous true"] + MosquittoBroker.persistence(in: folder))
        let status = try await status(of: second) { $0["session"]?.string == "resumed" }
        #expect(status["session_epoch"]?.integer == 1 && Self.faults(status).isEmpty)
        #expect(try await box.stop() == 0)
        try await second.stop()
    }

    @Test("After a payment the retained status tells that nothing waits any more, without a minute's wait")
    func followsInbox() async throws {
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker)
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([notice("A-1", "1")])
            let began = ContinuousClock.now
            let status = try await status(of: broker) {
                $0["announced"]?.integer == 1 && $0["queued"]?.integer == 0 && $0["receipts_waiting"]?.integer == 0
            }
            // A heartbeat's `uptime_s` would be a minute.
            #expect((status["uptime_s"]?.integer ?? 99) < 50 || began.duration(to: .now) < .seconds(50))
            #expect(try await box.stop() == 0)
        }
    }
}
