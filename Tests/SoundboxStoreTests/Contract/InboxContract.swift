import SoundboxCore

/// What the inbox promises in ``Inbox``, as clauses that an empty one is put through.
struct InboxContract: Sendable, CustomStringConvertible {
    /// A sentence that says what the clause demands.
    let description: String
    /// Throws ``InboxContractViolation``, or what the inbox threw.
    let check: @Sendable (_ empty: any Inbox) throws -> Void

    static let clauses: [InboxContract] =
        [
            InboxContract(description: "An empty inbox has nothing to give") { inbox in
                try demand(inbox.waiting(limit: 10), equals: [], "waiting")
                try demand(inbox.lastAnnounced(), equals: nil, "last announced")
                try demand(inbox.receipts(after: 0, limit: 10), equals: [], "receipts")
                try demand(inbox.counts(), equals: InboxCounts(waiting: 0, announced: 0, receiptsWaiting: 0), "counts")
                try demand(inbox.store([], at: noon), equals: [], "outcomes of an empty batch")
            },
            InboxContract(description: "A stored notice waits with every field it came with") { inbox in
                let full = PaymentNotice(
                    id: try PaymentID("订单 '1\"; --"), money: try money("1000000000000000"), kind: .refund,
                    channel: "支付宝", paidAt: Timestamp(millisecondsSince1970: -1))
                let bare = try notice("2", "0.000000001")
                let outcomes = try inbox.store([.notice(full), .notice(bare)], at: noon)
                let entries = try inbox.waiting(limit: 10)
                try demand(entries.map(\.notice), equals: [full, bare], "waiting notices")
                try demand(entries.map(\.receivedAt), equals: [noon, noon], "times of arrival")
                try demand(entries.map(\.state), equals: [.received, .received], "states")
                try demand(outcomes, equals: entries.map { .stored($0) }, "outcomes")
            },
            InboxContract(description: "How far the clock could be believed is kept with the time of arrival") {
                inbox in
                for (number, clock) in ClockTrust.allCases.enumerated() {
                    _ = try inbox.store([.notice(try notice("\(number)"))], at: noon, clock: clock)
                }
                try demand(inbox.waiting(limit: 10).map(\.clock), equals: ClockTrust.allCases, "clocks")
                try inbox.distrustArrivalTimes()
                try demand(
                    inbox.waiting(limit: 10).map(\.clock), equals: [.none, .none, .confirmed], "after a jump")
            },
            InboxContract(description: "Notices wait in order of arrival, and the limit takes the oldest") { inbox in
                for name in ["c", "a", "b"] { _ = try inbox.store([.notice(try notice(name))], at: noon) }
                let entries = try inbox.waiting(limit: 10)
                try demand(entries.map(\.notice.id.text), equals: ["c", "a", "b"], "order of arrival")
                try demand(entries.map(\.sequence), equals: entries.map(\.sequence).sorted(), "sequences")
                try demand(inbox.waiting(limit: 2), equals: Array(entries.prefix(2)), "the two oldest")
                try demand(inbox.waiting(limit: 0), equals: [], "none")
            },
            InboxContract(description: "A known id is a duplicate, in any batch and in any state, and is not stored") {
                inbox in
                let first = try notice("1")
                let outcomes = try inbox.store([.notice(first), .notice(first)], at: noon)
                try demand(outcomes.last, equals: .duplicate(first, differs: nil), "outcome in the same batch")
                let entry = try only(inbox.waiting(limit: 10))
                try demand(
                    inbox.store([.notice(first)], at: later), equals: [.duplicate(first, differs: nil)], "while waiting"
                )
                try inbox.markAnnounced(entry, at: later)
                try demand(
                    inbox.store([.notice(first)], at: later), equals: [.duplicate(first, differs: nil)],
                    "when announced")
                try demand(inbox.waiting(limit: 10), equals: [], "waiting")
                try demand(
                    receipts(of: inbox).map(\.state),
                    equals: ["stored", "duplicate", "duplicate", "announced", "duplicate"],
                    "receipts")
            },
            InboxContract(description: "A known id with another amount is a duplicate that tells the stored amount") {
                inbox in
                _ = try inbox.store([.notice(try notice("1", "12.5"))], at: noon)
                let same = try notice("1", "12.50")
                let other = try notice("1", "125")
                try demand(
                    inbox.store([.notice(same), .notice(other)], at: noon),
                    equals: [.duplicate(same, differs: nil), .duplicate(other, differs: try money("12.5"))], "outcomes")
                try demand(
                    try only(inbox.waiting(limit: 10)).notice.money, equals: try money("12.5"), "the stored amount")
                let reasons = try receipts(of: inbox).map(\.reason)
                try demand(reasons.map { $0 == nil }, equals: [true, true, false], "receipts without a reason")
                try demand(reasons.last??.contains("12.5 CNY"), equals: true, "the reason names the stored amount")
            },
            InboxContract(description: "A rejection is answered with a receipt that names the field, and is not stored")
            { inbox in
                let rejections = [
                    NoticeRejection(id: nil, field: "payload", problem: "the text is empty"),
                    NoticeRejection(id: try PaymentID("1"), field: "amount", problem: "must not be negative"),
                ]
                try demand(
                    inbox.store(rejections.map { .rejection($0) }, at: noon), equals: rejections.map { .rejected($0) },
                    "outcomes")
                try demand(
                    receipts(of: inbox),
                    equals: [
                        StoredReceipt(id: nil, state: "rejected", reason: "payload: the text is empty"),
                        StoredReceipt(id: "1", state: "rejected", reason: "amount: must not be negative"),
                    ], "receipts")
                let notice = try notice("1")
                guard case .stored = try inbox.store([.notice(notice)], at: noon).first else {
                    throw InboxContractViolation(description: "a rejected id must stay free for the corrected notice")
                }
            },
        ] + InboxContract.clausesOfAnnouncing + InboxContract.clausesOfReceipts + InboxContract.clausesOfCommands
}

/// How an inbox breaks a clause of its contract.
struct InboxContractViolation: Error, Sendable, CustomStringConvertible {
    var description: String
}
