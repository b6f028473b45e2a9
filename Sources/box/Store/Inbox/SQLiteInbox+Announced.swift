import GRDB
import SoundboxCore

extension SQLiteInbox {
    /// How many of the newest rows a replay reads. Between two announcements there are only notices that were counted
    /// in summaries, expired in silence or cancelled. 100,000 rows are about 25 MB.
    private static let replayed: Int64 = 100_000
    /// How many rows may arrive after a notice and be announced before it: payments go before refunds. Reading them
    /// takes some milliseconds.
    static let overtaking: Int64 = 10_000
    /// How many damaged rows a replay skips.
    private static let passed = 64

    public func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry? {
        try read { database in
            guard let last = try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM notice") else { return nil }
            return try Self.announced(skipping: count, above: last - Self.overtaking, in: database)?.entry
                ?? Self.announced(skipping: count, above: last - Self.replayed, in: database)?.entry
        }
    }

    /// In the order of the announcement numbers, whatever the clock did. A damaged row is skipped, and replay repeats
    /// the one before.
    private static func announced(
        skipping count: Int, above floor: Int64, in database: Database
    ) throws -> NoticeRecord? {
        let sequences = try Int64.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT sequence FROM notice WHERE sequence > ? AND state = 'announced'
                    ORDER BY announced_number DESC, sequence DESC LIMIT ?
                    """), arguments: [floor, count + 1 + passed])
        var skipped = 0
        for sequence in sequences {
            guard let row = try noticeRow(sequence, in: database), let record = try? NoticeRecord(row, of: .notice)
            else {
                continue
            }
            if skipped == count { return record }
            skipped += 1
        }
        return nil
    }

    /// The newest announcement. Its number says how many there were. It is among the newest rows.
    ///
    /// - Parameter limit: an announcement behind this sequence is not needed, which is cheap to find out.
    static func newestAnnounced(upTo limit: Int64 = .max, in database: Database) throws -> NoticeRecord? {
        let newest = try Int64.fetchOne(
            database, sql: "SELECT sequence FROM notice WHERE state = 'announced' ORDER BY sequence DESC LIMIT 1")
        guard let newest, newest - overtaking <= limit else { return nil }
        return try announced(skipping: 0, above: newest - overtaking, in: database)
    }

    static func announcedTotal(in database: Database) throws -> Int {
        try newestAnnounced(in: database)?.announcedNumber ?? 0
    }
}
