import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxStore

extension CustomMessageContractTests {
    @Test("What waits is given by rank: the oldest payments, one refund and one other")
    func ranks() throws {
        #expect(try open().queue(limit: 9) == NoticeQueue(), "an empty inbox")
        let kinds: [PaymentNotice.Kind] = try [
            .other(kind("deposit")), .refund, .payment, .other(kind("member")), .payment, .refund, .payment,
            .refund,
        ]
        let notices = try kinds.enumerated().map { try notice("\($0)", $1) }
        _ = try open().store(notices.map { .notice($0) }, at: noon)
        let all = try open().waiting(limit: 99)
        #expect(all.map(\.notice) == notices, "notices, with their kinds and texts")
        var queue = try open().queue(limit: 2)
        #expect(queue.payments == [all[2], all[4]])
        #expect(queue.others.sorted { $0.sequence < $1.sequence } == [all[0], all[1]])
        #expect(queue.lastPayment == all[6].sequence, "the last payment")
        try open().markAnnounced(all[1], at: later)
        for entry in all where entry.notice.kind == .payment { try open().markAnnounced(entry, at: later) }
        queue = try open().queue(limit: 2)
        #expect(queue.payments == [])
        #expect(queue.others.contains(all[5]) && queue.others.contains(all[0]), "the next refund")
        #expect(queue.lastPayment == nil, "no last payment")
    }

    @Test("Replay follows the announcements, which need not be in order of arrival")
    func replay() throws {
        let entries = try store(["1", "2", "3", "4"], in: open())
        for index in [1, 3, 0] { try open().markAnnounced(entries[index], at: later) }
        #expect(
            try (0...3).map { try open().lastAnnounced(skipping: $0)?.notice.id.text } == ["1", "4", "2", nil],
            "announcements, the last one first")
        #expect(try open().counts().announced == 3, "how many there were")
        try open().markAnnounced(entries[2], at: later)
        #expect(try open().lastAnnounced()?.notice.id.text == "3", "the last one")
        #expect(try open().counts().announced == 4, "how many there are")
    }

    @Test("A refund is apart from the payment of its id; other kinds share the payment's")
    func refunds() throws {
        let payment = try notice("A", "9")
        let refund = try notice("A", "5", .refund)
        let deposit = try notice("A", "9", .other(kind("deposit")))
        let rejection = NoticeRejection(id: refund.id, field: "amount", problem: "must not be negative")
        #expect(try open().store([.rejection(rejection)], at: noon) == [.rejected(rejection)])
        #expect(try !open().knows(refund.id), "before")
        let outcomes = try open().store([payment, refund, refund, deposit].map { .notice($0) }, at: noon)
        let entries = try open().waiting(limit: 9)
        #expect(entries.map(\.notice) == [payment, refund])
        #expect(
            outcomes == [
                .stored(entries[0]), .stored(entries[1]), .duplicate(refund, differs: nil),
                .duplicate(deposit, differs: nil),
            ])
        try open().markAnnounced(entries[1], at: later)
        #expect(try open().waiting(limit: 9) == [entries[0]], "waiting after the refund")
        #expect(
            try open().cancel(refund.id, at: later) == .tooLate(.payment(refund.id), state: "announced"),
            "a cancel of the refund")
        #expect(
            try open().cancel(payment.id, at: later) == .cancelled(.payment(payment.id), .whileItWaited),
            "a cancel of the payment")
        #expect(try open().knows(refund.id) && open().knows(payment.id))
        #expect(
            try open().store([.notice(refund), .notice(payment)], at: later) == [
                .duplicate(refund, differs: nil), .duplicate(payment, differs: nil),
            ], "once more")
        let late = try ["B", "C"].map { try notice($0, "1", .refund) }
        _ = try open().store(late.map { .notice($0) }, at: later)
        #expect(
            try open().apply([.cancel(.payment(notice("C").id), expiry: evening)], at: later) == [
                .unknown(.payment(try PaymentID("C")))
            ], "a cancel of a payment that never was")
        _ = try open().apply([.cancel(.payment(late[1].id), expiry: evening)], at: later)
        try open().markExpired(open().waiting(limit: 9), at: later)
        #expect(
            try receipts(of: open()).map { "\($0.id ?? "") \($0.kind ?? "-") \($0.state ?? "")" } == [
                "A refund rejected", "A - stored", "A refund stored", "A refund duplicate", "A - duplicate",
                "A refund announced", "A - cancelled", "A refund duplicate", "A - duplicate", "B refund stored",
                "C refund stored", "C refund cancelled", "B refund expired",
            ])
        #expect(try replies(of: open()).map(\.state) == ["ok", "ok"])
    }

    @Test("The history is given in pages, newest first, with how each notice ended")
    func pages() throws {
        let entries = try store(["1", "2", "3", "4", "5"], in: open())
        try open().markAnnounced(entries[0], as: .muted, at: later)
        try open().markExpired([entries[1]], told: .aloud, at: later)
        _ = try open().cancel(entries[2].notice.id, at: later)
        var found: [HistoryEntry] = []
        var next: Int64?
        repeat {
            let page = try open().history(HistoryFilter(), before: next, limit: 2)
            #expect(page.unreadable == nil)
            found += page.entries
            next = page.next
        } while next != nil
        #expect(found.map(\.entry.notice.id.text) == ["5", "4", "3", "2", "1"])
        #expect(found.map(\.entry.state) == [.received, .received, .cancelled, .expired, .announced])
        #expect(found.map(\.endedAt) == [nil, nil, later, later, later])
        #expect(found.map(\.audibility) == [nil, nil, nil, .aloud, .muted])
    }

    @Test("A filter leaves out what it says, and pages tell how many rows were looked at")
    func filters() throws {
        var notices = try ["1", "2", "3"].map { try notice($0, "1", $0 == "1" ? .refund : .payment) }
        notices[1].channel = "alipay"
        _ = try open().store([.notice(notices[0])], at: noon)
        _ = try open().store([.notice(notices[1])], at: later)
        _ = try open().store([.notice(notices[2])], at: evening, clock: .none)
        func ids(_ change: (inout HistoryFilter) throws -> Void) throws -> [String] {
            var filter = HistoryFilter()
            try change(&filter)
            let page = try open().history(filter, before: nil, limit: 10)
            #expect(page.examined == 3, "rows looked at")
            #expect(page.latest == later, "the latest known time")
            #expect(page.next == nil)
            return page.entries.map(\.entry.notice.id.text)
        }
        #expect(try ids { $0.kinds = [.refund] } == ["1"])
        #expect(try ids { $0.channels = ["alipay"] } == ["2"])
        #expect(try ids { $0.currencies = [.CNY] } == ["3", "2", "1"])
        #expect(try ids { $0.states = [.announced] } == [])
        #expect(try ids { $0.from = later } == ["2"])
        #expect(try ids { $0.to = later } == ["1"])
        #expect(
            try ids {
                $0.from = later
                $0.includesUntimed = true
            } == ["3", "2"], "with those of unknown time")
    }

    @Test("An amount is found by its value, and an id by its end, byte for byte")
    func amountAndID() throws {
        let notices = try [
            ("2026A6789", "12.50"), ("2026B6789", "12.5"), ("67890", "12.05"), ("789", "125"), ("caf\u{E9}", "0.5"),
            ("x6789", "12.500000001"),
        ].map { id, amount in
            try notice(id, amount, id == "x6789" ? .refund : .payment)
        }
        _ = try open().store(notices.map { .notice($0) }, at: noon)
        func ids(amount: String? = nil, ending: String? = nil) throws -> [String] {
            var filter = HistoryFilter()
            filter.amount = try amount.map { try DecimalNumber($0) }
            filter.idEnding = ending
            let page = try open().history(filter, before: nil, limit: 10)
            #expect(page.examined == notices.count, "rows looked at")
            return page.entries.map(\.entry.notice.id.text)
        }
        #expect(try ids(amount: "12.5") == ["2026B6789", "2026A6789"])
        #expect(try ids(amount: "012.500") == ["2026B6789", "2026A6789"])
        #expect(try ids(amount: "12") == [])
        #expect(try ids(ending: "6789") == ["x6789", "2026B6789", "2026A6789"])
        #expect(try ids(ending: "789") == ["x6789", "789", "2026B6789", "2026A6789"], "an end, and all of an id")
        #expect(try ids(ending: "a6789") == [])
        #expect(try ids(ending: "0789") == [], "more than an id has")
        #expect(try ids(ending: "%789") == [])
        #expect(try ids(ending: "e\u{301}") == [], "what looks the same and is not")
        #expect(try ids(ending: "\u{E9}") == ["caf\u{E9}"], "a letter beyond ASCII")
        #expect(try ids(amount: "12.50", ending: "B6789") == ["2026B6789"])
    }

    private func notice(_ id: String, _ kind: PaymentNotice.Kind) throws -> PaymentNotice {
        PaymentNotice(
            id: try PaymentID(id), money: try money("1"), kind: kind, text: kind == .payment ? "谢谢 '\(id)'" : nil)
    }
}
