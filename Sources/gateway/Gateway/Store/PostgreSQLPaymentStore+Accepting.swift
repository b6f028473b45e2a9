import SoundboxCore

extension PostgreSQLPaymentStore {
    package func accept(_ submissions: [Submission], at now: Moment) throws(StoreError) -> [SubmissionOutcome] {
        try inTransaction { connection, _ in
            var arrivals = try Arrivals(
                submissions.map { ($0.payments, $0.webhook?.hook) }, on: connection, at: now)
            var outcomes = submissions.map { submission in
                let acceptances = arrivals.accept(submission.payments, from: submission.sender)
                return SubmissionOutcome(acceptances: acceptances)
            }
            try arrivals.store()
            for (index, submission) in submissions.enumerated() {
                guard let webhook = submission.webhook,
                    let reason = submission.problem(outcomes[index].acceptances)
                else { continue }
                outcomes[index].unread = try store(webhook, reason, at: now, on: connection)
            }
            if let last = outcomes.lastIndex(where: { $0.unread != nil }) {
                outcomes[last].unread?.deleted = try makeRoom(on: connection)
            }
            return outcomes
        }
    }

    package func accept(
        _ payments: [(box: BoxID, notice: PaymentNotice)], problems: [String], ofUnread number: Int64, at now: Moment
    ) throws(StoreError) -> String? {
        try inTransaction { connection, _ in
            let hook = try connection.query("SELECT hook FROM unread WHERE number = $1 FOR UPDATE", [.integer(number)])
                .first?.text("hook")
            var arrivals = try Arrivals([(payments, hook)], on: connection, at: now)
            let acceptances = arrivals.accept(payments, from: hook.map { .hook($0) })
            try arrivals.store()
            guard let reason = Submission(payments, problems: problems).problem(acceptances) else {
                try connection.query("DELETE FROM unread WHERE number = $1", [.integer(number)])
                return nil
            }
            try connection.query(
                "UPDATE unread SET reason = $2 WHERE number = $1", [.integer(number), .text(reason)])
            return reason
        }
    }

    // MARK: Unread webhooks

    /// Providers repeat: the same bytes for the same hook are counted.
    private func store(
        _ webhook: GenuineWebhook, _ reason: String, at now: Moment, on connection: PostgreSQLConnection
    ) throws -> SubmissionOutcome.Unread {
        let known = try connection.query(
            "UPDATE unread SET count = count + 1, reason = $3 WHERE hook = $1 AND hash = $2 RETURNING number, count",
            [.text(webhook.hook), .bytes(webhook.hash), .text(reason)]
        ).first
        if let number = known?.integer("number"), let count = known?.integer("count") {
            return SubmissionOutcome.Unread(number: number, count: Int(count), reason: reason)
        }
        let new = PostgreSQLRows([webhook.columns(reason: reason, at: now)])
        let names = new.names.joined(separator: ", ")
        let row = try connection.query(
            "INSERT INTO unread (\(names)) SELECT \(names) FROM \(new.sql) RETURNING number", [new.value]
        ).first
        return SubmissionOutcome.Unread(number: row?.integer("number") ?? 0, count: 1, reason: reason)
    }

    /// Deletes the oldest unread webhooks beyond the limits.
    private func makeRoom(on connection: PostgreSQLConnection) throws -> Int {
        try connection.query(
            """
            DELETE FROM unread USING (
                SELECT number, row_number() OVER latest AS rows, sum(size) OVER latest AS bytes FROM unread
                WINDOW latest AS (ORDER BY number DESC)
            ) AS counted
            WHERE unread.number = counted.number AND (rows > $1 OR bytes > $2)
            """, [.number(unreadLimits.rows), .number(unreadLimits.bytes)]
        ).changed
    }

    package func unreadNumbers() throws(StoreError) -> [Int64] {
        try withConnection { connection, _ in
            try connection.query("SELECT number FROM unread ORDER BY number").compactMap { $0.integer("number") }
        }
    }

    package func unread(_ number: Int64) throws(StoreError) -> UnreadWebhook? {
        try withConnection { connection, _ in
            try connection.query("SELECT * FROM unread WHERE number = $1", [.integer(number)]).first
                .flatMap { UnreadWebhook($0) }
        }
    }

    package func unreadCount() throws(StoreError) -> Int {
        try withConnection { connection, _ in
            Int(try connection.query("SELECT count(*) AS count FROM unread").first?.integer("count") ?? 0)
        }
    }
}

/// Payments that have just come, beside what is stored: inside a transaction that holds their ids.
private struct Arrivals {
    private struct Place: Hashable {
        var box: BoxID
        var id: PaymentID
    }

    private struct Origin: Hashable {
        var hook: String
        var id: PaymentID
    }

    private let connection: PostgreSQLConnection
    private let now: Moment
    private var known: [Place: StoredPayment] = [:]
    /// The number of a stored payment, which is to go where another takes its place.
    private var numbers: [Place: Int64] = [:]
    private var byHook: [Origin: [Place]] = [:]
    private var replaced: [Int64] = []
    private var rows: [(place: Place, columns: StoredColumns)] = []

    init(
        _ payments: [(payments: [(box: BoxID, notice: PaymentNotice)], hook: String?)],
        on connection: PostgreSQLConnection, at now: Moment
    ) throws {
        (self.connection, self.now) = (connection, now)
        let rows: [StoredColumns] = payments.flatMap { payments, hook in
            payments.map { box, notice in
                [
                    ("merchant", .text(box.merchant)), ("device", .text(box.device)),
                    ("id", .text(notice.id.text)), ("is_refund", .flag(notice.id.isRefund)), ("from_hook", .text(hook)),
                ]
            }
        }
        guard !rows.isEmpty else { return }
        let asked = PostgreSQLRows(rows)
        // Two gateways may get one id at once, for one box or for two. In one order, so that they do not wait for each
        // other; and a thousand locks at most, since the server has room for some thousands.
        try connection.query(
            """
            SELECT pg_advisory_xact_lock(hash)
            FROM (SELECT DISTINCT hashtextextended(id, 0) & 1023 AS hash FROM \(asked.sql) ORDER BY hash) AS ids
            """, [asked.value])
        try connection.query(
            """
            INSERT INTO box (merchant, device)
            SELECT DISTINCT merchant, device FROM \(asked.sql)
            WHERE NOT EXISTS (SELECT FROM box WHERE box.merchant = new.merchant AND box.device = new.device)
            ORDER BY merchant, device
            ON CONFLICT DO NOTHING
            """, [asked.value])
        let found = try connection.query(
            """
            SELECT payment.*, merchant, device
            FROM \(asked.sql) JOIN box USING (merchant, device) JOIN payment
                ON payment.box = box.number AND payment_id = id AND payment.is_refund = new.is_refund
            UNION
            SELECT payment.*, box.merchant, box.device
            FROM \(asked.sql) JOIN payment
                ON hook = from_hook AND payment_id = id AND payment.is_refund = new.is_refund
                JOIN box ON box.number = payment.box
            ORDER BY number
            """, [asked.value])
        for row in found {
            guard let box = row.box, let id = row.text("payment_id").flatMap({ try? PaymentID($0) }) else { continue }
            let place = Place(box: box, id: id.of(row.integer("is_refund") == 1 ? .refund : .payment))
            // One that cannot be read is not known, and a new one takes its place.
            (known[place], numbers[place]) = (PaymentRow(row)?.payment, row.integer("number"))
            if let hook = row.text("hook") { byHook[Origin(hook: hook, id: place.id), default: []].append(place) }
        }
    }

    mutating func accept(
        _ payments: [(box: BoxID, notice: PaymentNotice)], from sender: PaymentSender?
    ) -> [Acceptance] {
        let hook = sender?.hook
        // Before any is stored: one webhook may have one id for several boxes.
        let elsewhere = payments.map { box, notice in hook.flatMap { of($0, notice.id, notFor: box) } }
        return zip(payments, elsewhere).map { payment, elsewhere in
            let (box, notice) = payment
            let place = Place(box: box, id: notice.id)
            switch AcceptanceRules.decide(notice.money, known: known[place], elsewhere: elsewhere) {
            case .answer(let acceptance): return acceptance
            case .store(let lastReceipt):
                if let number = numbers.removeValue(forKey: place) { replaced.append(number) }
                known[place] = StoredPayment(
                    box: box, notice: NoticeDocument(notice, accepted: now.time), accepted: now)
                if let hook { byHook[Origin(hook: hook, id: notice.id), default: []].append(place) }
                rows.append((place, PaymentRow.columns(of: notice, from: sender, lastReceipt: lastReceipt, at: now)))
                return .accepted
            }
        }
    }

    /// What a hook has brought for another box under this id. Not what that box has refused: nobody heard it.
    private func of(_ hook: String, _ id: PaymentID, notFor box: BoxID) -> StoredPayment? {
        (byHook[Origin(hook: hook, id: id)] ?? []).lazy.filter { $0.box != box }.compactMap { known[$0] }
            .first { $0.state != .failed }
    }

    func store() throws {
        if !replaced.isEmpty {
            try connection.query(
                "DELETE FROM payment WHERE number IN (SELECT number FROM json_to_recordset($1) AS gone (number bigint))",
                [PostgreSQLRows(replaced.map { [("number", .integer($0))] }).value])
        }
        guard !rows.isEmpty else { return }
        let new = PostgreSQLRows(
            rows.enumerated().map { index, row in
                [
                    ("place", .number(index)), ("merchant", .text(row.place.box.merchant)),
                    ("device", .text(row.place.box.device)),
                ] + row.columns
            })
        let names = new.names.dropFirst(3).joined(separator: ", ")
        try connection.query(
            """
            INSERT INTO payment (box, \(names))
            SELECT box.number, \(names) FROM \(new.sql) JOIN box USING (merchant, device) ORDER BY place
            """, [new.value])
    }
}
