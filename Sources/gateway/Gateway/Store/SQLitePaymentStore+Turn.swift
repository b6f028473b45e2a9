import GRDB
import SoundboxCore
import SoundboxSystem

extension SQLitePaymentStore {
    package func commit(
        _ turn: DeliveryTurn, boxes: [BoxID: KnownBox], listeningSince start: Duration, at now: Moment
    ) throws(StoreError) -> DeliveryTurnOutcome {
        func step(_ database: Database, isTrial: Bool) throws -> DeliveryStep<SQLitePaymentRows> {
            var step = DeliveryStep(
                rows: SQLitePaymentRows(database: database, isTrial: isTrial), boxes: boxes, receivers: receivers,
                listeningSince: start, at: now)
            try step.apply(turn)
            return step
        }
        // Each commit waits for the disk.
        if turn.isPerhapsKnown, turn.changedBoxes.isEmpty, try read({ try !step($0, isTrial: true).rows.isChanged }) {
            return DeliveryTurnOutcome()
        }
        return try write { database in
            let step = try step(database, isTrial: false)
            for box in turn.changedBoxes {
                if let known = boxes[box] { try Self.write(known, of: box, in: database) }
            }
            return step.outcome
        }
    }

    package func settle(
        waiting: [(number: Int64, until: Duration)], givenUp: [Int64], at now: Moment
    ) throws(StoreError) {
        try write { database in
            for (number, until) in waiting {
                try database.cachedStatement(
                    sql: "UPDATE payment SET due_after = ? WHERE number = ? AND due_after IS NOT NULL"
                )
                .execute(arguments: [until.inMilliseconds, number])
            }
            var step = DeliveryStep(
                rows: SQLitePaymentRows(database: database), receivers: receivers, at: now)
            try step.giveUp(givenUp)
        }
    }

    package func isPublishedAgain(_ box: BoxID, in epoch: Int) throws(StoreError) -> Bool {
        try read { database in
            guard let number = try Self.existingNumber(of: box, in: database) else { return true }
            return try Int.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT 1 FROM payment WHERE payment.box = ? AND due_after IS NOT NULL
                            AND (published_at IS NULL OR session_epoch IS NULL OR session_epoch < ?) LIMIT 1
                        """), arguments: [number, epoch]) == nil
        }
    }

    package func awaken() throws(StoreError) {
        try write {
            try $0.execute(
                sql: "UPDATE payment SET due_after = (published_at IS NOT NULL) WHERE due_after IS NOT NULL")
        }
    }

    package func write(_ boxes: [BoxID: KnownBox]) throws(StoreError) {
        try write { database in
            for (box, known) in boxes { try Self.write(known, of: box, in: database) }
        }
    }

    fileprivate static func write(_ known: KnownBox, of box: BoxID, in database: Database) throws {
        try database.update("box", number: try number(of: box, in: database), known.columns)
    }
}

/// Rows, read and written one by one.
private struct SQLitePaymentRows: PaymentRows {
    let database: Database
    /// Writes nothing: only whether something would change is asked.
    var isTrial = false
    private(set) var isChanged = false

    init(database: Database, isTrial: Bool = false) { (self.database, self.isTrial) = (database, isTrial) }

    func open(_ number: Int64) throws -> PaymentRow? { try open("payment.number = ?", [number]).first }

    func row(_ id: PaymentID, of box: BoxID) throws -> PaymentRow? {
        guard let number = try SQLitePaymentStore.existingNumber(of: box, in: database) else { return nil }
        return try SQLitePaymentStore.payment(id, ofBox: number, in: database)
    }

    func open(of box: BoxID) throws -> [PaymentRow] {
        guard let number = try SQLitePaymentStore.existingNumber(of: box, in: database) else { return [] }
        return try open("payment.box = ?", [number])
    }

    private func open(_ condition: String, _ arguments: StatementArguments) throws -> [PaymentRow] {
        try PaymentRow.fetchAll(database, where: "\(condition) AND due_after IS NOT NULL", arguments)
    }

    mutating func update(_ row: PaymentRow, isReleased: Bool) throws {
        guard isTrial else { return try database.update("payment", number: row.number, row.changes) }
        if try PaymentRow.fetchAll(database, where: "payment.number = ?", [row.number]).first != row {
            isChanged = true
        }
    }

    func insertCallbacks(_ rows: [StoredColumns]) throws {
        guard !isTrial else { return }
        for row in rows { try database.insert(row, into: "callback") }
    }
}
