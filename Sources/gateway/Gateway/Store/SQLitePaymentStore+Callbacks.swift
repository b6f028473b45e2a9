import GRDB
import SoundboxCore
import SoundboxSystem

extension SQLitePaymentStore {
    package func dueCallbacks(
        of receiver: String, at now: Duration, limit: Int
    ) throws(StoreError) -> [Callback] {
        try read { database in
            try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT * FROM callback WHERE receiver = ? AND due_after <= ?
                        ORDER BY due_after, created_after, number LIMIT ?
                        """), arguments: [receiver, now.inMilliseconds, limit]
            ).map { Callback($0) }
        }
    }

    package func record(_ results: [CallbackResult], at now: Moment) throws(StoreError) {
        try write { database in
            for result in results {
                switch result.outcome {
                case .taken:
                    try database.cachedStatement(sql: "DELETE FROM callback WHERE number = ?")
                        .execute(arguments: [result.number])
                case .refused(let answer, let time):
                    try database.cachedStatement(
                        sql: """
                            UPDATE callback SET attempts = attempts + 1, answer = ?, due_after = ?
                            WHERE number = ? AND due_after IS NOT NULL
                            """
                    ).execute(arguments: [answer, time.inMilliseconds, result.number])
                }
            }
        }
    }

    package func giveUpCallbacks(
        before time: Duration, limit: Int, at now: Moment
    ) throws(StoreError) -> [String: Int] {
        try write { database in
            let receivers = try String.fetchAll(
                database,
                sql: """
                    UPDATE callback SET due_after = NULL, given_up_at = ?,
                        answer = coalesce(answer, 'it was not sent: gateway.yaml has no such receiver, or it took nothing')
                    WHERE number IN (
                        SELECT number FROM callback WHERE due_after IS NOT NULL AND created_after < ? LIMIT ?)
                    RETURNING receiver
                    """, arguments: [now.time.millisecondsSince1970, time.inMilliseconds, limit])
            return receivers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    package func resendCallbacks(_ numbers: [Int64], at now: Moment) throws(StoreError) -> [Int64] {
        try write { database in
            let places = numbers.map { _ in "?" }.joined(separator: ", ")
            let some = numbers.isEmpty ? "" : " AND number IN (\(places))"
            return try Int64.fetchAll(
                database,
                sql: """
                    UPDATE callback SET given_up_at = NULL, attempts = 0, created_after = ?, due_after = ?
                    WHERE given_up_at IS NOT NULL\(some) RETURNING number
                    """,
                arguments: [now.running.inMilliseconds, now.running.inMilliseconds] + StatementArguments(numbers)
            ).sorted()
        }
    }

    package func callbacks(after number: Int64, limit: Int) throws(StoreError) -> [Callback] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM callback WHERE number > ? ORDER BY number LIMIT ?",
                arguments: [number, limit]
            ).map { Callback($0) }
        }
    }

    package func callbackBacklogs() throws(StoreError) -> [String: CallbackBacklog] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT receiver, count(*) AS count, min(created_after) AS oldest
                    FROM callback WHERE due_after IS NOT NULL GROUP BY receiver
                    """
            ).reduce(into: [:]) { backlogs, row in
                backlogs[row["receiver"]] = CallbackBacklog(
                    count: row["count"], oldest: .milliseconds(row["oldest"] as Int64))
            }
        }
    }
}
