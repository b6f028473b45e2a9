import SoundboxCore

extension PostgreSQLPaymentStore {
    private static let payment = "SELECT payment.*, merchant, device FROM payment JOIN box ON box.number = payment.box"

    package func payment(_ id: PaymentID, of box: BoxID) throws(StoreError) -> StoredPayment? {
        try withConnection { connection, _ in
            try connection.query(
                "\(Self.payment) WHERE merchant = $1 AND device = $2 AND payment_id = $3 AND is_refund = $4",
                [.text(box.merchant), .text(box.device), .text(id.text), .flag(id.isRefund)]
            ).first.flatMap { PaymentRow($0)?.payment }
        }
    }

    package func list(_ query: PaymentQuery, at now: Moment) throws(StoreError) -> PaymentPage {
        try withConnection { connection, _ in
            var after = query.after
            if let since = query.since {
                let first = try connection.query(
                    "SELECT min(number) AS number FROM payment WHERE accepted_after >= $1",
                    [.span(query.earliest(since: since, at: now))])
                guard let number = first.first?.integer("number") else { return .empty }
                after = max(after, number - 1)
            }
            var condition = "payment.number > $1 AND accepted_at >= $2"
            var values: [StoredValue] = [
                .integer(after), .integer(query.since?.millisecondsSince1970 ?? .min), .number(query.limit + 1),
            ]
            var end: Int64?
            if let box = query.box {
                condition += " AND payment.box = (SELECT number FROM box WHERE merchant = $4 AND device = $5)"
                values += [.text(box.merchant), .text(box.device)]
            } else {
                let bounds = try connection.query(
                    "SELECT min(number) AS first, (SELECT max(number) FROM payment) AS last FROM payment WHERE number > $1",
                    [.integer(after)]
                ).first
                guard let first = bounds?.integer("first"), let last = bounds?.integer("last") else {
                    return .empty
                }
                let limit = first + query.lookedAt - 1
                if limit < last { end = limit }
                condition += " AND payment.number <= $4"
                values.append(.integer(limit))
                if let merchants = query.merchants {
                    condition += " AND merchant IN (SELECT json_array_elements_text($5))"
                    values.append(.text(JSONValue.array(merchants.map { .string($0) }).text))
                }
            }
            let rows = try connection.query(
                "\(Self.payment) WHERE \(condition) ORDER BY payment.number LIMIT $3", values)
            return PaymentPage(rows.compactMap { PaymentRow($0) }, limit: query.limit, end: end)
        }
    }

    package func unheard(limit: Int) throws(StoreError) -> [StoredPayment] {
        try withConnection { connection, _ in
            try connection.query(
                "\(Self.payment) WHERE \(PaymentQuery.unheardCondition) ORDER BY payment.number LIMIT $1",
                [.number(limit)]
            ).compactMap { PaymentRow($0)?.payment }
        }
    }

    package func openSince() throws(StoreError) -> [Duration] {
        try withConnection { connection, _ in
            try connection.query("SELECT accepted_after FROM payment WHERE due_after IS NOT NULL")
                .compactMap { $0.integer("accepted_after") }.map { .milliseconds($0) }
        }
    }

    package func prune(before time: Duration, limit: Int) throws(StoreError) -> Bool {
        try withConnection { connection, _ in
            try connection.query("DELETE FROM unread WHERE came_after < $1", [.span(time)])
            func prune(_ table: String, _ column: String) throws -> Int {
                try connection.query(
                    """
                    DELETE FROM \(table) WHERE number IN (
                        SELECT number FROM \(table) WHERE \(column) < $1 AND due_after IS NULL
                        ORDER BY \(column) LIMIT $2 FOR UPDATE SKIP LOCKED)
                    """, [.span(time), .number(limit)]
                ).changed
            }
            let callbacks = try prune("callback", "created_after")
            return max(callbacks, try prune("payment", "accepted_after")) == limit
        }
    }

    // MARK: Callbacks

    package func dueCallbacks(
        of receiver: String, at now: Duration, limit: Int
    ) throws(StoreError) -> [Callback] {
        try withLease { connection, lease in
            try connection.query(
                """
                WITH me AS (
                    SELECT number FROM gateway WHERE number = $1
                ), free AS (
                    SELECT callback.number FROM callback, me
                    WHERE receiver = $2 AND due_after <= $3 AND (holder IS NULL OR holder <> me.number
                        AND NOT EXISTS (SELECT FROM gateway WHERE gateway.number = holder))
                    ORDER BY due_after, created_after, callback.number LIMIT $4 FOR UPDATE OF callback SKIP LOCKED
                ), taken AS (
                    UPDATE callback SET holder = $1 FROM free WHERE callback.number = free.number RETURNING callback.*
                )
                SELECT * FROM taken
                UNION ALL
                SELECT callback.* FROM callback, me WHERE receiver = $2 AND due_after <= $3 AND holder = me.number
                ORDER BY due_after, created_after, number LIMIT $4
                """, [.integer(lease), .text(receiver), .span(now), .number(limit)]
            ).map { Callback($0) }
        }
    }

    package func record(_ results: [CallbackResult], at now: Moment) throws(StoreError) {
        try inTransaction { connection, lease in
            let taken = results.filter { $0.outcome == .taken }
            if !taken.isEmpty {
                // The receiver has it, also if another gateway holds it by now.
                let gone = PostgreSQLRows(taken.map { [("number", .integer($0.number))] })
                try connection.query(
                    "DELETE FROM callback USING \(gone.sql) WHERE callback.number = new.number", [gone.value])
            }
            let refused = results.compactMap { result -> StoredColumns? in
                guard case .refused(let answer, let time) = result.outcome else { return nil }
                return [("number", .integer(result.number)), ("said", .text(answer)), ("again", .span(time))]
            }
            guard !refused.isEmpty else { return }
            let new = PostgreSQLRows(refused)
            try connection.query(
                """
                UPDATE callback SET attempts = attempts + 1, answer = said, due_after = again, holder = NULL
                FROM \(new.sql) WHERE callback.number = new.number AND due_after IS NOT NULL AND holder = $2
                """, [new.value, .integer(lease)])
        }
    }

    package func giveUpCallbacks(
        before time: Duration, limit: Int, at now: Moment
    ) throws(StoreError) -> [String: Int] {
        try withConnection { connection, _ in
            try connection.query(
                """
                UPDATE callback SET due_after = NULL, holder = NULL, given_up_at = $1,
                    answer = coalesce(answer, 'it was not sent: gateway.yaml has no such receiver, or it took nothing')
                WHERE number IN (
                    SELECT number FROM callback WHERE due_after IS NOT NULL AND created_after < $2
                    ORDER BY created_after LIMIT $3 FOR UPDATE SKIP LOCKED)
                RETURNING receiver
                """, [.time(now.time), .span(time), .number(limit)]
            ).compactMap { $0.text("receiver") }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    package func resendCallbacks(_ numbers: [Int64], at now: Moment) throws(StoreError) -> [Int64] {
        try withConnection { connection, _ in
            try connection.query(
                """
                UPDATE callback SET given_up_at = NULL, attempts = 0, created_after = $1, due_after = $1, holder = NULL
                WHERE given_up_at IS NOT NULL
                    AND ($2::json IS NULL OR number IN (SELECT value::bigint FROM json_array_elements_text($2)))
                RETURNING number
                """,
                [
                    .span(now.running),
                    .text(numbers.isEmpty ? nil : JSONValue.array(numbers.map { .integer(Int($0)) }).text),
                ]
            ).compactMap { $0.integer("number") }.sorted()
        }
    }

    package func callbacks(after number: Int64, limit: Int) throws(StoreError) -> [Callback] {
        try withConnection { connection, _ in
            try connection.query(
                "SELECT * FROM callback WHERE number > $1 ORDER BY number LIMIT $2", [.integer(number), .number(limit)]
            ).map { Callback($0) }
        }
    }

    package func callbackBacklogs() throws(StoreError) -> [String: CallbackBacklog] {
        try withConnection { connection, _ in
            try connection.query(
                """
                SELECT receiver, count(*) AS count, min(created_after) AS oldest
                FROM callback WHERE due_after IS NOT NULL GROUP BY receiver
                """
            ).reduce(into: [:]) { backlogs, row in
                backlogs[row.text("receiver") ?? ""] = CallbackBacklog(
                    count: Int(row.integer("count") ?? 0), oldest: .milliseconds(row.integer("oldest") ?? 0))
            }
        }
    }
}
