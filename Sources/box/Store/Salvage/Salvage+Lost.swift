import GRDB
import SoundboxCore

extension Salvage {
    /// How many numbers without a row are counted one by one. Beyond that no total is certain anyway.
    private static let counted = 1000
    /// How far back numbers are looked at. No total of a day reaches further.
    private static let examined: Int64 = 100_000

    /// Counts what may be lost as payments that cannot be read: numbers between the rows, and whatever may have been
    /// behind the last row or before the first.
    ///
    /// - Parameter last: the last number that the damaged file has given; `nil` when that is unknown.
    func countLost(_ last: Int64?, _ found: Findings, in database: Database) throws {
        let rows = "SELECT sequence FROM notice UNION ALL SELECT sequence FROM known"
        let first = try Int64.fetchOne(database, sql: "SELECT min(sequence) FROM (\(rows))")
        let end = max(last ?? 0, found.lastNotice)
        var lost: [Int64] = []
        if last == nil, !found.newestIsCertain { lost.append(found.lastNotice + 1) }
        if let first {
            // Numbers below the first row were deleted with age.
            if found.lacksRoom, first > 1 { lost.append(first - 1) }
            lost += try Int64.fetchAll(
                database,
                sql: """
                    WITH RECURSIVE number(n) AS (SELECT ?1 UNION ALL SELECT n - 1 FROM number WHERE n > ?2)
                    SELECT n FROM number WHERE n >= ?2 AND n NOT IN (\(rows))
                        AND n NOT IN (SELECT sequence FROM damaged WHERE sequence IS NOT NULL) LIMIT ?3
                    """, arguments: [end, max(first, end - Self.examined), Self.counted])
        } else if end > 0 {
            lost.append(end)
        }
        for number in lost { try Self.noteLost(number, at: now, in: database) }
    }

    /// Counts a payment of which nothing but its number is left, so that no total which contains it is certain.
    static func noteLost(
        _ number: Int64, _ id: PaymentID? = nil, at now: Timestamp, in database: Database
    ) throws {
        try database.execute(
            sql: "INSERT INTO damaged (found_at, origin, content, sequence, payment_id) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                now.millisecondsSince1970, CheckedTable.notice.rawValue, "lost with its page", number, id?.key,
            ])
    }
}
