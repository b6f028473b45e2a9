import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxStore

extension InboxContractTests {
    @Test("What has been announced waits no longer and is the last announced")
    func announced() throws {
        let entries = try store(["1", "2", "3"], in: inbox)
        for entry in entries.prefix(2) {
            try inbox.markAnnounced(entry, at: later)
            #expect(try inbox.lastAnnounced()?.notice == entry.notice)
            #expect(try inbox.lastAnnounced()?.state == .announced)
        }
        #expect(try inbox.waiting(limit: 10) == [entries[2]])
        #expect(try inbox.counts() == InboxCounts(waiting: 1, announced: 2, receiptsWaiting: 5))
    }

    @Test("Recording twice writes one receipt, and an ended notice never waits again")
    func recordedTwice() throws {
        let entry = try only(store(["1"], in: inbox))
        try inbox.markAnnounced(entry, at: noon)
        try inbox.markAnnounced(entry, at: later)
        try inbox.markExpired([entry], at: later)
        #expect(try inbox.stillWaiting([entry]) == [], "it may be spoken")
        #expect(try inbox.waiting(limit: 10) == [])
        #expect(try inbox.lastAnnounced()?.state == .announced)
        #expect(try receipts(of: inbox).map(\.state) == ["stored", "announced"])
    }

    @Test("Expired notices get a receipt each and are not offered for replay")
    func expired() throws {
        let entries = try store(["1", "2", "3"], in: inbox)
        try inbox.markExpired(Array(entries.prefix(2)), at: later)
        #expect(try inbox.waiting(limit: 10) == [entries[2]])
        #expect(try inbox.lastAnnounced() == nil)
        let expired = try receipts(of: inbox).suffix(2)
        #expect(expired.map(\.state) == ["expired", "expired"], "states of the receipts")
        #expect(expired.map(\.id) == ["1", "2"], "ids of the receipts")
        #expect(expired.allSatisfy { $0.reason?.contains("2") == true } == true, "the summary's size")
    }

    @Test("The receipts of one summary share an id that no other summary has")
    func summaries() throws {
        let entries = try store(["1", "2", "3", "4", "5"], in: inbox)
        try inbox.markExpired(Array(entries[0...1]), at: later)
        try inbox.markExpired(Array(entries[2...3]), at: later)
        try inbox.markExpired([entries[4]], told: nil, at: later)
        let summaries = try receipts(of: inbox).suffix(5).map(\.summary)
        #expect(summaries[0] != nil && summaries[0] == summaries[1], "one id in one summary")
        #expect(summaries[2] != nil && summaries[2] == summaries[3], "one id in the next")
        #expect(summaries[1] != summaries[2])
        #expect(summaries[4] == nil, "the id of what was not told")
    }

    @Test("A waiting payment can be cancelled: it waits no longer and has a receipt")
    func cancelled() throws {
        let entries = try store(["1", "2"], in: inbox)
        let target = CancelTarget.payment(entries[0].notice.id)
        #expect(try inbox.cancel(entries[0].notice.id, at: later) == .cancelled(target, .whileItWaited))
        #expect(try inbox.waiting(limit: 10) == [entries[1]])
        #expect(try inbox.stillWaiting([entries[0]]) == [], "it may be spoken")
        #expect(
            try inbox.cancel(entries[0].notice.id, at: later) == .tooLate(target, state: "cancelled"), "a second time")
        #expect(
            try inbox.store([.notice(entries[0].notice)], at: later) == [.duplicate(entries[0].notice, differs: nil)],
            "the same payment again")
        #expect(try receipts(of: inbox).suffix(2).map(\.state) == ["cancelled", "duplicate"])
    }

    @Test("What is being spoken is cancelled as well, and what has been is not")
    func cancelledWhileSpoken() throws {
        let entries = try store(["1", "2"], in: inbox)
        try inbox.markAnnounced(entries[0], at: later)
        let targets = entries.map { CancelTarget.payment($0.notice.id) }
        #expect(
            try inbox.cancel(entries[0].notice.id, at: later) == .tooLate(targets[0], state: "announced"))
        #expect(
            try inbox.cancel(entries[1].notice.id, hasBegun: true, at: later) == .cancelled(targets[1], .whileItSounded)
        )
        #expect(try inbox.waiting(limit: 10) == [])
        // The player may have come to the end in the meantime.
        try inbox.markAnnounced(entries[1], at: later)
        try inbox.markExpired([entries[1]], at: later)
        #expect(try inbox.lastAnnounced()?.sequence == entries[0].sequence, "the last announced")
        #expect(
            try Array(receipts(of: inbox).dropFirst(2)) == [
                StoredReceipt(id: "1", state: "announced"),
                StoredReceipt(id: "2", state: "cancelled", reason: "while it sounded"),
            ])
    }

    @Test("A duplicate's receipt says what became of the first message, at what amount, as of when it is sent")
    func duplicateTellsTheFirst() throws {
        func told() throws -> [String] {
            try inbox.receipts(after: 0, limit: 20).compactMap { receipt in
                let json = try JSONValue(parsing: receipt.payload)
                guard json["state"]?.string == "duplicate" else { return nil }
                return ["was", "how", "amount", "currency", "reason"].map { json[$0]?.string ?? "-" }
                    .joined(separator: " ")
            }
        }
        let first = try #require(store(["1"], in: inbox).first)
        var dearer = first.notice
        dearer.money = try Money("99.50", .CNY)
        _ = try inbox.store([.notice(dearer)], at: later)
        let amount = "\(first.notice.money.amount)"
        let reason = "the id is known with another amount: \(first.notice.money)"
        #expect(try told() == ["stored - \(amount) CNY \(reason)"], "while it waits")
        try inbox.markAnnounced(first, as: .muted, at: later)
        #expect(try told() == ["announced muted \(amount) CNY \(reason)"], "sent later")
    }

    @Test("What of a notice is not used stands in its receipt")
    func remark() throws {
        let notice = try notice("1")
        let outcomes = try inbox.store(
            [.notice(notice, remark: "text: too long"), .notice(notice, remark: "text: too long")], at: noon)
        #expect(try outcomes == [.stored(try only(inbox.waiting(limit: 2))), .duplicate(notice, differs: nil)])
        #expect(
            try receipts(of: inbox) == [
                StoredReceipt(id: "1", state: "stored", reason: "text: too long"),
                StoredReceipt(id: "1", state: "duplicate"),
            ])
    }

    @Test("Of several those still wait that were not cancelled meanwhile")
    func stillWaiting() throws {
        let entries = try store(["1", "2", "3", "4"], in: inbox)
        _ = try inbox.cancel(entries[1].notice.id, at: later)
        #expect(try inbox.stillWaiting(Array(entries.prefix(3))) == [entries[0], entries[2]])
        #expect(try inbox.stillWaiting([]) == [], "none at all")
    }

    @Test("A notice that the inbox does not know changes nothing")
    func stranger() throws {
        let stranger = InboxEntry(sequence: 99, notice: try notice("x"), receivedAt: noon, state: .received)
        #expect(try inbox.stillWaiting([stranger]) == [], "it may be spoken")
        #expect(try inbox.cancel(stranger.notice.id, at: noon) == .unknown(.payment(stranger.notice.id)))
        try inbox.markAnnounced(stranger, at: noon)
        try inbox.markExpired([stranger], at: noon)
        #expect(try inbox.counts() == InboxCounts(waiting: 0, announced: 0, receiptsWaiting: 0))
    }

    @Test("Receipts are kept in order and are given from any sequence on, within the limit")
    func receiptOrder() throws {
        _ = try store(["1", "2", "3", "4"], in: inbox)
        let all = try inbox.receipts(after: 0, limit: 10)
        #expect(all.count == 4)
        #expect(try receipts(of: inbox).map(\.id) == ["1", "2", "3", "4"])
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
        #expect(try inbox.receipts(after: all[1].sequence, limit: 1) == [all[2]], "the one after the second")
        #expect(try inbox.receipts(after: all[3].sequence, limit: 10) == [], "those after the last")
    }

    @Test("A receipt says what happened, when, and its own sequence")
    func receiptContent() throws {
        let entry = try only(store(["1"], in: inbox))
        try inbox.markAnnounced(entry, at: later)
        for (outgoing, time) in zip(try inbox.receipts(after: 0, limit: 10), [noon, later]) {
            let json = try JSONValue(parsing: outgoing.payload)
            #expect(json["id"]?.string == "1")
            #expect(json["at"]?.string == time.description)
            #expect(json["sequence"]?.integer.map(Int64.init) == outgoing.sequence)
        }
    }

    @Test("A receipt says how its payment was announced, and one of a summary how that was told")
    func audibilities() throws {
        let entries = try store(["1", "2", "3", "4", "5", "6", "7"], in: inbox)
        for (entry, audibility) in zip(entries, Audibility.allCases) {
            try inbox.markAnnounced(entry, as: audibility, at: later)
        }
        try inbox.markExpired(Array(entries[4...5]), told: .muted, at: later)
        try inbox.markExpired([entries[6]], told: nil, at: later)
        let audibilities = try inbox.receipts(after: 0, limit: 100).map {
            try JSONValue(parsing: $0.payload)["how"]?.string
        }
        #expect(audibilities.prefix(7).allSatisfy { $0 == nil }, "stored ones say nothing of it")
        #expect(
            Array(audibilities.dropFirst(7)) == ["aloud", "muted", "volume_0", "without_amount", "muted", "muted", nil])
    }

    @Test("Receipts of one inbox name one epoch, and begin above all that were numbered before")
    func epochs() throws {
        _ = try store(["1", "2"], in: inbox)
        _ = try inbox.cancel(try PaymentID("2"), at: later)
        let all = try inbox.receipts(after: 0, limit: 10)
        let epochs = Set(try all.map { try JSONValue(parsing: $0.payload)["epoch"]?.string ?? "" })
        #expect(epochs.count == 1)
        #expect(epochs.first?.count == 16, "digits of the epoch")
        // A box that lost its inbox has numbered one receipt every millisecond at most.
        #expect(all.first.map { $0.sequence > noon.millisecondsSince1970 } == true, "the clock's milliseconds")
        #expect(
            all.map(\.sequence) == (all.first.map { first in (0..<4).map { first.sequence + $0 } } ?? []),
            "sequences without a gap")
    }
}
