import SoundboxCore

extension InboxContract {
    static let clausesOfAnnouncing: [InboxContract] = [
        InboxContract(description: "What is being announced still waits, and comes first") { inbox in
            let entries = try store(["1", "2"], in: inbox)
            try demand(inbox.markAnnouncing(entries[0]), equals: true, "it may be spoken")
            // After a power cut the same is noted once more.
            try demand(inbox.markAnnouncing(entries[0]), equals: true, "it may be spoken again")
            let waiting = try inbox.waiting(limit: 10)
            try demand(waiting.map(\.notice.id.text), equals: ["1", "2"], "waiting")
            try demand(waiting.map(\.state), equals: [.announcing, .received], "states")
            try demand(inbox.counts().waiting, equals: 2, "count of waiting")
        },
        InboxContract(description: "What has been announced waits no longer and is the last announced") { inbox in
            let entries = try store(["1", "2", "3"], in: inbox)
            for entry in entries.prefix(2) {
                _ = try inbox.markAnnouncing(entry)
                try inbox.markAnnounced(entry, at: later)
                try demand(inbox.lastAnnounced()?.notice, equals: entry.notice, "last announced")
                try demand(inbox.lastAnnounced()?.state, equals: .announced, "its state")
            }
            try demand(inbox.waiting(limit: 10), equals: [entries[2]], "waiting")
            try demand(inbox.counts(), equals: InboxCounts(waiting: 1, announced: 2, receiptsWaiting: 5), "counts")
        },
        InboxContract(description: "Recording twice writes one receipt, and an ended notice never waits again") {
            inbox in
            let entry = try only(store(["1"], in: inbox))
            try inbox.markAnnounced(entry, at: noon)
            try inbox.markAnnounced(entry, at: later)
            try inbox.markExpired([entry], at: later)
            try demand(inbox.markAnnouncing(entry), equals: false, "it may be spoken")
            try demand(inbox.waiting(limit: 10), equals: [], "waiting")
            try demand(inbox.lastAnnounced()?.state, equals: .announced, "state")
            try demand(receipts(of: inbox).map(\.state), equals: ["stored", "announced"], "receipts")
        },
        InboxContract(description: "Expired notices get a receipt each and are not offered for replay") { inbox in
            let entries = try store(["1", "2", "3"], in: inbox)
            try inbox.markExpired(Array(entries.prefix(2)), at: later)
            try demand(inbox.waiting(limit: 10), equals: [entries[2]], "waiting")
            try demand(inbox.lastAnnounced(), equals: nil, "last announced")
            let expired = try receipts(of: inbox).suffix(2)
            try demand(expired.map(\.state), equals: ["expired", "expired"], "states of the receipts")
            try demand(expired.map(\.id), equals: ["1", "2"], "ids of the receipts")
            try demand(expired.allSatisfy { $0.reason?.contains("2") == true }, equals: true, "the summary's size")
        },
        InboxContract(description: "The receipts of one summary share an id that no other summary has") { inbox in
            let entries = try store(["1", "2", "3", "4", "5"], in: inbox)
            try inbox.markExpired(Array(entries[0...1]), at: later)
            try inbox.markExpired(Array(entries[2...3]), at: later)
            try inbox.markExpired([entries[4]], told: nil, at: later)
            let summaries = try receipts(of: inbox).suffix(5).map(\.summary)
            try demand(summaries[0] != nil && summaries[0] == summaries[1], equals: true, "one id in one summary")
            try demand(summaries[2] != nil && summaries[2] == summaries[3], equals: true, "one id in the next")
            try demand(summaries[1] != summaries[2], equals: true, "different ids")
            try demand(summaries[4], equals: nil, "the id of what was not told")
        },
        InboxContract(description: "A waiting payment can be cancelled: it waits no longer and has a receipt") {
            inbox in
            let entries = try store(["1", "2"], in: inbox)
            try demand(inbox.cancel(entries[0].notice.id, at: later), equals: .cancelled(entries[0]), "outcome")
            try demand(inbox.waiting(limit: 10), equals: [entries[1]], "waiting")
            try demand(inbox.markAnnouncing(entries[0]), equals: false, "it may be spoken")
            try demand(inbox.cancel(entries[0].notice.id, at: later), equals: .tooLate(.cancelled), "a second time")
            try demand(
                inbox.store([.notice(entries[0].notice)], at: later),
                equals: [.duplicate(entries[0].notice, differs: nil)], "the same payment again")
            try demand(receipts(of: inbox).suffix(2).map(\.state), equals: ["cancelled", "duplicate"], "receipts")
        },
        InboxContract(description: "What is being spoken is cancelled as well, and what has been is not") { inbox in
            let entries = try store(["1", "2"], in: inbox)
            try inbox.markAnnounced(entries[0], at: later)
            _ = try inbox.markAnnouncing(entries[1])
            let sounding = try only(inbox.waiting(limit: 10))
            try demand(inbox.cancel(entries[0].notice.id, at: later), equals: .tooLate(.announced), "announced")
            try demand(inbox.cancel(entries[1].notice.id, at: later), equals: .cancelled(sounding), "announcing")
            try demand(inbox.waiting(limit: 10), equals: [], "waiting")
            // The player may have come to the end in the meantime.
            try inbox.markAnnounced(entries[1], at: later)
            try inbox.markExpired([entries[1]], at: later)
            try demand(inbox.lastAnnounced()?.sequence, equals: entries[0].sequence, "the last announced")
            try demand(
                Array(receipts(of: inbox).dropFirst(2)),
                equals: [
                    StoredReceipt(id: "1", state: "announced"),
                    StoredReceipt(id: "2", state: "cancelled", reason: "while it sounded"),
                ], "receipts")
        },
        InboxContract(description: "What of a notice is not used stands in its receipt") { inbox in
            let notice = try notice("1")
            let outcomes = try inbox.store(
                [.notice(notice, remark: "text: too long"), .notice(notice, remark: "text: too long")], at: noon)
            try demand(
                outcomes, equals: [.stored(try only(inbox.waiting(limit: 2))), .duplicate(notice, differs: nil)], "")
            try demand(
                receipts(of: inbox),
                equals: [
                    StoredReceipt(id: "1", state: "stored", reason: "text: too long"),
                    StoredReceipt(id: "1", state: "duplicate"),
                ], "receipts")
        },
        InboxContract(description: "Several are noted as being announced together, except those that wait no longer") {
            inbox in
            let entries = try store(["1", "2", "3", "4"], in: inbox)
            _ = try inbox.cancel(entries[1].notice.id, at: later)
            try demand(
                inbox.markAnnouncing(Array(entries.prefix(3))).map(\.sequence),
                equals: [entries[0].sequence, entries[2].sequence], "with a cancelled one")
            let states: [NoticeState] = [.announcing, .announcing, .received]
            try demand(inbox.waiting(limit: 10).map(\.state), equals: states, "states")
            _ = try inbox.cancel(entries[2].notice.id, at: later)
            try demand(inbox.waiting(limit: 10).map(\.notice.id.text), equals: ["1", "4"], "with one cancelled since")
            try demand(inbox.markAnnouncing([]), equals: [], "none at all")
            try demand(inbox.markAnnouncing([entries[1]]), equals: [], "the cancelled one alone")
        },
        InboxContract(description: "A notice that the inbox does not know changes nothing") { inbox in
            let stranger = InboxEntry(sequence: 99, notice: try notice("x"), receivedAt: noon, state: .received)
            try demand(inbox.markAnnouncing(stranger), equals: false, "it may be spoken")
            try demand(inbox.cancel(stranger.notice.id, at: noon), equals: .unknown, "cancelling it")
            try inbox.markAnnounced(stranger, at: noon)
            try inbox.markExpired([stranger], at: noon)
            try demand(inbox.counts(), equals: InboxCounts(waiting: 0, announced: 0, receiptsWaiting: 0), "counts")
        },
    ]

    static let clausesOfReceipts: [InboxContract] = [
        InboxContract(description: "Receipts are kept in order and are given from any sequence on, within the limit") {
            inbox in
            _ = try store(["1", "2", "3", "4"], in: inbox)
            let all = try inbox.receipts(after: 0, limit: 10)
            try demand(all.count, equals: 4, "receipts")
            try demand(receipts(of: inbox).map(\.id), equals: ["1", "2", "3", "4"], "ids")
            try demand(
                zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence }, equals: true, "rising sequences")
            try demand(inbox.receipts(after: all[1].sequence, limit: 1), equals: [all[2]], "the one after the second")
            try demand(inbox.receipts(after: all[3].sequence, limit: 10), equals: [], "those after the last")
        },
        InboxContract(description: "A receipt says what happened, when, and its own sequence") { inbox in
            let entry = try only(store(["1"], in: inbox))
            try inbox.markAnnounced(entry, at: later)
            for (outgoing, time) in zip(try inbox.receipts(after: 0, limit: 10), [noon, later]) {
                let json = try JSONValue(parsing: outgoing.payload)
                try demand(json["id"]?.string, equals: "1", "id")
                try demand(json["at"]?.string, equals: time.description, "time")
                try demand(json["sequence"]?.integer.map(Int64.init), equals: outgoing.sequence, "sequence")
            }
        },
        InboxContract(
            description: "A receipt says how its payment was announced, and one of a summary how that was told"
        ) {
            inbox in
            let entries = try store(["1", "2", "3", "4", "5", "6", "7"], in: inbox)
            for (entry, manner) in zip(entries, Manner.allCases) {
                try inbox.markAnnounced(entry, as: manner, at: later)
            }
            try inbox.markExpired(Array(entries[4...5]), told: .muted, at: later)
            try inbox.markExpired([entries[6]], told: nil, at: later)
            let manners = try inbox.receipts(after: 0, limit: 100).map {
                try JSONValue(parsing: $0.payload)["how"]?.string
            }
            try demand(manners.prefix(7).allSatisfy { $0 == nil }, equals: true, "stored ones say nothing of it")
            try demand(
                Array(manners.dropFirst(7)),
                equals: ["aloud", "muted", "volume_0", "without_amount", "muted", "muted", nil], "manners")
        },
        InboxContract(
            description: "Receipts of one inbox name one epoch, and begin above all that were numbered before"
        ) {
            inbox in
            _ = try store(["1", "2"], in: inbox)
            _ = try inbox.cancel(try PaymentID("2"), at: later)
            let all = try inbox.receipts(after: 0, limit: 10)
            let epochs = Set(try all.map { try JSONValue(parsing: $0.payload)["epoch"]?.string ?? "" })
            try demand(epochs.count, equals: 1, "epochs")
            try demand(epochs.first?.count, equals: 16, "digits of the epoch")
            // A box that lost its inbox has numbered one receipt every millisecond at most.
            try demand(
                all.first.map { $0.sequence > noon.millisecondsSince1970 }, equals: true, "the clock's milliseconds")
            try demand(
                all.map(\.sequence), equals: all.first.map { first in (0..<3).map { first.sequence + $0 } } ?? [],
                "sequences without a gap")
        },
    ]
}

/// What the clauses are written with.
extension InboxContract {
    static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    static let later = Timestamp(millisecondsSince1970: 1_795_233_601_234)

    static func money(_ amount: String) throws -> Money { try Money(amount, .CNY) }

    static func notice(
        _ id: String, _ amount: String = "1", _ kind: PaymentNotice.Kind = .payment
    ) throws -> PaymentNotice {
        PaymentNotice(id: try PaymentID(id), money: try money(amount), kind: kind)
    }

    static func store(_ ids: [String], in inbox: any Inbox) throws -> [InboxEntry] {
        _ = try inbox.store(try ids.map { .notice(try notice($0)) }, at: noon)
        return try inbox.waiting(limit: ids.count)
    }

    static func receipts(of inbox: any Inbox) throws -> [StoredReceipt] { try sent(to: .receipts, of: inbox) }

    /// The replies to commands; `state` is their result.
    static func replies(of inbox: any Inbox) throws -> [StoredReceipt] { try sent(to: .replies, of: inbox) }

    private static func sent(to topic: Topic, of inbox: any Inbox) throws -> [StoredReceipt] {
        try inbox.receipts(after: 0, limit: 1000).filter { $0.topic == topic }.map { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            return StoredReceipt(
                id: json["id"]?.string, kind: json["kind"]?.string,
                state: json[topic == .replies ? "result" : "state"]?.string,
                reason: json["reason"]?.string, summary: json["summary"]?.string, command: json["command"]?.text)
        }
    }

    static func only<Element>(_ elements: [Element]) throws -> Element {
        guard elements.count == 1 else {
            throw InboxContractViolation(description: "expected one element, found \(elements)")
        }
        return elements[0]
    }

    static func demand<Value: Equatable>(_ value: Value, equals expected: Value, _ what: String) throws {
        guard value == expected else {
            throw InboxContractViolation(description: "\(what): expected \(expected), found \(value)")
        }
    }
}

/// One receipt of an inbox, read back from its JSON.
struct StoredReceipt: Sendable, Equatable {
    var id: String?
    var kind: String?
    var state: String?
    var reason: String?
    var summary: String?
    /// The JSON text of the member, `null` included.
    var command: String?
}
