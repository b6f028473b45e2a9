import GRDB
import SoundboxCore

extension SQLitePaymentStore {
    package func commit(
        _ turn: DeliveryTurn, boxes: [BoxID: KnownBox], listeningSince start: Duration, at now: Moment
    ) throws(StoreError) -> DeliveryTurnOutcome {
        try write { database in
            var step = TurnStep(
                database: database, boxes: boxes, receivers: receivers, start: start, now: now)
            // Before receipts: a payment is published before it is stored.
            for (number, epoch) in turn.acknowledged { try step.acknowledge(number, inSession: epoch) }
            for (number, reason) in turn.refused { try step.refuse(number, reason) }
            for (box, id, answer) in turn.receipts { try step.apply(answer, for: id, of: box) }
            for box in turn.changedBoxes {
                if let known = boxes[box] { try Self.write(known, of: box, in: database) }
            }
            for box in turn.awakened { try step.awaken(box) }
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
                .execute(arguments: [until.milliseconds, number])
            }
            for number in givenUp {
                guard var row = try PaymentRow.fetchAll(database, where: "payment.number = ?", [number]).first else {
                    continue
                }
                row.payment.giveUp(at: now)
                try row.update(in: database, due: nil)
                try Self.insertCallbacks(of: row.payment, for: receivers, at: now, in: database)
            }
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
        try database.cachedStatement(
            sql: """
                UPDATE box SET session_epoch = ?, faults = ?, seen_at = ?, said_at = ?, reconciled_epoch = ?,
                    reconciled_after = ? WHERE number = ?
                """
        ).execute(arguments: [
            known.sessionEpoch,
            JSONValue.array(known.faults.map { .string($0) }).text, known.seenAt?.millisecondsSince1970,
            known.said?.millisecondsSince1970,
            known.reconciling?.epoch, known.reconciling?.due?.milliseconds, try number(of: box, in: database),
        ])
    }
}

/// The work of one turn, inside its transaction.
private struct TurnStep {
    let database: Database
    let boxes: [BoxID: KnownBox]
    let receivers: [String: Set<PaymentState>]
    let start: Duration
    let now: Moment
    var outcome = DeliveryTurnOutcome()

    mutating func acknowledge(_ number: Int64, inSession epoch: Int?) throws {
        // A receipt may have come first, and ended it.
        guard var row = try open("payment.number = ?", [number]).first else { return }
        if row.payment.acknowledge(inSession: epoch, at: now) { outcome.resent += 1 }
        try row.update(in: database, due: due(row.payment))
    }

    func refuse(_ number: Int64, _ reason: String) throws {
        guard var row = try open("payment.number = ?", [number]).first else { return }
        let due = row.payment.refuse(reason, at: now)
        try row.update(in: database, due: due)
    }

    mutating func apply(_ answer: DeliveryRules.Answer, for id: PaymentID, of box: BoxID) throws {
        // Not every payment of a box comes from here.
        guard let number = try SQLitePaymentStore.existingNumber(of: box, in: database),
            var row = try SQLitePaymentStore.payment(id, ofBox: number, in: database),
            let result = row.payment.apply(answer, at: now)
        else { return }
        try row.update(in: database, due: row.payment.state.isOpen ? due(row.payment) : nil)
        switch result {
        case .nothing, .resend, .becomes(.stored): return
        // One that was announced before it came here says nothing of how long that takes.
        case .becomes(.announced) where answer.state == .announced: outcome.announced.append(row.payment)
        case .becomes, .failsForAmount: break
        }
        try SQLitePaymentStore.insertCallbacks(of: row.payment, for: receivers, at: now, in: database)
        outcome.ended.append(row.payment)
    }

    func awaken(_ box: BoxID) throws {
        guard let number = try SQLitePaymentStore.existingNumber(of: box, in: database) else { return }
        for row in try open("payment.box = ?", [number]) {
            try row.update(in: database, due: due(row.payment))
        }
    }

    private func open(_ condition: String, _ arguments: StatementArguments) throws -> [PaymentRow] {
        try PaymentRow.fetchAll(database, where: "\(condition) AND due_after IS NOT NULL", arguments)
    }

    private func due(_ payment: StoredPayment) -> Duration {
        switch DeliveryRules.next(payment.waiting, to: boxes[payment.box], listeningSince: start, at: now.running) {
        case .publish, .giveUp: .zero
        case .wait(let until): until
        }
    }
}
