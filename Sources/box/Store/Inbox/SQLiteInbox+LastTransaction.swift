import GRDB
import SoundboxCore
import Synchronization

/// Takes over the whole rows of a last transaction that SQLite refuses.
extension SQLiteInbox {
    /// Takes what is new in it. No row returns to an earlier state: a payment that has ended here stays so.
    ///
    /// A payment that was cut off before it was acknowledged may be taken as well. The broker delivers it again, and it
    /// is a duplicate then.
    func restore(_ last: LastTransaction, at now: Timestamp) throws(InboxError) {
        let total = announcedTotal.load(ordering: .relaxed)
        let change = try write { database in
            var change = TakenRows(last, announced: total, at: now)
            try change.make(in: database)
            return change
        }
        announcedTotal.store(change.announced, ordering: .relaxed)
        if change.taken + change.ended > 0 {
            report(
                "the last transaction of the write-ahead log is damaged or was cut off: \(change.taken) payments and "
                    + "\(change.ended) ends of others were taken from it")
        }
        guard change.lost > 0, let repair = connection.withLock({ $0.repair }) else { return }
        repair.happened(.transactionDamaged(lost: change.lost))
    }
}

private struct TakenRows {
    private let last: LastTransaction
    private let now: Timestamp
    /// The number of all announcements.
    private(set) var announced: Int
    private(set) var taken = 0
    private(set) var ended = 0
    /// Payments that the transaction has held and that cannot be read.
    private(set) var lost = 0

    init(_ last: LastTransaction, announced: Int, at now: Timestamp) {
        (self.last, self.announced, self.now) = (last, announced, now)
    }

    /// A cancel counts only with its whole transaction: where one has failed, its sender was told so.
    private func counts(_ state: NoticeState) -> Bool { state != .cancelled || last.hasEnd }

    mutating func make(in database: Database) throws {
        let lastNotice = try CheckedTable.notice.lastNumber(in: database)
        let lastReceipt = try CheckedTable.receipt.lastNumber(in: database)
        // Of a payment's rows, the one that knows more.
        var records: [Int64: NoticeRecord] = [:]
        var receipts: [Int64: ReceiptRecord] = [:]
        for row in last.rows {
            switch row {
            case .notice(let record), .waiting(let record):
                guard counts(record.entry.state), records[record.entry.sequence]?.isWaiting ?? true else { continue }
                records[record.entry.sequence] = record
            case .receipt(let record) where record.sequence > lastReceipt: receipts[record.sequence] = record
            case .receipt: break
            }
        }
        for record in records.values.sorted(by: { $0.entry.sequence < $1.entry.sequence }) {
            if record.isWaiting || record.entry.sequence > lastNotice {
                try insert(record, in: database)
            }
            if !record.isWaiting { try end(record, in: database) }
        }
        var stored: [PaymentID] = []
        for record in receipts.values.sorted(by: { $0.sequence < $1.sequence }) {
            try database.execute(sql: CheckedTable.receipt.insertIfNew, arguments: record.arguments(for: .receipt))
            guard case .payment(let id?) = record.receipt.subject else { continue }
            if record.receipt.state == .stored { stored.append(id) }
            // Where the payment's own row is damaged, its receipt still says that it was heard.
            guard let state = NoticeState(rawValue: record.receipt.state.rawValue), counts(state), state != .received,
                let row = try SQLiteInbox.noticeRow(id, in: database),
                var ended = try? NoticeRecord(row, of: .notice), ended.isWaiting
            else { continue }
            ended.entry.state = state
            ended.endedAt = record.receipt.at
            ended.audibility = record.receipt.audibility
            if state == .announced { ended.announcedNumber = announced + 1 }
            try end(ended, in: database)
        }
        guard last.hasEnd, taken + ended > 0 || !receipts.isEmpty else { return }
        let end = max(lastNotice, last.lastNotice, records.keys.max() ?? 0)
        try count(Array((lastNotice + 1)..<max(end + 1, lastNotice + 1)), stored, in: database)
    }

    private mutating func insert(_ record: NoticeRecord, in database: Database) throws {
        let sequence = record.entry.sequence
        let isKnown = try Int.fetchOne(
            database, sql: "SELECT 1 FROM known WHERE payment_id = ? OR sequence = ?",
            arguments: [record.entry.notice.id.key, sequence])
        guard isKnown == nil else { return }
        try database.execute(sql: CheckedTable.notice.insertIfNew, arguments: record.arguments(for: .notice))
        guard database.changesCount == 1 else { return }
        taken += 1
        count(record)
        guard record.isWaiting else { return }
        try database.execute(sql: CheckedTable.waiting.insertIfNew, arguments: record.arguments(for: .waiting))
    }

    /// Ends a payment that waits here.
    private mutating func end(_ record: NoticeRecord, in database: Database) throws {
        guard let row = try SQLiteInbox.noticeRow(record.entry.sequence, in: database),
            row.paymentID == record.entry.notice.id
        else { return }
        try database.execute(sql: "DELETE FROM waiting WHERE sequence = ?", arguments: [record.entry.sequence])
        guard database.changesCount == 1 else { return }
        ended += 1
        count(record)
        try SQLiteInbox.write(record, to: .notice, in: database)
    }

    private mutating func count(_ record: NoticeRecord) { announced = max(announced, record.announcedNumber ?? 0) }

    /// Counts numbers without a row as payments that cannot be read, so that no total which contains them is certain.
    /// - Parameter stored: payments that the transaction says it has stored.
    private mutating func count(_ numbers: [Int64], _ stored: [PaymentID], in database: Database) throws {
        // The numbers follow one another; more than a page of rows cannot be missing at once.
        let missing = try numbers.suffix(10_000).filter { try SQLiteInbox.noticeRow($0, in: database) == nil }
        guard !missing.isEmpty else { return }
        var unknown = try stored.filter { try SQLiteInbox.noticeRow($0, in: database) == nil }[...]
        for number in missing {
            let id = unknown.popFirst()
            try Salvage.recordLost(number, id, at: now, in: database)
            if let id { try ReceiptRecord.askAgain(for: id, at: now, in: database) }
            lost += 1
        }
        try database.execute(
            sql: "UPDATE sqlite_sequence SET seq = ? WHERE name = 'notice' AND seq < ?1", arguments: [numbers.last])
    }
}
