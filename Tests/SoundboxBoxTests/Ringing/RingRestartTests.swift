import Logging
import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Rings in the inbox, across restarts", .timeLimit(.minutes(15)))
struct RingRestartTests {
    private let desk = RingDesk()
    private let inbox = TemporaryInbox()

    private func take(_ command: CommandArrival, age: Int64 = 0, clock: ClockTrust = .confirmed) throws
        -> CommandOutcome
    {
        let time = Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 - age * 1000)
        return try #require(try inbox.take([command], at: ClockReading(time, clock)).first)
    }

    private static var expiry: Timestamp {
        Timestamp(millisecondsSince1970: Timestamp.now.millisecondsSince1970 + 3_600_000)
    }

    private func arrive(_ errand: Errand, age: Int64 = 0) throws {
        let outcome = try take(.errand(errand, expiry: Self.expiry, onlyWhenNoRing: false), age: age)
        if case .accepted = outcome {} else { Issue.record("\(outcome)") }
    }

    private func cancel(_ id: String) throws -> CommandOutcome {
        try take(.cancel(.errand(try CommandID(id)), expiry: Self.expiry))
    }

    /// The states of the receipts, without `stored`.
    private func ends() throws -> [String] {
        try inbox.receipts(after: 0, limit: 99).compactMap { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            guard let state = json["state"]?.string, state != "stored" else { return nil }
            return "\(json["command"]?.string ?? "none") \(state)"
        }
    }

    /// Runs a box's ringer while `body` runs.
    private func withRun(_ body: @Sendable @escaping (RingService) async throws -> Void) async throws {
        let service = desk.service(inbox)
        try await withThrowingTaskGroup { group in
            group.addTask { await service.run() }
            try await body(service)
            group.cancelAll()
        }
    }

    private func expectStart() async throws {
        try await desk.player.calls.next { if case .start = $0 { () } else { nil } }
    }

    private func expectReceipt() async throws { try await desk.told.next { $0 == .receipts ? () : nil } }

    @Test("A ring that sounded when the power went sounds again, and has one end")
    func again() async throws {
        try arrive(try RingDesk.ring("r-1"))
        try await withRun { [self] _ in try await expectStart() }
        #expect(try ends() == [])
        #expect(try inbox.errands().map(\.isSounding) == [true])
        try await withRun { [self] service in
            try await expectStart()
            #expect(service.answer())
            try await expectReceipt()
        }
        try await withRun { [self] service in
            try await desk.told.next { $0 == .prepare(0) ? () : nil }
            #expect(!service.answer())
        }
        #expect(try ends() == ["r-1 answered"])
    }

    @Test("One whose time ran out while the box was off is missed, and said so once")
    func over() async throws {
        try arrive(try RingDesk.ring("r-1", timeout: .seconds(30)), age: 31)
        try await withRun { [self] _ in
            try await expectReceipt()
            try await desk.told.next { $0 == .missed ? () : nil }
        }
        #expect(try ends() == ["r-1 missed"])
        #expect(desk.player.calls.entries.isEmpty)
    }

    @Test("A ring that was cancelled before the power went, sounding or not come yet, is silent after it")
    func cancelled() async throws {
        try arrive(try RingDesk.ring("r-1"))
        try await withRun { [self] service in
            try await expectStart()
            service.hush(.errand(try CommandID("r-1")))
            _ = try cancel("r-1")
            service.ringsMayWait()
            service.hush(.errand(try CommandID("r-2")))
            _ = try cancel("r-2")
        }
        let outcome = try take(.errand(try RingDesk.ring("r-2"), expiry: Self.expiry, onlyWhenNoRing: false))
        #expect(outcome == .cancelled(.errand(try CommandID("r-2")), .beforeItCame))
        try await withRun { [self] _ in try await desk.told.next { $0 == .prepare(0) ? () : nil } }
        #expect(desk.player.calls.entries.count == 2)
        #expect(try ends() == ["r-1 cancelled", "r-2 cancelled"])
    }

    @Test("A ring that ends while its cancel is on its way has one receipt, whoever is first")
    func oneReceipt() async throws {
        try arrive(try RingDesk.ring("r-1"))
        try await withRun { [self] service in
            try await expectStart()
            // The cancel is committed in the middle of the press.
            _ = try cancel("r-1")
            #expect(service.answer())
            service.ringsMayWait()
            try await desk.told.next { $0 == .prepare(0) ? () : nil }
        }
        #expect(try ends() == ["r-1 cancelled"])
    }
}
