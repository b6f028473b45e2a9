import GRDB
import SoundboxCore

extension SQLiteInbox {
    /// How many of the newest rows a total of the day is made of at most: one every three seconds, for a whole day and
    /// night. The announcer waits meanwhile, and a payment behind it.
    static let daysRows: Int64 = 30_000

    public func payments(since start: Timestamp) throws(InboxError) -> [Money] {
        try read { try Self.payments(since: start, newest: Self.daysRows, in: $0) }
    }

    /// Looks at the newest rows only: their order is that of arrival, whatever the clock showed, and an index over times
    /// would cost one more page for each payment.
    static func payments(since start: Timestamp, newest count: Int64, in database: Database) throws -> [Money] {
        let start = start.millisecondsSince1970
        let horizon = (try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM notice") ?? 0) - count
        // Rows before the horizon came earlier than the first ones behind it.
        let isCut =
            try Int.fetchOne(database, sql: "SELECT 1 FROM notice WHERE sequence <= ? LIMIT 1", arguments: [horizon])
            != nil
        if isCut {
            // A few at the far end tell whether the day began before it.
            let times = try Int64.fetchAll(
                database, sql: "SELECT received_at FROM notice WHERE sequence > ? ORDER BY sequence LIMIT ?",
                arguments: [horizon, max(count / 300, 1)])
            guard times.allSatisfy({ $0 < start }) else {
                throw Untellable(
                    description:
                        "more payments than the newest \(count) have arrived since midnight by this box's clock, "
                        + "too many for a total; is the clock right?")
            }
        }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(CheckedTable.notice.columnList) FROM notice
                WHERE sequence > ? AND received_at >= ? AND kind = 'payment' AND state <> 'cancelled' ORDER BY sequence
                """, arguments: [horizon, start])
        var payments: [Money] = []
        while let row = try rows.next() {
            let copy = try? NoticeRecord(row, of: .notice)
            guard
                let record = try copy
                    ?? waitingRow(row.sequence, in: database).flatMap({ try waitingRecord($0, in: database) })
            else {
                throw Untellable(
                    description: "row \(row.sequence) is damaged, one of the day's payments; a total would be short")
            }
            payments.append(record.entry.notice.money)
        }
        return payments
    }

    /// Why the day has no total.
    private struct Untellable: Error, CustomStringConvertible { var description: String }
}
