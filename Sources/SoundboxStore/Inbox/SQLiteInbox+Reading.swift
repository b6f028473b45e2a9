import GRDB
import SoundboxCore
import Synchronization

extension SQLiteInbox {
    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] {
        var unreadable: [Int64] = []
        while true {
            let (entries, damaged, ended) = try read { try Self.waiting(limit + unreadable.count, in: $0) }
            let late = ended.filter { !unreadable.contains($0) }
            if !late.isEmpty {
                removeEnded(late)
                unreadable += late
                continue
            }
            let found = damaged.filter { !unreadable.contains($0.sequence) }
            if found.isEmpty { return Array(entries.prefix(limit)) }
            setAside(found)
            // Rows that could not be moved are skipped. Those that were moved make room for others.
            unreadable += found.map(\.sequence)
        }
    }

    /// Removes payments that wait although they have ended. A page has fallen back to an older content, as happens on cards
    /// that lose writes, and what was heard must not be spoken again. Rows that cannot be removed are skipped.
    private func removeEnded(_ sequences: [Int64]) {
        note("\(sequences.count) payments waited that have ended: a page of the database is older than the others")
        do throws(InboxError) {
            try write { database in
                for sequence in sequences {
                    try database.execute(sql: "DELETE FROM waiting WHERE sequence = ?", arguments: [sequence])
                }
            }
        } catch {
            note("they cannot be removed: \(error)")
        }
    }

    /// Makes payments wait again that wait according to `notice` and are missing in `waiting`: heard twice beats never
    /// heard. Looks at the newest rows only, since nothing waits longer than that. What waits and is missing in `notice`
    /// gets its row there again, so that its id stays known. Called at a start.
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
                    WHERE sequence > (SELECT max(sequence) FROM notice) - 20000 AND state IN ('received', 'announcing')
                        AND sequence NOT IN (SELECT sequence FROM waiting)
                    """)
            let records = rows.compactMap { try? NoticeRecord($0, of: .notice) }
            for record in records { try Self.write(record, to: .waiting, in: database) }
            return records.count
        }
        if count > 0 { note("\(count) payments did not wait that have not ended: a page is older than the others") }
    }

    private static func waiting(
        _ limit: Int, in database: Database
    ) throws -> (readable: [InboxEntry], damaged: [Damage], ended: [Int64]) {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT \(CheckedTable.waiting.columnList) FROM waiting ORDER BY sequence LIMIT ?"),
            arguments: [limit])
        try checkFound(rows, of: .waiting, in: database)
        var readable: [InboxEntry] = []
        var damaged: [Damage] = []
        var ended: [Int64] = []
        for row in rows {
            let other = try noticeRow(row.sequence, in: database)
            if let other, let record = try? NoticeRecord(other, of: .notice), !record.isWaiting {
                ended.append(row.sequence)
            } else if let record = try waitingRecord(row, in: database) {
                if other == nil, try noticeRow(record.entry.notice.id, in: database) != nil {
                    // It lost its row and came again since: the newer row tells of it.
                    ended.append(row.sequence)
                } else {
                    readable.append(record.entry)
                }
            } else {
                damaged.append(Damage(row, origin: .waiting))
            }
        }
        return (readable, damaged, ended)
    }

    /// A waiting payment, from whichever of its two copies is undamaged.
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
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(CheckedTable.notice.columnList) FROM notice WHERE payment_id = ?"),
            arguments: [id.text])
    }

    /// When the newest of the last notices arrived that came while the clock was confirmed by a time server; `nil` when
    /// there is none. The last word counts, not the latest time: a server may have been wrong before.
    public func newestTime() throws(InboxError) -> Timestamp? {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(CheckedTable.notice.columnList) FROM notice
                    WHERE sequence > (SELECT max(sequence) FROM notice) - 100
                    """
            )
            .lazy.compactMap { try? NoticeRecord($0, of: .notice) }
            .first { $0.entry.clock == .confirmed }?.entry.receivedAt
        }
    }

    /// How many of the newest rows a replay looks at. Only what was told in summaries, passed over in silence or cancelled
    /// stands between two announcements. 100,000 rows are about 25 MB.
    private static let replayed = 100_000

    public func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry? {
        try read { try Self.announced(skipping: count, newest: Self.replayed, in: $0)?.entry }
    }

    /// Payments are announced in order of arrival, so the highest sequence is the latest, whatever the clock did. A damaged
    /// row is skipped, and replay repeats the one before.
    ///
    /// - Parameter limit: how many of the newest rows are looked at; `nil` for all.
    private static func announced(
        skipping count: Int, newest limit: Int?, in database: Database
    ) throws -> NoticeRecord? {
        let last = try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM notice") ?? 0
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(CheckedTable.notice.columnList) FROM notice WHERE sequence > ? AND state = 'announced'
                ORDER BY sequence DESC
                """, arguments: [limit.map { last - Int64($0) } ?? 0])
        var skipped = 0
        while let row = try rows.next() {
            guard let record = try? NoticeRecord(row, of: .notice) else { continue }
            if skipped == count { return record }
            skipped += 1
        }
        return nil
    }

    static func announcedTotal(in database: Database) throws -> Int {
        try announced(skipping: 0, newest: nil, in: database)?.announcedNumber ?? 0
    }

    public func counts() throws(InboxError) -> InboxCounts {
        try read { database in
            func count(_ table: CheckedTable) throws -> Int {
                try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM \(table.rawValue)")) ?? 0
            }
            return InboxCounts(
                waiting: try count(.waiting), announced: announcedTotal.load(ordering: .relaxed),
                receiptsWaiting: try count(.receipt))
        }
    }
}
