import GRDB
import SoundboxCore
import Synchronization

extension SQLiteInbox {
    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] {
        var unreadable: [Int64] = []
        while true {
            let found = try read { try Self.waiting(limit + unreadable.count, in: $0) }
            if settle(found, &unreadable) { return Array(found.readable.prefix(limit)) }
        }
    }

    public func queue(limit: Int) throws(InboxError) -> NoticeQueue {
        var unreadable: [Int64] = []
        while true {
            let (found, last) = try read { database in
                let rest = unreadable.count
                var found = try Self.waiting(limit + rest, "kind = 'payment'", in: database)
                found += try Self.waiting(1 + rest, "kind = 'refund'", in: database)
                found += try Self.waiting(1 + rest, "kind NOT IN ('payment', 'refund')", in: database)
                let last = try Int64.fetchOne(
                    database.cachedStatement(
                        sql: "SELECT sequence FROM waiting WHERE kind = 'payment' ORDER BY sequence DESC LIMIT 1"))
                return (found, last)
            }
            guard settle(found, &unreadable) else { continue }
            // If a copy is damaged, the kind is read from the other one.
            let payments = found.readable.filter { $0.notice.kind == .payment }.sorted { $0.sequence < $1.sequence }
            let others = [
                found.readable.first { $0.notice.kind == .refund },
                found.readable.first { $0.notice.kind != .refund && $0.notice.kind != .payment },
            ]
            return NoticeQueue(
                payments: Array(payments.prefix(limit)), others: others.compactMap { $0 }, lastPayment: last)
        }
    }

    /// The result of reading the waiting notices.
    private struct Found {
        var readable: [InboxEntry] = []
        var damaged: [Damage] = []
        /// Sequences of notices that have ended.
        var ended: [Int64] = []

        static func += (left: inout Found, right: Found) {
            left.readable += right.readable
            left.damaged += right.damaged
            left.ended += right.ended
        }
    }

    /// Moves away the rows that block others.
    /// - Parameter unreadable: rows that were found before. Rows that could not be moved are skipped; rows that were
    ///   moved make room for others.
    /// - Returns: `true` when nothing had to be moved.
    private func settle(_ found: Found, _ unreadable: inout [Int64]) -> Bool {
        let late = found.ended.filter { !unreadable.contains($0) }
        let damaged = found.damaged.filter { !unreadable.contains($0.sequence) }
        if !late.isEmpty {
            removeEnded(late)
            unreadable += late
            return false
        }
        setAside(damaged)
        unreadable += damaged.map(\.sequence)
        return damaged.isEmpty
    }

    /// Removes payments that wait although they have ended. A page has an older content again, as happens on cards that
    /// lose writes; what was heard must not be spoken again. Rows that cannot be removed are skipped.
    private func removeEnded(_ sequences: [Int64]) {
        report("\(sequences.count) payments waited that have ended: a page of the database is older than the others")
        do throws(InboxError) {
            try write { database in
                for sequence in sequences {
                    try database.execute(sql: "DELETE FROM waiting WHERE sequence = ?", arguments: [sequence])
                }
            }
        } catch {
            report("they cannot be removed: \(error)")
        }
    }

    /// Restores payments that wait according to `notice` and are missing in `waiting`: heard twice is better than never
    /// heard. Reads the newest rows only, since nothing waits longer than that. A payment that waits and is missing in
    /// `notice` gets its row there again, so that its id stays known. Called at a start.
    func restoreWaiting() throws(InboxError) {
        let count = try write { database in
            let unknown = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(CheckedTable.waiting.columnList) FROM waiting
                    WHERE NOT EXISTS (SELECT 1 FROM notice WHERE notice.sequence = waiting.sequence)
                    """)
            for case let record? in unknown.map({ try? NoticeRecord($0, of: .waiting) }) {
                try database.execute(
                    sql: CheckedTable.notice.insertIfNew, arguments: record.arguments(for: .notice))
            }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(CheckedTable.notice.columnList) FROM notice
                    WHERE sequence > (SELECT max(sequence) FROM notice) - 20000 AND state = 'received'
                        AND sequence NOT IN (SELECT sequence FROM waiting)
                    """)
            let records = rows.compactMap { try? NoticeRecord($0, of: .notice) }
            for record in records { try Self.write(record, to: .waiting, in: database) }
            return records.count
        }
        if count > 0 { report("\(count) payments did not wait that have not ended: a page is older than the others") }
    }

    /// Reads only the waiting rows, which are few.
    private static func waiting(_ limit: Int, _ condition: String = "TRUE", in database: Database) throws -> Found {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT \(CheckedTable.waiting.columnList) FROM waiting WHERE \(condition) ORDER BY sequence LIMIT ?
                    """), arguments: [limit])
        try checkFound(rows, of: .waiting, in: database)
        var found = Found()
        for row in rows {
            let other = try noticeRow(row.sequence, in: database)
            if let other, let record = try? NoticeRecord(other, of: .notice), !record.isWaiting {
                found.ended.append(row.sequence)
            } else if let record = try waitingRecord(row, in: database) {
                if other == nil, try noticeRow(record.entry.notice.id, in: database) != nil {
                    // It lost its row and has come again since. The newer row replaces it.
                    found.ended.append(row.sequence)
                } else {
                    found.readable.append(record.entry)
                }
            } else {
                found.damaged.append(Damage(row, origin: .waiting))
            }
        }
        return found
    }

    /// A waiting payment, from the undamaged one of its two copies.
    static func waitingRecord(_ row: Row, in database: Database) throws -> NoticeRecord? {
        if let record = try? NoticeRecord(row, of: .waiting), record.isWaiting { return record }
        guard let other = try noticeRow(row.sequence, in: database), let record = try? NoticeRecord(other, of: .notice),
            record.isWaiting
        else { return nil }
        return record
    }

    static func waitingRow(_ sequence: Int64, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT \(CheckedTable.waiting.columnList) FROM waiting WHERE sequence = ?"),
            arguments: [sequence])
    }

    static func noticeRow(_ sequence: Int64, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(CheckedTable.notice.columnList) FROM notice WHERE sequence = ?"),
            arguments: [sequence])
    }

    static func noticeRow(_ id: PaymentID, in database: Database) throws -> Row? {
        let sequence = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT sequence FROM notice WHERE payment_id = ?"), arguments: [id.key])
        guard let sequence else { return nil }
        // Read by its number: the index would return its own copy of the id, and hide that it leads to another payment.
        guard let row = try noticeRow(sequence, in: database) else { throw wrongIndex }
        return row
    }

    /// The arrival time of the newest notice that came while a time server had confirmed the clock; `nil` when there is
    /// none. The newest notice counts, not the latest time: a time server may have been wrong earlier.
    public func newestTime() throws(InboxError) -> Timestamp? {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(CheckedTable.notice.columnList) FROM notice
                    WHERE sequence > (SELECT max(sequence) FROM notice) - 100 ORDER BY sequence DESC
                    """
            )
            .lazy.compactMap { try? NoticeRecord($0, of: .notice) }
            .first { $0.entry.clock == .confirmed }?.entry.receivedAt
        }
    }

    public func counts() throws(InboxError) -> InboxCounts {
        let gone = delivered.withLock { $0.count }
        return try read { database in
            func count(_ table: CheckedTable) throws -> Int {
                try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM \(table.rawValue)")) ?? 0
            }
            return InboxCounts(
                waiting: try count(.waiting), announced: announcedTotal.load(ordering: .relaxed),
                receiptsWaiting: max(try count(.receipt) - gone, 0))
        }
    }
}

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
                page.add(UnreadableRows(count: 1, first: row.sequence))
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
        for lost in try lostRows((page.next ?? 0)..<end, in: database) { page.add(lost) }
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
    fileprivate mutating func add(_ rows: UnreadableRows) { unreadable = unreadable.map { $0 + rows } ?? rows }
}
