import GRDB
import Glibc
import SoundboxCore

/// Adds checksums to rows from a version that had none. This happens while the box runs, a few rows at a time: a
/// migration of a million rows would keep it silent for minutes.
extension SQLiteInbox {
    static let sealingBatch = 500
    /// How many rows are looked at for those.
    private static let sealingWindow = 5000
    /// `PRAGMA user_version` of a file in which every row has its checksum, or has been set aside.
    private static let sealed = 1

    /// Gives some rows after `sequence` their checksums, in one small transaction. Sets rows aside that make no sense.
    /// Blocks on the disk.
    ///
    /// - Returns: where to go on; `nil` when every row has its checksum. After a kill, the next start finds the rows that
    ///   are left.
    public func seal(after sequence: Int64) throws(InboxError) -> Int64? {
        let (next, damaged): (Int64?, [Damage]) = try write { database in
            guard try Int.fetchOne(database, sql: "PRAGMA user_version") != Self.sealed else { return (nil, []) }
            let end = sequence + Int64(Self.sealingWindow)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(CheckedTable.notice.columnList) FROM notice
                    WHERE sequence > ? AND sequence <= ? AND checksum IS NULL ORDER BY sequence LIMIT ?
                    """, arguments: [sequence, end, Self.sealingBatch])
            var damaged: [Damage] = []
            for row in rows {
                if let record = try? NoticeRecord(row, of: .notice) {
                    try Self.write(record, to: .notice, in: database)
                } else {
                    damaged.append(Damage(row, origin: .notice))
                }
            }
            if rows.count == Self.sealingBatch { return (rows.last?.sequence, damaged) }
            // Numbers have gaps where payments were forgotten.
            let next = try Int64.fetchOne(
                database, sql: "SELECT min(sequence) FROM notice WHERE sequence > ?", arguments: [end])
            if let next { return (next - 1, damaged) }
            if damaged.isEmpty { try database.execute(sql: "PRAGMA user_version = \(Self.sealed)") }
            return (damaged.last?.sequence, damaged)
        }
        for row in damaged { try setAsideUnsealed(row) }
        return next
    }

    /// If the payment has ended, its id stays known. Otherwise its sender is asked for it again.
    private func setAsideUnsealed(_ row: Damage) throws(InboxError) {
        let now = Timestamp(millisecondsSince1970: Int64(time(nil)) * 1000)
        try write { database in
            let lastEnded =
                try Int64.fetchOne(
                    database, sql: "SELECT max(sequence) FROM notice WHERE state = 'announced'") ?? 0
            try Self.setAside(row, at: now, in: database)
            guard let id = row.paymentID else { return }
            if row.sequence <= lastEnded {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO known (sequence, payment_id) VALUES (?, ?)",
                    arguments: [row.sequence, id.key])
            } else if try Self.waitingRow(row.sequence, in: database) == nil {
                try Self.askAgain(for: id, at: now, in: database)
            }
        }
        note("notice \(row.sequence) is damaged and was set aside: \(row.content)")
    }
}
