import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

extension CustomMessageContractTests {
    @Test("What waits and what sounds is cancelled, and the receipts tell which")
    func cancelled() throws {
        let entries = try take(["w", "s"], in: open())
        #expect(
            try open().apply([cancel("s", hasBegun: true), cancel("w")], at: later) == [
                .cancelled(try target("s"), .whileItSounded), .cancelled(try target("w"), .whileItWaited),
            ])
        #expect(try open().customMessages() == [])
        #expect(try !open().stillWaits(entries[0]), "it may sound")
        #expect(try !open().end(entries[1], as: .answered, at: later), "an end after the cancel")
        #expect(
            try open().apply([cancel("s"), arrival("s")], at: later) == [
                .tooLate(try target("s"), state: "cancelled"), .duplicate,
            ], "once more")
        #expect(
            try Array(receipts(of: open()).dropFirst(2)) == [
                receipt("s", "cancelled", "while it sounded"), receipt("w", "cancelled", "while it waited"),
            ])
    }

    @Test("A cancel that comes before its custom message is remembered, also across a restart")
    func cancelledBefore() throws {
        #expect(
            try open().apply([cancel("r"), cancel("r")], at: noon) == [
                .remembered(try CommandID("r")), .remembered(try CommandID("r")),
            ])
        #expect(try receipts(of: open()) == [], "receipts before it came")
        let notYet = "command_id: not known yet; it ends as soon as it comes"
        #expect(try replies(of: open()).map(\.reason) == [notYet, notYet])
        let cancelled = CommandOutcome.cancelled(try target("r"), .beforeItCame)
        #expect(try open().apply([arrival("r")], at: later) == [cancelled])
        #expect(try open().customMessages() == [])
        #expect(try receipts(of: open()) == [receipt("r", "cancelled", "before it came")])
        #expect(
            try open().apply([arrival("r"), cancel("r")], at: later) == [
                .duplicate, .tooLate(try target("r"), state: "cancelled"),
            ], "once more")
    }

    @Test("A ring and its cancel in one batch are taken in their order")
    func inOneBatch() throws {
        let outcomes = try open().apply([arrival("a"), cancel("a"), cancel("b"), arrival("b")], at: noon)
        guard case .accepted = outcomes[0] else {
            throw TestFailure("expected accepted, found \(outcomes[0])")
        }
        #expect(
            try Array(outcomes.dropFirst()) == [
                .cancelled(try target("a"), .whileItWaited), .remembered(try CommandID("b")),
                .cancelled(try target("b"), .beforeItCame),
            ])
        #expect(try open().customMessages() == [])
        #expect(
            try receipts(of: open()) == [
                receipt("a", "stored"), receipt("a", "cancelled", "while it waited"),
                receipt("b", "cancelled", "before it came"),
            ])
    }

    @Test("A cancel that came before is forgotten after its time, and not by a wrong clock")
    func forgottenCancel() throws {
        let after = Timestamp(millisecondsSince1970: evening.millisecondsSince1970 + 1)
        _ = try open().apply([cancel("a"), cancel("b")], at: noon)
        // A year ahead, says a clock that nothing confirms.
        let wrong = ClockReading(Timestamp(millisecondsSince1970: after.millisecondsSince1970 * 2), .none)
        #expect(try open().apply([arrival("a")], at: wrong) == [.cancelled(try target("a"), .beforeItCame)], "in time")
        guard case .accepted = try open().apply([arrival("b")], at: after).first else {
            throw TestFailure("a cancel must be forgotten after its time")
        }
    }

    @Test("Of the cancels that came before, no more than the newest are remembered")
    func cancelLimit() throws {
        let count = CustomMessage.mostCancelledBefore
        _ = try open().apply(try (0...count).map { try cancel("\($0)") }, at: noon)
        #expect(try open().apply([arrival("1")], at: noon) == [.cancelled(try target("1"), .beforeItCame)])
        guard case .accepted = try open().apply([arrival("0")], at: noon).first else {
            throw TestFailure("expected the cancel of 0 to be forgotten")
        }
    }

    @Test("What has ended cannot be cancelled, and the answer says how it ended")
    func tooLate() throws {
        let entries = try take(["m", "f"], in: open())
        _ = try open().end(entries[0], as: .missed, at: later)
        _ = try open().end(entries[1], as: .failed(reason: "x"), at: later)
        _ = try open().apply([.once(try CommandID("o"), expiry: evening)], at: noon)
        #expect(
            try open().apply([cancel("m"), cancel("f"), cancel("o")], at: later) == [
                .tooLate(try target("m"), state: "missed"), .tooLate(try target("f"), state: "failed"),
                .tooLate(try target("o"), state: "ended"),
            ])
        #expect(try receipts(of: open()).count == 4)
        #expect(try replies(of: open()).map(\.state) == ["ok", "ok", "ok"])
    }

    @Test("A payment that is being spoken is cancelled in a batch, and its end comes too late")
    func cancelledPayment() throws {
        let entry = try only(store(["1"], in: open()))
        let target = CancelTarget.payment(entry.notice.id)
        let batch = CommandArrival.cancel(target, expiry: evening, hasBegun: true)
        #expect(
            try open().apply([batch, batch], at: later) == [
                .cancelled(target, .whileItSounded), .tooLate(target, state: "cancelled"),
            ])
        try open().markAnnounced(entry, at: later)
        #expect(try open().counts().announced == 0)
        #expect(
            try receipts(of: open()).suffix(1) == [
                StoredReceipt(id: "1", state: "cancelled", reason: "while it sounded")
            ])
    }
}
