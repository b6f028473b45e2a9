import SoundboxCore

extension ErrandContract {
    static let clausesOfCancels: [ErrandContract] = [
        ErrandContract(description: "What waits and what sounds is cancelled, and the receipts tell which") { open in
            let entries = try take(["w", "s"], in: open())
            _ = try open().markSounding(entries[1])
            try demand(
                open().take([cancel("s"), cancel("w")], at: later),
                equals: [.cancelled(try target("s"), .whileItSounded), .cancelled(try target("w"), .whileItWaited)],
                "outcomes")
            try demand(open().errands(), equals: [], "errands")
            try demand(open().markSounding(entries[0]), equals: false, "it may sound")
            try demand(open().end(entries[1], as: .answered, at: later), equals: false, "an end after the cancel")
            try demand(
                open().take([cancel("s"), arrival("s")], at: later),
                equals: [.tooLate(try target("s"), state: "cancelled"), .duplicate], "once more")
            try demand(
                Array(InboxContract.receipts(of: open()).dropFirst(2)),
                equals: [receipt("s", "cancelled", "while it sounded"), receipt("w", "cancelled", "while it waited")],
                "receipts")
        },
        ErrandContract(description: "A cancel that comes before its errand is remembered, also across a restart") {
            open in
            try demand(
                open().take([cancel("r"), cancel("r")], at: noon),
                equals: [.remembered(try CommandID("r")), .remembered(try CommandID("r"))], "the cancel")
            try demand(InboxContract.receipts(of: open()), equals: [], "receipts before it came")
            let notYet = "command_id: not known yet; it ends as soon as it comes"
            try demand(InboxContract.replies(of: open()).map(\.reason), equals: [notYet, notYet], "replies")
            let cancelled = CommandOutcome.cancelled(try target("r"), .beforeItCame)
            try demand(open().take([arrival("r")], at: later), equals: [cancelled], "the errand")
            try demand(open().errands(), equals: [], "errands")
            try demand(
                InboxContract.receipts(of: open()), equals: [receipt("r", "cancelled", "before it came")], "receipts")
            try demand(
                open().take([arrival("r"), cancel("r")], at: later),
                equals: [.duplicate, .tooLate(try target("r"), state: "cancelled")], "once more")
        },
        ErrandContract(description: "A ring and its cancel in one batch are taken in their order") { open in
            let outcomes = try open().take([arrival("a"), cancel("a"), cancel("b"), arrival("b")], at: noon)
            guard case .accepted = outcomes[0] else {
                throw InboxContractViolation(description: "expected accepted, found \(outcomes[0])")
            }
            try demand(
                Array(outcomes.dropFirst()),
                equals: [
                    .cancelled(try target("a"), .whileItWaited), .remembered(try CommandID("b")),
                    .cancelled(try target("b"), .beforeItCame),
                ], "outcomes")
            try demand(open().errands(), equals: [], "errands")
            try demand(
                InboxContract.receipts(of: open()),
                equals: [
                    receipt("a", "stored"), receipt("a", "cancelled", "while it waited"),
                    receipt("b", "cancelled", "before it came"),
                ], "receipts")
        },
        ErrandContract(description: "A cancel that came before is forgotten after its time, and not by a wrong clock") {
            open in
            let after = Timestamp(millisecondsSince1970: evening.millisecondsSince1970 + 1)
            _ = try open().take([cancel("a"), cancel("b")], at: noon)
            // A year ahead, says a clock that nothing confirms.
            let wrong = ClockReading(Timestamp(millisecondsSince1970: after.millisecondsSince1970 * 2), .none)
            try demand(
                open().take([arrival("a")], at: wrong), equals: [.cancelled(try target("a"), .beforeItCame)], "in time")
            guard case .accepted = try open().take([arrival("b")], at: after).first else {
                throw InboxContractViolation(description: "a cancel must be forgotten after its time")
            }
        },
        ErrandContract(description: "Of the cancels that came before, no more than the newest are remembered") { open in
            let count = Errand.mostCancelledBefore
            _ = try open().take(try (0...count).map { try cancel("\($0)") }, at: noon)
            try demand(
                open().take([arrival("1")], at: noon), equals: [.cancelled(try target("1"), .beforeItCame)],
                "the oldest")
            guard case .accepted = try open().take([arrival("0")], at: noon).first else {
                throw InboxContractViolation(description: "expected the cancel of 0 to be forgotten")
            }
        },
        ErrandContract(description: "What has ended cannot be cancelled, and the answer says how it ended") { open in
            let entries = try take(["m", "f"], in: open())
            _ = try open().end(entries[0], as: .missed, at: later)
            _ = try open().end(entries[1], as: .failed(reason: "x"), at: later)
            _ = try open().take([.once(try CommandID("o"), expiry: evening)], at: noon)
            try demand(
                open().take([cancel("m"), cancel("f"), cancel("o")], at: later),
                equals: [
                    .tooLate(try target("m"), state: "missed"), .tooLate(try target("f"), state: "failed"),
                    .tooLate(try target("o"), state: "ended"),
                ], "outcomes")
            try demand(InboxContract.receipts(of: open()).count, equals: 4, "receipts")
            try demand(InboxContract.replies(of: open()).map(\.state), equals: ["ok", "ok", "ok"], "replies")
        },
        ErrandContract(
            description: "A payment that is being spoken is cancelled in a batch, and its end comes too late"
        ) {
            open in
            let entry = try InboxContract.only(InboxContract.store(["1"], in: open()))
            _ = try open().markAnnouncing(entry)
            let target = CancelTarget.payment(entry.notice.id)
            let batch = CommandArrival.cancel(target, expiry: evening)
            try demand(
                open().take([batch, batch], at: later),
                equals: [.cancelled(target, .whileItSounded), .tooLate(target, state: "cancelled")], "outcomes")
            try open().markAnnounced(entry, at: later)
            try demand(open().counts().announced, equals: 0, "announced")
            try demand(
                InboxContract.receipts(of: open()).suffix(1),
                equals: [StoredReceipt(id: "1", state: "cancelled", reason: "while it sounded")], "receipt")
        },
    ]
}
