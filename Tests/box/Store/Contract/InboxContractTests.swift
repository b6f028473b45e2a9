import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("What an inbox promises")
struct InboxContractTests: InboxContract {
    private let folder: TemporaryFolder
    let inbox: SQLiteInbox

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        inbox = try SQLiteInbox(path: folder.file("inbox.sqlite"))
    }

    @Test("An empty inbox has nothing to give")
    func empty() throws {
        #expect(try inbox.waiting(limit: 10) == [])
        #expect(try inbox.lastAnnounced() == nil)
        #expect(try inbox.receipts(after: 0, limit: 10) == [])
        #expect(try inbox.counts() == InboxCounts(waiting: 0, announced: 0, receiptsWaiting: 0))
        #expect(try inbox.store([], at: noon) == [], "outcomes of an empty batch")
    }

    @Test("A stored notice waits with every field it came with")
    func fields() throws {
        let full = PaymentNotice(
            id: try PaymentID("订单 '1\"; --"), money: try money("1000000000000000"), kind: .refund,
            channel: "支付宝", paidAt: Timestamp(millisecondsSince1970: -1))
        let bare = try notice("2", "0.000000001")
        let outcomes = try inbox.store([.notice(full), .notice(bare)], at: noon)
        let entries = try inbox.waiting(limit: 10)
        #expect(entries.map(\.notice) == [full, bare])
        #expect(entries.map(\.receivedAt) == [noon, noon], "times of arrival")
        #expect(entries.map(\.state) == [.received, .received])
        #expect(outcomes == entries.map { .stored($0) })
    }

    @Test("How far the clock could be believed is kept with the time of arrival")
    func clockTrust() throws {
        for (number, clock) in ClockTrust.allCases.enumerated() {
            _ = try inbox.store([.notice(try notice("\(number)"))], at: noon, clock: clock)
        }
        #expect(try inbox.waiting(limit: 10).map(\.clock) == ClockTrust.allCases)
        try inbox.distrustArrivalTimes()
        #expect(try inbox.waiting(limit: 10).map(\.clock) == [.none, .none, .confirmed], "after a jump")
    }

    @Test("Notices wait in order of arrival, and the limit takes the oldest")
    func order() throws {
        for name in ["c", "a", "b"] { _ = try inbox.store([.notice(try notice(name))], at: noon) }
        let entries = try inbox.waiting(limit: 10)
        #expect(entries.map(\.notice.id.text) == ["c", "a", "b"], "order of arrival")
        #expect(entries.map(\.sequence) == entries.map(\.sequence).sorted())
        #expect(try inbox.waiting(limit: 2) == Array(entries.prefix(2)), "the two oldest")
        #expect(try inbox.waiting(limit: 0) == [])
    }

    @Test("A known id is a duplicate, in any batch and in any state, and is not stored")
    func duplicates() throws {
        let first = try notice("1")
        let outcomes = try inbox.store([.notice(first), .notice(first)], at: noon)
        #expect(outcomes.last == .duplicate(first, differs: nil), "outcome in the same batch")
        let entry = try only(inbox.waiting(limit: 10))
        #expect(try inbox.store([.notice(first)], at: later) == [.duplicate(first, differs: nil)], "while waiting")
        try inbox.markAnnounced(entry, at: later)
        #expect(try inbox.store([.notice(first)], at: later) == [.duplicate(first, differs: nil)])
        #expect(try inbox.waiting(limit: 10) == [])
        #expect(try receipts(of: inbox).map(\.state) == ["stored", "duplicate", "duplicate", "announced", "duplicate"])
    }

    @Test("A known id with another amount is a duplicate that tells the stored amount")
    func otherAmount() throws {
        _ = try inbox.store([.notice(try notice("1", "12.5"))], at: noon)
        let same = try notice("1", "12.50")
        let other = try notice("1", "125")
        #expect(
            try inbox.store([.notice(same), .notice(other)], at: noon) == [
                .duplicate(same, differs: nil), .duplicate(other, differs: try money("12.5")),
            ])
        #expect(try only(inbox.waiting(limit: 10)).notice.money == money("12.5"), "the stored amount")
        let reasons = try receipts(of: inbox).map(\.reason)
        #expect(reasons.map { $0 == nil } == [true, true, false], "receipts without a reason")
        #expect(reasons.last??.contains("12.5 CNY") == true, "the reason names the stored amount")
    }

    @Test("A rejection is answered with a receipt that names the field, and is not stored")
    func rejections() throws {
        let rejections = [
            NoticeRejection(id: nil, field: "payload", problem: "the text is empty"),
            NoticeRejection(id: try PaymentID("1"), field: "amount", problem: "must not be negative"),
        ]
        #expect(try inbox.store(rejections.map { .rejection($0) }, at: noon) == rejections.map { .rejected($0) })
        #expect(
            try receipts(of: inbox) == [
                StoredReceipt(id: nil, state: "rejected", reason: "payload: the text is empty"),
                StoredReceipt(id: "1", state: "rejected", reason: "amount: must not be negative"),
            ])
        let notice = try notice("1")
        guard case .stored = try inbox.store([.notice(notice)], at: noon).first else {
            throw TestFailure("a rejected id must stay free for the corrected notice")
        }
    }
}
