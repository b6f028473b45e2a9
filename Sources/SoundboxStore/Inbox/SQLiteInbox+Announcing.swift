import GRDB
import SoundboxCore
import Synchronization

extension SQLiteInbox {
    public func markAnnouncing(_ entries: [InboxEntry]) throws(InboxError) -> Bool {
        try write { database in
            var unmarked: [InboxEntry] = []
            for var entry in entries {
                guard let row = try Self.waitingRow(entry.sequence, in: database) else { return false }
                if let known = try? NoticeRecord(row, of: .waiting), known.entry.state == .announcing { continue }
                entry.state = .announcing
                unmarked.append(entry)
            }
            // Only the copies in `waiting` change. The other copies already say that they wait.
            for entry in unmarked { try Self.write(NoticeRecord(entry), to: .waiting, in: database) }
            return true
        }
    }

    public func markAnnounced(
        _ entry: InboxEntry, as manner: Manner, at now: Timestamp
    ) throws(InboxError) {
        let number = announcedTotal.load(ordering: .relaxed) + 1
        let isChanged = try write { database in
            guard try Self.end(entry, as: .announced, number: number, at: now, in: database) else { return false }
            try Self.insert(Receipt(id: entry.notice.id, state: .announced, at: now, manner: manner), into: database)
            return true
        }
        if isChanged { announcedTotal.store(number, ordering: .relaxed) }
    }

    public func markExpired(
        _ entries: [InboxEntry], told manner: Manner?, at now: Timestamp
    ) throws(InboxError) {
        guard let first = entries.first?.sequence else { return }
        try write { database in
            // A payment that has ended already must not get a second receipt.
            for entry in entries where try Self.end(entry, as: .expired, number: nil, at: now, in: database) {
                let receipt = Receipt.expired(
                    entry.notice.id, count: entries.count, first: first, told: manner, at: now)
                try Self.insert(receipt, into: database)
            }
        }
    }

    public func cancel(_ id: PaymentID, at now: Timestamp) throws(InboxError) -> CancelOutcome {
        try write { try Self.cancel(id, at: now, in: $0) }
    }

    static func cancel(_ id: PaymentID, at now: Timestamp, in database: Database) throws -> CancelOutcome {
        guard let row = try noticeRow(id, in: database) else { return .unknown }
        guard let copy = try waitingRow(row.sequence, in: database) else {
            // Its content may be damaged; that it waits no longer is certain.
            return .tooLate((try? NoticeRecord(row, of: .notice))?.entry.state ?? .announced)
        }
        guard let entry = try waitingRecord(copy, in: database)?.entry else { return .unknown }
        guard entry.state == .received else { return .tooLate(entry.state) }
        _ = try end(entry, as: .cancelled, number: nil, at: now, in: database)
        try insert(Receipt(id: id, state: .cancelled, at: now), into: database)
        return .cancelled(entry)
    }

    public func distrustArrivalTimes() throws(InboxError) {
        try write { database in
            var last: Int64 = 0
            while true {
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT \(CheckedTable.waiting.columnList) FROM waiting WHERE sequence > ? AND clock_was_set = 1
                        ORDER BY sequence LIMIT 500
                        """, arguments: [last])
                guard let end = rows.last?.sequence else { return }
                last = end
                for row in rows {
                    guard var record = try Self.waitingRecord(row, in: database) else { continue }
                    record.entry.clockWasSet = false
                    try Self.write(record, to: .waiting, in: database)
                }
            }
        }
    }

    /// - Returns: whether it was still waiting.
    private static func end(
        _ entry: InboxEntry, as state: NoticeState, number: Int?, at now: Timestamp, in database: Database
    ) throws -> Bool {
        try database.cachedStatement(sql: "DELETE FROM waiting WHERE sequence = ?").execute(arguments: [entry.sequence])
        guard database.changesCount == 1 else { return false }
        var entry = entry
        entry.state = state
        try write(NoticeRecord(entry, endedAt: now, announcedNumber: number), to: .notice, in: database)
        return true
    }

    /// Writes the whole row, which also heals a damaged one.
    static func write(_ record: NoticeRecord, to table: CheckedTable, in database: Database) throws {
        try database.cachedStatement(sql: table.upsert).execute(arguments: record.arguments(for: table))
    }
}
