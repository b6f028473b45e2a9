import GRDB
import SoundboxCore
import Synchronization

extension SQLiteInbox: InboxUpkeep {
    /// Few enough that the transaction takes milliseconds, and hardly delays a payment's commit.
    static let pruningBatch = 200
    /// How many rows one step searches for one whose age is known.
    private static let pruningWindow = 2000

    /// Deletes some ended payments, in one small transaction. Never deletes waiting payments or receipts. Blocks on the
    /// disk.
    ///
    /// A row's age is known if a time server had confirmed the clock when it, or a later row, arrived. A payment whose
    /// own time is later than its arrival is kept for that much longer.
    /// - Parameter now: the time by a clock that a time server has confirmed; `nil` if none has. Then only the limit of
    ///   bytes counts.
    public func prune(_ retention: Retention, now: Timestamp?) throws(InboxError) -> PruningStep {
        let start = pruningStart.load(ordering: .relaxed)
        let (step, next) = try write { database in
            var step = PruningStep()
            var next = start
            if let now {
                let horizon = now.millisecondsSince1970 - Int64(retention.keep / .milliseconds(1))
                step.forgotten = try Self.forgetKnown(before: horizon, in: database)
                let search = try Self.search(after: start, for: horizon, in: database)
                if let last = search.lastOlder {
                    step.forgotten += try Self.forget(upTo: last, paidBefore: horizon, in: database)
                }
                // No row up to here needs another look: a later row would prove the age of these as well.
                if step.forgotten == 0, let end = search.end {
                    next = end
                    step.looksFurther = true
                }
            }
            if !step.isWorthRepeating, try Self.bytesInUse(database) > retention.maximumBytes {
                step.forgottenEarly = try Self.forgetKnown(before: .max, in: database)
                if step.forgottenEarly == 0 {
                    step.forgottenEarly = try Self.forget(upTo: .max, paidBefore: .max, in: database)
                }
            }
            return (step, next)
        }
        pruningStart.store(next, ordering: .relaxed)
        return step
    }

    /// The bytes of the file in use. Deleted rows leave free space inside the file, which later rows use.
    static func bytesInUse(_ database: Database) throws -> Int {
        func pragma(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return (try pragma("page_count") - pragma("freelist_count")) * (try pragma("page_size"))
    }

    /// Examines some rows after `start`.
    ///
    /// - Returns: the last of them that certainly arrived before `horizon`; and where they end, unless the newest rows
    ///   are among them or one is too young. A damaged row says nothing about the rows before it.
    private static func search(
        after start: Int64, for horizon: Int64, in database: Database
    ) throws -> (lastOlder: Int64?, end: Int64?) {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(CheckedTable.notice.columnList) FROM notice WHERE sequence > ? ORDER BY sequence LIMIT ?
                """, arguments: [start, pruningWindow])
        var (lastOlder, end): (Int64?, Int64?)
        var count = 0
        while let row = try rows.next() {
            count += 1
            end = row.sequence
            guard let record = try? NoticeRecord(row, of: .notice), record.entry.clock == .confirmed else { continue }
            guard record.entry.receivedAt.millisecondsSince1970 < horizon else { return (lastOlder, nil) }
            lastOlder = record.entry.sequence
        }
        return (lastOlder, count < pruningWindow ? nil : end)
    }

    private static func forget(upTo last: Int64, paidBefore horizon: Int64, in database: Database) throws -> Int {
        // The newest announcement stays, for replay and for the count of all announcements.
        let newest = try newestAnnounced(upTo: last, in: database)?.entry.sequence ?? 0
        try database.execute(
            sql: """
                DELETE FROM notice WHERE sequence IN (
                    SELECT sequence FROM notice
                    WHERE sequence <= ? AND coalesce(paid_at < ?, 1) AND sequence NOT IN (SELECT sequence FROM waiting)
                        AND sequence <> ?
                    ORDER BY sequence LIMIT ?)
                """, arguments: [last, horizon, newest, pruningBatch])
        return database.changesCount
    }

    /// Deletes ids that a salvage has saved without their payments, from the oldest number on.
    private static func forgetKnown(before horizon: Int64, in database: Database) throws -> Int {
        try database.execute(
            sql: """
                DELETE FROM known WHERE received_at < ? AND sequence IN (
                    SELECT sequence FROM known ORDER BY sequence LIMIT ?)
                """, arguments: [horizon, pruningBatch])
        return database.changesCount
    }
}
