import GRDB
import SoundboxCore
import Synchronization

extension SQLiteInbox {
    public func stillWaiting(_ entries: [InboxEntry]) throws(InboxError) -> [InboxEntry] {
        try read { database in try entries.filter { try Self.waitingRow($0.sequence, in: database) != nil } }
    }

    public func markAnnounced(
        _ entry: InboxEntry, as audibility: Audibility, at now: Timestamp
    ) throws(InboxError) {
        let number = announcedTotal.load(ordering: .relaxed) + 1
        let isChanged = try writeReceipts { database in
            guard try Self.end(entry, as: .announced, number: number, audibility, at: now, in: database) else {
                return false
            }
            try Self.insert(
                Receipt(id: entry.notice.id, state: .announced, at: now, audibility: audibility), into: database)
            return true
        }
        if isChanged { announcedTotal.store(number, ordering: .relaxed) }
    }

    public func markExpired(
        _ entries: [InboxEntry], told audibility: Audibility?, at now: Timestamp
    ) throws(InboxError) {
        guard let first = entries.first?.sequence else { return }
        try writeReceipts { database in
            // A payment that has ended already must not get a second receipt.
            for entry in entries where try Self.end(entry, as: .expired, audibility, at: now, in: database) {
                let receipt = Receipt.expired(
                    entry.notice.id, count: entries.count, first: first, told: audibility, at: now)
                try Self.insert(receipt, into: database)
            }
        }
    }

    public func distrustArrivalTimes() throws(InboxError) {
        try write { database in
            try Self.distrustCustomMessages(in: database)
            var last: Int64 = 0
            while true {
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT \(CheckedTable.waiting.columnList) FROM waiting
                        WHERE sequence > ? AND clock = ? ORDER BY sequence LIMIT 500
                        """, arguments: [last, ClockTrust.unconfirmed.rawValue])
                try Self.checkFound(rows, of: .waiting, after: last, in: database)
                guard let end = rows.last?.sequence else { return }
                last = end
                for row in rows {
                    guard var record = try Self.waitingRecord(row, in: database) else { continue }
                    record.entry.clock = .none
                    try Self.write(record, to: .waiting, in: database)
                }
            }
        }
    }

    /// - Returns: whether it was still waiting.
    static func end(
        _ entry: InboxEntry, as state: NoticeState, number: Int? = nil, _ audibility: Audibility? = nil,
        at now: Timestamp,
        in database: Database
    ) throws -> Bool {
        try database.cachedStatement(sql: "DELETE FROM waiting WHERE sequence = ?").execute(arguments: [entry.sequence])
        guard database.changesCount == 1 else { return false }
        var entry = entry
        entry.state = state
        if let other = try noticeRow(entry.notice.id, in: database)?.sequence, other != entry.sequence {
            // Its row was lost with a page, and then the payment came again. It is one payment, and an id has one row.
            try database.cachedStatement(sql: "DELETE FROM waiting WHERE sequence = ?").execute(arguments: [other])
            entry.sequence = other
        }
        try write(
            NoticeRecord(entry, endedAt: now, announcedNumber: number, audibility: audibility), to: .notice,
            in: database)
        return true
    }

    /// Writes the whole row, which also repairs a damaged one. The index of ids is written only if the row had another
    /// id.
    static func write(_ record: NoticeRecord, to table: CheckedTable, in database: Database) throws {
        if table == .notice {
            try database.cachedStatement(sql: CheckedTable.notice.updateOfSameID)
                .execute(arguments: record.argumentsOfUpdate)
            if database.changesCount == 1 { return }
        }
        try database.cachedStatement(sql: table.upsert).execute(arguments: record.arguments(for: table))
    }
}

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
