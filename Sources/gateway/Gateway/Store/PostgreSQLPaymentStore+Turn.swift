import SoundboxCore

extension PostgreSQLPaymentStore {
    package func due(at now: Duration, limit: Int) throws(StoreError) -> DuePayments {
        // Free is what no gateway holds whose row is there. Nothing is for one whose own row has gone.
        var due = try withLease { connection, lease in
            let rows = try connection.query(
                """
                WITH me AS (
                    SELECT number FROM gateway WHERE number = $1
                ), free AS (
                    SELECT payment.number FROM payment, me
                    WHERE due_after <= $2 AND (holder IS NULL OR holder <> me.number
                        AND NOT EXISTS (SELECT FROM gateway WHERE gateway.number = holder))
                    ORDER BY due_after, payment.number LIMIT $3 FOR UPDATE OF payment SKIP LOCKED
                ), taken AS (
                    UPDATE payment SET holder = $1 FROM free WHERE payment.number = free.number RETURNING payment.*
                ), held AS (
                    SELECT * FROM taken
                    UNION ALL
                    SELECT payment.* FROM payment, me WHERE due_after <= $2 AND holder = me.number
                )
                SELECT held.*, merchant, device FROM held JOIN box ON box.number = held.box
                ORDER BY due_after, held.number LIMIT $3
                """, [.integer(lease), .span(now), .number(limit)])
            var due = DuePayments()
            for row in rows {
                if let payment = PaymentRow(row) {
                    due.payments.append(.init(number: payment.number, payment: payment.payment))
                } else if let number = row.integer("number") {
                    due.unreadable.append(number)
                }
            }
            return due
        }
        due.endedGateways = endedGateways()
        return due
    }

    package func awaken() throws(StoreError) { try withConnection { connection, _ in try awaken(connection) } }

    func awaken(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        try connection.query(
            """
            UPDATE payment SET due_after = (published_at IS NOT NULL)::int
            WHERE due_after IS NOT NULL AND due_after <> (published_at IS NOT NULL)::int
            """)
    }

    package func settle(
        waiting: [(number: Int64, until: Duration)], givenUp: [Int64], at now: Moment
    ) throws(StoreError) {
        try inTransaction { connection, lease in
            if !givenUp.isEmpty {
                var step = DeliveryStep(
                    rows: try PostgreSQLPaymentRows(numbers: givenUp, lease: lease, lock: true, on: connection),
                    receivers: receivers, at: now)
                try step.giveUp(givenUp)
                try step.rows.write(on: connection)
            }
            guard !waiting.isEmpty else { return }
            let new = PostgreSQLRows(waiting.map { [("number", .integer($0.number)), ("until", .span($0.until))] })
            try connection.query(
                """
                UPDATE payment SET due_after = until, holder = NULL FROM \(new.sql)
                WHERE payment.number = new.number AND due_after IS NOT NULL AND holder = $2
                """, [new.value, .integer(lease)])
        }
    }

    package func commit(
        _ turn: DeliveryTurn, boxes: [BoxID: KnownBox], listeningSince start: Duration, at now: Moment
    ) throws(StoreError) -> DeliveryTurnOutcome {
        func step(
            lock: Bool, _ connection: PostgreSQLConnection, _ lease: Int64?
        ) throws -> DeliveryStep<PostgreSQLPaymentRows> {
            var step = DeliveryStep(
                rows: try PostgreSQLPaymentRows(
                    numbers: turn.acknowledged.map(\.number) + turn.refused.map(\.number),
                    receipts: turn.receipts.map { ($0.box, $0.id) }, openOf: turn.awakened, lease: lease, lock: lock,
                    on: connection), boxes: boxes, receivers: receivers, listeningSince: start, at: now)
            try step.apply(turn)
            return step
        }
        if turn.isPerhapsKnown {
            let isKnown = try withConnection { connection, lease in
                guard try !step(lock: false, connection, lease).rows.isChanged else { return false }
                try write(turn.changedBoxes.known(boxes), on: connection)
                return true
            }
            if isKnown { return DeliveryTurnOutcome() }
        }
        return try inTransaction { connection, lease in
            let step = try step(lock: true, connection, lease)
            try step.rows.write(on: connection)
            try write(turn.changedBoxes.known(boxes), on: connection)
            return step.outcome
        }
    }

    package func isPublishedAgain(_ box: BoxID, in epoch: Int) throws(StoreError) -> Bool {
        try withConnection { connection, _ in
            try connection.query(
                """
                SELECT FROM payment JOIN box ON box.number = payment.box
                WHERE merchant = $1 AND device = $2 AND due_after IS NOT NULL
                    AND (published_at IS NULL OR payment.session_epoch IS NULL OR payment.session_epoch < $3) LIMIT 1
                """, [.text(box.merchant), .text(box.device), .number(epoch)]
            ).count == 0
        }
    }

    // MARK: Boxes

    package func boxes() throws(StoreError) -> [BoxID: KnownBox] {
        try withConnection { connection, _ in
            var boxes: [BoxID: KnownBox] = [:]
            for row in try connection.query("SELECT * FROM box") {
                if let box = row.box { boxes[box] = KnownBox(row) }
            }
            return boxes
        }
    }

    package func write(_ boxes: [BoxID: KnownBox]) throws(StoreError) {
        try withConnection { connection, _ in try write(boxes, on: connection) }
    }

    /// Every gateway gets every status: the first one writes it.
    private func write(_ boxes: [BoxID: KnownBox], on connection: PostgreSQLConnection) throws {
        guard !boxes.isEmpty else { return }
        let new = PostgreSQLRows(
            boxes.map { box, known in
                [("merchant", .text(box.merchant)), ("device", .text(box.device))] + known.columns
            })
        let names = new.names.dropFirst(2)
        try connection.query(
            """
            WITH new AS (
                SELECT * FROM \(new.sql)
            ), changed AS (
                SELECT number, new.* FROM box JOIN new USING (merchant, device)
                WHERE (box.said_at, box.session_epoch, box.faults, box.reconciled_epoch, box.reconciled_after)
                        IS DISTINCT FROM
                        (new.said_at, new.session_epoch, new.faults, new.reconciled_epoch, new.reconciled_after)
                    OR new.said_at IS NULL AND box.seen_at IS DISTINCT FROM new.seen_at
                ORDER BY number FOR UPDATE OF box
            )
            UPDATE box SET \(names.map { "\($0) = changed.\($0)" }.joined(separator: ", "))
            FROM changed WHERE box.number = changed.number
            """, [new.value])
        try connection.query(
            """
            INSERT INTO box (\(new.names.joined(separator: ", ")))
            SELECT \(new.names.joined(separator: ", ")) FROM \(new.sql)
            WHERE NOT EXISTS (SELECT FROM box WHERE box.merchant = new.merchant AND box.device = new.device)
            ORDER BY merchant, device
            ON CONFLICT DO NOTHING
            """, [new.value])
    }
}

extension [BoxID] {
    fileprivate func known(_ boxes: [BoxID: KnownBox]) -> [BoxID: KnownBox] {
        boxes.filter { contains($0.key) }
    }
}

/// The rows that a turn concerns, read with one statement and written with one.
private struct PostgreSQLPaymentRows: PaymentRows {
    private struct Place: Hashable {
        var box: BoxID
        var id: PaymentID
    }

    private let lease: Int64?
    private var rows: [Int64: PaymentRow] = [:]
    private var holders: [Int64: Int64] = [:]
    private var numbers: [Place: Int64] = [:]
    private var changed: Set<Int64> = []
    private var callbacks: [StoredColumns] = []

    /// - Parameter lock: against others, until the transaction ends. Always in the order of their numbers.
    init(
        numbers: [Int64], receipts: [(box: BoxID, id: PaymentID)] = [], openOf boxes: Set<BoxID> = [], lease: Int64?,
        lock: Bool, on connection: PostgreSQLConnection
    ) throws {
        self.lease = lease
        let numbers = numbers.map { JSONValue.integer(Int($0)) }
        let receipts = receipts.map { box, id in
            JSONValue.array([
                .string(box.merchant), .string(box.device), .string(id.text), .integer(id.isRefund ? 1 : 0),
            ])
        }
        let awakened = boxes.map { JSONValue.array([.string($0.merchant), .string($0.device)]) }
        guard !(numbers.isEmpty && receipts.isEmpty && awakened.isEmpty) else { return }
        let found = try connection.query(
            """
            SELECT payment.*, merchant, device FROM payment JOIN box ON box.number = payment.box
            WHERE payment.number IN (
                SELECT value::bigint FROM json_array_elements_text($1)
                UNION
                SELECT payment.number FROM json_array_elements($2) AS receipt
                    JOIN box ON merchant = receipt->>0 AND device = receipt->>1
                    JOIN payment ON payment.box = box.number AND payment_id = receipt->>2
                        AND is_refund = (receipt->>3)::bigint
                UNION
                SELECT payment.number FROM json_array_elements($3) AS awakened
                    JOIN box ON merchant = awakened->>0 AND device = awakened->>1
                    JOIN payment ON payment.box = box.number AND due_after IS NOT NULL
            )
            ORDER BY payment.number\(lock ? " FOR UPDATE OF payment" : "")
            """, [numbers, receipts, awakened].map { .text(JSONValue.array($0).text) })
        for row in found {
            guard let payment = PaymentRow(row) else { continue }
            rows[payment.number] = payment
            holders[payment.number] = row.integer("holder")
            self.numbers[Place(box: payment.payment.box, id: payment.payment.notice.id)] = payment.number
        }
    }

    func open(_ number: Int64) -> PaymentRow? {
        guard let lease, holders[number] == lease, let row = rows[number], row.due != nil else { return nil }
        return row
    }

    func row(_ id: PaymentID, of box: BoxID) -> PaymentRow? {
        numbers[Place(box: box, id: id)].flatMap { rows[$0] }
    }

    func open(of box: BoxID) -> [PaymentRow] {
        rows.values.filter { $0.due != nil && $0.payment.box == box }
    }

    mutating func update(_ row: PaymentRow, isReleased: Bool) {
        let before = rows.updateValue(row, forKey: row.number)
        if isReleased { holders[row.number] = nil }
        if isReleased || before != row { changed.insert(row.number) }
    }

    mutating func insertCallbacks(_ rows: [StoredColumns]) { callbacks += rows }

    var isChanged: Bool { !changed.isEmpty }

    func write(on connection: PostgreSQLConnection) throws {
        try connection.update(
            "payment",
            changed.compactMap { rows[$0] }.map { row in
                [("number", .integer(row.number))] + row.changes + [("holder", .integer(holders[row.number]))]
            })
        try connection.insert(callbacks, into: "callback")
    }
}
