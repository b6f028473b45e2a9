import GRDB
import SoundboxCore

extension SQLiteInbox: PaymentHistory {
    public func history(
        _ filter: HistoryFilter, before sequence: Int64?, limit: Int
    ) throws(InboxError) -> HistoryPage {
        try read { try Self.history(filter, before: max(sequence ?? .max, 0), limit: max(limit, 1), in: $0) }
    }

    private static func history(
        _ filter: HistoryFilter, before end: Int64, limit: Int, in database: Database
    ) throws -> HistoryPage {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT \(CheckedTable.notice.columnList) FROM notice WHERE sequence < ?
                    ORDER BY sequence DESC LIMIT ?
                    """), arguments: [end, limit])
        // The next page begins at these rows, so rows found by their numbers ensure that none is left out.
        try checkFound(rows.reversed(), of: .notice, in: database)
        var page = HistoryPage(examined: rows.count)
        // Fewer rows than asked for means that there are no more.
        page.next = rows.count < limit ? nil : rows.last?.sequence
        for row in rows {
            guard let record = try historyRecord(row, in: database) else {
                page.note(UnreadableRows(count: 1, first: row.sequence))
                continue
            }
            if record.entry.isTimed {
                page.latest = max(page.latest ?? record.entry.receivedAt, record.entry.receivedAt)
            }
            // Not in SQL, where a damaged value would silently exclude its row.
            if filter.contains(record.entry) {
                page.entries.append(HistoryEntry(record.entry, endedAt: record.endedAt, audibility: record.audibility))
            }
        }
        for lost in try lostRows((page.next ?? 0)..<end, in: database) { page.note(lost) }
        return page
    }

    /// The record from its undamaged copy. While it waits, the copy in `waiting` knows whether it is being spoken.
    private static func historyRecord(_ row: Row, in database: Database) throws -> NoticeRecord? {
        let record = try? NoticeRecord(row, of: .notice)
        if let record, !record.isWaiting { return record }
        guard let copy = try waitingRow(row.sequence, in: database) else { return record }
        return try waitingRecord(copy, in: database)
    }

    /// Rows that are gone: a salvage has saved only their ids, or they were set aside and have not come again.
    private static func lostRows(_ range: Range<Int64>, in database: Database) throws -> [UnreadableRows] {
        // Both tables are empty until something is damaged.
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT count(*), min(sequence) FROM known WHERE sequence >= ?1 AND sequence < ?2
                    UNION ALL
                    SELECT count(DISTINCT sequence), min(sequence) FROM damaged
                    WHERE origin IN ('notice', 'waiting') AND sequence >= ?1 AND sequence < ?2 AND NOT EXISTS (
                        SELECT 1 FROM notice WHERE notice.payment_id = damaged.payment_id
                            OR notice.sequence = damaged.sequence)
                    """), arguments: [range.lowerBound, range.upperBound]
        ).compactMap { row in
            let cells = row.cells
            return cells[1].integer.map { UnreadableRows(count: Int(cells[0].integer ?? 0), first: $0) }
        }
    }
}

extension HistoryPage {
    fileprivate mutating func note(_ rows: UnreadableRows) { unreadable = unreadable.map { $0 + rows } ?? rows }
}
