import GRDB
import SoundboxCore

extension SQLitePaymentStore {
    /// Stores what receivers are to be told of a payment that has just got its state.
    static func insertCallbacks(
        of payment: StoredPayment, for receivers: [String: Set<PaymentState>], at now: Moment, in database: Database
    ) throws {
        let names = receivers.filter { $0.value.contains(payment.state) }.keys.sorted()
        guard !names.isEmpty else { return }
        let event = CallbackEvent(of: payment)
        for name in names {
            try database.cachedStatement(
                sql: """
                    INSERT INTO callback (receiver, event_id, body, created_at, created_after, attempts, due_after)
                    VALUES (?, ?, ?, ?, ?, 0, ?)
                    """
            ).execute(arguments: [
                name, event.id, event.body, now.time.millisecondsSince1970, now.running.milliseconds,
                now.running.milliseconds,
            ])
        }
    }

    package func dueCallbacks(
        of receiver: String, at now: Duration, limit: Int
    ) throws(StoreError) -> [Callback] {
        try read { database in
            try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT * FROM callback WHERE receiver = ? AND due_after <= ?
                        ORDER BY due_after, created_after, number LIMIT ?
                        """), arguments: [receiver, now.milliseconds, limit]
            ).map(Callback.init(row:))
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
                    ).execute(arguments: [answer, time.milliseconds, result.number])
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
                    """, arguments: [now.time.millisecondsSince1970, time.milliseconds, limit])
            return receivers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    package func callbacks(after number: Int64, limit: Int) throws(StoreError) -> [Callback] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM callback WHERE number > ? ORDER BY number LIMIT ?",
                arguments: [number, limit]
            ).map(Callback.init(row:))
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

extension Callback {
    fileprivate init(row: Row) {
        self.init(
            number: row["number"], receiver: row["receiver"], eventID: row["event_id"], body: row["body"],
            created: Moment(
                time: Timestamp(millisecondsSince1970: row["created_at"]),
                running: .milliseconds(row["created_after"] as Int64)), attempts: row["attempts"],
            answer: row["answer"],
            givenUpAt: (row["given_up_at"] as Int64?).map(Timestamp.init(millisecondsSince1970:)))
    }
}
