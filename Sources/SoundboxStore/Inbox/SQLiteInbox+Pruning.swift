import GRDB
import SoundboxCore

extension SQLiteInbox: InboxUpkeep {
    /// Few enough that the transaction takes milliseconds, and a payment's commit hardly has to wait for it.
    static let pruningBatch = 200
    /// How many of the oldest rows are searched for one whose age is known. Rows that arrived while the clock was not set
    /// have none.
    private static let pruningWindow = 2000

    /// Forgets some payments that have ended, in one small transaction. Never forgets waiting payments or receipts.
    ///
    /// A row's age is known if the clock was set when it, or a later row, arrived. Blocks on the disk.
    /// - Parameter now: the time by a clock that is set; `nil` while it is not. Then only the limit of bytes counts.
    public func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep {
        try write { database in
            var step = PruningStep()
            if let now {
                let horizon = now.millisecondsSince1970 - Int64(retention.keepIDs / .milliseconds(1))
                let last = try Self.lastOlder(than: horizon, in: database)
                if let last { step.forgotten = try Self.forget(upTo: last, in: database) }
            }
            if step.forgotten == 0, try Self.bytesInUse(database) > retention.maximumBytes {
                step.forgottenEarly = try Self.forget(upTo: .max, in: database)
            }
            return step
        }
    }

    /// The bytes of the file that hold something. Deleted rows leave room inside the file, which later rows take.
    static func bytesInUse(_ database: Database) throws -> Int {
        func pragma(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return (try pragma("page_count") - pragma("freelist_count")) * (try pragma("page_size"))
    }

    /// The last of the oldest rows that arrived before `horizon`. A damaged row says nothing about the rows before it.
    private static func lastOlder(than horizon: Int64, in database: Database) throws -> Int64? {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT * FROM (SELECT \(CheckedTable.notice.columnList) FROM notice ORDER BY sequence LIMIT ?)
                WHERE clock_was_set AND received_at < ? ORDER BY sequence DESC
                """, arguments: [pruningWindow, horizon])
        while let row = try rows.next() {
            if let record = try? NoticeRecord(row, of: .notice) { return record.entry.sequence }
        }
        return nil
    }

    private static func forget(upTo last: Int64, in database: Database) throws -> Int {
        // The payment that was announced last stays, for replay and for the count of all announcements.
        try database.execute(
            sql: """
                DELETE FROM notice WHERE sequence IN (
                    SELECT sequence FROM notice
                    WHERE sequence <= ? AND sequence NOT IN (SELECT sequence FROM waiting)
                        AND sequence <> coalesce((SELECT sequence FROM notice WHERE state = 'announced'
                            ORDER BY sequence DESC LIMIT 1), 0)
                    ORDER BY sequence LIMIT ?)
                """, arguments: [last, pruningBatch])
        let count = database.changesCount
        try database.execute(
            sql: "DELETE FROM known WHERE sequence < (SELECT min(sequence) FROM notice)", arguments: [])
        return count
    }
}
