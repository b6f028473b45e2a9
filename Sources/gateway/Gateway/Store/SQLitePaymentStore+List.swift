import GRDB
import SoundboxCore
import SoundboxSystem

extension SQLitePaymentStore {
    package func list(_ query: PaymentQuery, at now: Moment) throws(StoreError) -> PaymentPage {
        try read { database in
            var after = query.after
            if let since = query.since {
                // Numbers and the clock of the waits only grow, so that the beginning is found in some thirty steps.
                let time = query.earliest(since: since, at: now)
                after = try max(after, Self.number(acceptedAfter: time.inMilliseconds, in: database) - 1)
            }
            let times = "accepted_at >= \(query.since?.millisecondsSince1970 ?? .min)"
            let first = "\(times) ORDER BY +payment.number LIMIT \(query.limit + 1)"
            guard let box = query.box else { return try Self.page(query, after: after, first, in: database) }
            guard let number = try Self.existingNumber(of: box, in: database) else { return .empty }
            let rows = try PaymentRow.fetchAll(
                database, where: "payment.box = ? AND +payment.number > ? AND \(first)", [number, after])
            return PaymentPage(rows, limit: query.limit, end: nil)
        }
    }

    /// Of several boxes. A box's index does not help there: a merchant may have thousands.
    private static func page(
        _ query: PaymentQuery, after: Int64, _ rest: String, in database: Database
    ) throws -> PaymentPage {
        guard let last = try Int64.fetchOne(database, sql: "SELECT max(number) FROM payment"),
            let start = try Int64.fetchOne(
                database, sql: "SELECT min(number) FROM payment WHERE number > ?", arguments: [after])
        else { return .empty }
        let end = start + query.lookedAt - 1
        var (condition, arguments) = ("payment.number BETWEEN ? AND ?", StatementArguments([start, end]))
        if let merchants = query.merchants {
            let places = merchants.map { _ in "?" }.joined(separator: ", ")
            condition += " AND +payment.box IN (SELECT number FROM box WHERE merchant IN (\(places)))"
            arguments += StatementArguments(merchants)
        }
        let rows = try PaymentRow.fetchAll(database, where: "\(condition) AND \(rest)", arguments)
        return PaymentPage(rows, limit: query.limit, end: end < last ? end : nil)
    }

    /// The number of the first payment that was accepted at this ``Moment/running`` or later.
    private static func number(acceptedAfter time: Int64, in database: Database) throws -> Int64 {
        guard let first = try Int64.fetchOne(database, sql: "SELECT min(number) FROM payment"),
            let last = try Int64.fetchOne(database, sql: "SELECT max(number) FROM payment")
        else { return 1 }
        var (low, high) = (first, last + 1)
        while low < high {
            let middle = low + (high - low) / 2
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql: "SELECT number, accepted_after FROM payment WHERE number >= ? ORDER BY number LIMIT 1"),
                arguments: [middle])
            guard let row, let number = row["number"] as Int64?, let accepted = row["accepted_after"] as Int64? else {
                return low
            }
            if accepted < time { low = number + 1 } else { high = middle }
        }
        return low
    }
}
