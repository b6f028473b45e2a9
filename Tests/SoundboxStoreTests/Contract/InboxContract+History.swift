import SoundboxCore

extension ErrandContract {
    static let clausesOfHistory: [ErrandContract] = [
        ErrandContract(description: "What waits is given by rank: the oldest payments, one refund and one other") {
            open in
            try demand(open().queue(limit: 9), equals: NoticeQueue(), "an empty inbox")
            let kinds: [PaymentNotice.Kind] = try [
                .other(kind("deposit")), .refund, .payment, .other(kind("member")), .payment, .refund, .payment,
                .refund,
            ]
            let notices = try kinds.enumerated().map { try notice("\($0)", $1) }
            _ = try open().store(notices.map { .notice($0) }, at: noon)
            let all = try open().waiting(limit: 99)
            try demand(all.map(\.notice), equals: notices, "notices, with their kinds and texts")
            var queue = try open().queue(limit: 2)
            try demand(queue.payments, equals: [all[2], all[4]], "payments")
            try demand(queue.others.sorted { $0.sequence < $1.sequence }, equals: [all[0], all[1]], "others")
            try demand(queue.lastPayment, equals: all[6].sequence, "the last payment")
            try open().markAnnounced(all[1], at: later)
            for entry in all where entry.notice.kind == .payment { try open().markAnnounced(entry, at: later) }
            queue = try open().queue(limit: 2)
            try demand(queue.payments, equals: [], "payments afterwards")
            try demand(queue.others.contains(all[5]) && queue.others.contains(all[0]), equals: true, "the next refund")
            try demand(queue.lastPayment, equals: nil, "no last payment")
        },
        ErrandContract(description: "Replay follows the announcements, which need not be in order of arrival") { open in
            let entries = try InboxContract.store(["1", "2", "3", "4"], in: open())
            for index in [1, 3, 0] { try open().markAnnounced(entries[index], at: later) }
            try demand(
                (0...3).map { try open().lastAnnounced(skipping: $0)?.notice.id.text }, equals: ["1", "4", "2", nil],
                "announcements, the last one first")
            try demand(open().counts().announced, equals: 3, "how many there were")
            try open().markAnnounced(entries[2], at: later)
            try demand(open().lastAnnounced()?.notice.id.text, equals: "3", "the last one")
            try demand(open().counts().announced, equals: 4, "how many there are")
        },
        ErrandContract(description: "A refund is apart from the payment of its id; other kinds share the payment's") {
            open in
            let payment = try InboxContract.notice("A", "9")
            let refund = try InboxContract.notice("A", "5", .refund)
            let deposit = try InboxContract.notice("A", "9", .other(kind("deposit")))
            let rejection = NoticeRejection(id: refund.id, field: "amount", problem: "must not be negative")
            try demand(open().store([.rejection(rejection)], at: noon), equals: [.rejected(rejection)], "a rejection")
            try demand(open().knows(refund.id), equals: false, "before")
            let outcomes = try open().store([payment, refund, refund, deposit].map { .notice($0) }, at: noon)
            let entries = try open().waiting(limit: 9)
            try demand(entries.map(\.notice), equals: [payment, refund], "waiting")
            try demand(
                outcomes,
                equals: [
                    .stored(entries[0]), .stored(entries[1]), .duplicate(refund, differs: nil),
                    .duplicate(deposit, differs: nil),
                ], "outcomes")
            try open().markAnnounced(entries[1], at: later)
            try demand(open().waiting(limit: 9), equals: [entries[0]], "waiting after the refund")
            try demand(open().cancel(refund.id, at: later), equals: .tooLate(.announced), "a cancel of the refund")
            try demand(open().cancel(payment.id, at: later), equals: .cancelled(entries[0]), "a cancel of the payment")
            try demand(open().knows(refund.id) && open().knows(payment.id), equals: true, "afterwards")
            try demand(
                open().store([.notice(refund), .notice(payment)], at: later),
                equals: [.duplicate(refund, differs: nil), .duplicate(payment, differs: nil)], "once more")
            let late = try ["B", "C"].map { try InboxContract.notice($0, "1", .refund) }
            _ = try open().store(late.map { .notice($0) }, at: later)
            try demand(
                open().take([.cancel(.payment(InboxContract.notice("C").id), expiry: evening)], at: later),
                equals: [.unknown(.payment(try PaymentID("C")))], "a cancel of a payment that never was")
            _ = try open().take([.cancel(.payment(late[1].id), expiry: evening)], at: later)
            try open().markExpired(open().waiting(limit: 9), at: later)
            try demand(
                InboxContract.receipts(of: open()).map { "\($0.id ?? "") \($0.kind ?? "-") \($0.state ?? "")" },
                equals: [
                    "A refund rejected", "A - stored", "A refund stored", "A refund duplicate", "A - duplicate",
                    "A refund announced", "A - cancelled", "A refund duplicate", "A - duplicate", "B refund stored",
                    "C refund stored", "C refund cancelled", "B refund expired",
                ], "receipts")
            try demand(InboxContract.replies(of: open()).map(\.state), equals: ["ok"], "replies")
        },
        ErrandContract(description: "The history is given in pages, newest first, with how each notice ended") { open in
            let entries = try InboxContract.store(["1", "2", "3", "4", "5"], in: open())
            try open().markAnnounced(entries[0], as: .muted, at: later)
            try open().markExpired([entries[1]], told: .aloud, at: later)
            _ = try open().cancel(entries[2].notice.id, at: later)
            _ = try open().markAnnouncing(entries[3])
            var found: [HistoryEntry] = []
            var next: Int64?
            repeat {
                let page = try open().history(HistoryFilter(), before: next, limit: 2)
                try demand(page.unreadable, equals: nil, "unreadable rows")
                found += page.entries
                next = page.next
            } while next != nil
            try demand(found.map(\.entry.notice.id.text), equals: ["5", "4", "3", "2", "1"], "ids")
            try demand(
                found.map(\.entry.state), equals: [.received, .announcing, .cancelled, .expired, .announced], "states")
            try demand(found.map(\.endedAt), equals: [nil, nil, later, later, later], "ends")
            try demand(found.map(\.manner), equals: [nil, nil, nil, .aloud, .muted], "manners")
        },
        ErrandContract(description: "A filter leaves out what it says, and pages tell how many rows were looked at") {
            open in
            var notices = try ["1", "2", "3"].map { try InboxContract.notice($0, "1", $0 == "1" ? .refund : .payment) }
            notices[1].channel = "alipay"
            _ = try open().store([.notice(notices[0])], at: noon)
            _ = try open().store([.notice(notices[1])], at: later)
            _ = try open().store([.notice(notices[2])], at: evening, clock: .none)
            func ids(_ change: (inout HistoryFilter) throws -> Void) throws -> [String] {
                var filter = HistoryFilter()
                try change(&filter)
                let page = try open().history(filter, before: nil, limit: 10)
                try demand(page.examined, equals: 3, "rows looked at")
                try demand(page.latest, equals: later, "the latest known time")
                try demand(page.next, equals: nil, "the end")
                return page.entries.map(\.entry.notice.id.text)
            }
            try demand(ids { $0.kinds = [.refund] }, equals: ["1"], "a kind")
            try demand(ids { $0.channels = ["alipay"] }, equals: ["2"], "a channel")
            try demand(ids { $0.currencies = [.CNY] }, equals: ["3", "2", "1"], "a currency")
            try demand(ids { $0.states = [.announced] }, equals: [], "a state")
            try demand(ids { $0.from = later }, equals: ["2"], "from")
            try demand(ids { $0.to = later }, equals: ["1"], "to")
            try demand(
                ids {
                    $0.from = later
                    $0.includesUntimed = true
                }, equals: ["3", "2"], "with those of unknown time")
        },
        ErrandContract(description: "An amount is found by its value, and an id by its end, byte for byte") { open in
            let notices = try [
                ("2026A6789", "12.50"), ("2026B6789", "12.5"), ("67890", "12.05"), ("789", "125"), ("caf\u{E9}", "0.5"),
                ("x6789", "12.500000001"),
            ].map { id, amount in
                try InboxContract.notice(id, amount, id == "x6789" ? .refund : .payment)
            }
            _ = try open().store(notices.map { .notice($0) }, at: noon)
            func ids(amount: String? = nil, ending: String? = nil) throws -> [String] {
                var filter = HistoryFilter()
                filter.amount = try amount.map { try DecimalNumber($0) }
                filter.idEnding = ending
                let page = try open().history(filter, before: nil, limit: 10)
                try demand(page.examined, equals: notices.count, "rows looked at")
                return page.entries.map(\.entry.notice.id.text)
            }
            try demand(ids(amount: "12.5"), equals: ["2026B6789", "2026A6789"], "12.5")
            try demand(ids(amount: "012.500"), equals: ["2026B6789", "2026A6789"], "012.500")
            try demand(ids(amount: "12"), equals: [], "12")
            try demand(ids(ending: "6789"), equals: ["x6789", "2026B6789", "2026A6789"], "an end")
            try demand(
                ids(ending: "789"), equals: ["x6789", "789", "2026B6789", "2026A6789"], "an end, and all of an id")
            try demand(ids(ending: "a6789"), equals: [], "lower case")
            try demand(ids(ending: "0789"), equals: [], "more than an id has")
            try demand(ids(ending: "%789"), equals: [], "no pattern")
            try demand(ids(ending: "e\u{301}"), equals: [], "what looks the same and is not")
            try demand(ids(ending: "\u{E9}"), equals: ["caf\u{E9}"], "a letter beyond ASCII")
            try demand(ids(amount: "12.50", ending: "B6789"), equals: ["2026B6789"], "both")
        },
    ]

    private static func kind(_ name: String) throws -> KindName {
        guard let kind = KindName(name) else { throw InboxContractViolation(description: "no kind: \(name)") }
        return kind
    }

    private static func notice(_ id: String, _ kind: PaymentNotice.Kind) throws -> PaymentNotice {
        PaymentNotice(
            id: try PaymentID(id), money: try InboxContract.money("1"), kind: kind,
            text: kind == .payment ? "谢谢 '\(id)'" : nil)
    }
}
