import GRDB
import SoundboxCore
import Synchronization

extension SQLiteInbox {
    public func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt] {
        var position = sequence
        var receipts: [OutgoingReceipt] = []
        while true {
            let wanted = limit - receipts.count
            let gone = delivered.withLock { $0 }
            let (readable, damaged, last, isEnd) = try read { database in
                var readable: [OutgoingReceipt] = []
                var damaged: [Damage] = []
                let rows = try Row.fetchAll(
                    database.cachedStatement(
                        sql: """
                            SELECT \(CheckedTable.receipt.columnList) FROM receipt WHERE sequence > ?
                            ORDER BY sequence LIMIT ?
                            """), arguments: [position, wanted])
                try Self.checkFound(rows, of: .receipt, after: position, in: database)
                for row in rows where !gone.contains(row.sequence) {
                    do throws(DamagedRow) {
                        var record = try ReceiptRecord(row, of: .receipt)
                        record.receipt.first = Self.firstNotice(of: record.receipt, in: database)
                        readable.append(record.outgoing)
                    } catch { damaged.append(Damage(row, origin: .receipt)) }
                }
                return (readable, damaged, rows.last?.sequence, rows.count < wanted)
            }
            receipts += readable
            if !damaged.isEmpty { setAside(damaged) }
            guard let last, readable.count < wanted, !isEnd || !damaged.isEmpty else { return receipts }
            position = last
        }
    }

    /// What a duplicate repeats. A row that cannot be read is reported elsewhere, and must not hold the receipt up.
    private static func firstNotice(of receipt: Receipt, in database: Database) -> Receipt.FirstNotice? {
        guard receipt.state == .duplicate, case .payment(let id?) = receipt.subject,
            let row = try? noticeRow(id, in: database), let record = try? NoticeRecord(row, of: .notice),
            record.entry.notice.id == id
        else { return nil }
        return Receipt.FirstNotice(
            state: record.entry.state.receiptState, money: record.entry.notice.money, audibility: record.audibility)
    }

    /// How many confirmed receipts may wait for another commit: as many as may be in flight.
    private static let mostDelivered = 32

    public func removeReceipts(_ sequences: [Int64]) throws(InboxError) {
        let count = delivered.withLock {
            $0.formUnion(sequences)
            return $0.count
        }
        if count > Self.mostDelivered { try settle() }
    }

    public func settle() throws(InboxError) {
        guard delivered.withLock({ !$0.isEmpty }) else { return }
        try writeReceipts { _ in }
    }

    static func removeReceipts(_ sequences: Set<Int64>, from database: Database) throws {
        guard !sequences.isEmpty else { return }
        let statement = try database.cachedStatement(sql: "DELETE FROM receipt WHERE sequence = ?")
        for sequence in sequences { try statement.execute(arguments: [sequence]) }
    }

    static func insert(_ receipt: Receipt, into database: Database) throws {
        try ReceiptRecord.insert(receipt, into: database)
    }
}

extension NoticeState {
    /// The state of its last receipt.
    fileprivate var receiptState: Receipt.State {
        switch self {
        case .received, .announcing: .stored
        case .announced: .announced
        case .expired: .expired
        case .cancelled: .cancelled
        }
    }
}
