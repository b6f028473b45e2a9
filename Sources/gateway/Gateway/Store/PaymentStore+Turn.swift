import GRDB
import SoundboxCore

extension PaymentStore {
    /// What one turn of the connection has brought.
    package struct Turn: Sendable {
        package var receipts: [(box: BoxID, id: PaymentID, answer: DeliveryRules.Answer)] = []
        /// Numbers of payments that the broker has taken, each with the box's session as it was published.
        package var acknowledged: [(number: Int64, sessionEpoch: Int?)] = []
        /// Numbers of payments that the broker has refused.
        package var refused: [(number: Int64, reason: String)] = []
        /// Boxes of which something is known that the file does not say.
        package var changedBoxes: [BoxID] = []
        /// Boxes whose open payments may be due now.
        package var awakened: Set<BoxID> = []

        package init() {}

        package var isEmpty: Bool {
            receipts.isEmpty && acknowledged.isEmpty && refused.isEmpty && changedBoxes.isEmpty && awakened.isEmpty
        }
    }

    /// What a turn has changed.
    package struct TurnOutcome: Sendable, Equatable {
        package var announced: [StoredPayment] = []
        package var ended: [StoredPayment] = []
        package var resent = 0
    }

    /// Stores a turn in one commit.
    ///
    /// - Parameters:
    ///   - boxes: what is known of each box now.
    ///   - start: since when receipts are listened to, as ``Moment/running``.
    package func commit(
        _ turn: Turn, boxes: [BoxID: KnownBox], listeningSince start: Duration, at now: Moment
    ) throws(StoreError) -> TurnOutcome {
        try write { database in
            var step = TurnStep(database: database, boxes: boxes, start: start, now: now)
            // Before receipts: a payment is published before it is stored.
            for (number, epoch) in turn.acknowledged { try step.acknowledge(number, inSession: epoch) }
            for (number, reason) in turn.refused { try step.refuse(number, reason) }
            for (box, id, answer) in turn.receipts { try step.take(answer, for: id, of: box) }
            for box in turn.changedBoxes {
                if let known = boxes[box] { try Self.write(known, of: box, in: database) }
            }
            for box in turn.awakened { try step.awaken(box) }
            return step.outcome
        }
    }

    /// Puts payments off, and gives up others, in one commit.
    package func settle(
        waiting: [(number: Int64, until: Duration)], givenUp: [Int64], at now: Timestamp
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
                row.payment.state = .givenUp
                row.payment.stateSince = now
                row.payment.reason = row.payment.reason ?? "the box has not stored it within 72 hours"
                try row.update(in: database, due: nil)
            }
        }
    }

    /// Whether all open payments of a box were published in this session.
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

    /// Makes all open payments due: first those that were never published. Thousands of a box that is away, which are
    /// only looked at, must not delay a new one.
    func awaken() throws(StoreError) {
        try write {
            try $0.execute(
                sql: "UPDATE payment SET due_after = (published_at IS NOT NULL) WHERE due_after IS NOT NULL")
        }
    }

    /// Writes what is known of boxes, in one commit.
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
    let start: Duration
    let now: Moment
    var outcome = PaymentStore.TurnOutcome()

    mutating func acknowledge(_ number: Int64, inSession epoch: Int?) throws {
        // A receipt may have come first, and ended it.
        guard var row = try open("payment.number = ?", [number]).first else { return }
        if row.payment.published != nil {
            row.payment.resends += 1
            outcome.resent += 1
        } else {
            // The broker had refused it so often.
            row.payment.resends = 0
        }
        if row.payment.state == .accepted { (row.payment.state, row.payment.stateSince) = (.published, now.time) }
        row.payment.published = now
        row.payment.sessionEpoch = epoch
        row.payment.reason = nil
        try row.update(in: database, due: due(row.payment))
    }

    func refuse(_ number: Int64, _ reason: String) throws {
        guard var row = try open("payment.number = ?", [number]).first else { return }
        row.payment.reason = "the broker refuses it: \(reason)"
        row.payment.resends += 1
        try row.update(in: database, due: now.running + DeliveryRules.wait(after: row.payment.resends - 1))
    }

    mutating func take(_ answer: DeliveryRules.Answer, for id: PaymentID, of box: BoxID) throws {
        // Not every payment of a box comes from here.
        guard let number = try PaymentStore.existingNumber(of: box, in: database),
            var row = try PaymentStore.payment(id, ofBox: number, in: database)
        else { return }
        // Receipts may come twice, also one that has refused a payment which was posted again since, corrected.
        if let number = answer.number {
            if let last = row.payment.lastReceipt, !number.isNewer(than: last) { return }
            row.payment.lastReceipt = number
        }
        switch DeliveryRules.outcome(of: answer, in: row.payment.state) {
        case .nothing:
            // Such as a copy with another amount, of a payment that another sender has published.
            if answer.state == .duplicate, let reason = answer.reason { row.payment.reason = reason }
            try row.update(in: database, due: row.payment.state.isOpen ? due(row.payment) : nil)
        case .becomes(let state):
            (row.payment.state, row.payment.stateSince) = (state, now.time)
            row.payment.how = answer.how
            // What was said of it as it was stored stays.
            row.payment.reason = answer.reason ?? (state == .stored ? nil : row.payment.reason)
            try row.update(in: database, due: nil)
            if state == .announced { outcome.announced.append(row.payment) }
            if state != .stored { outcome.ended.append(row.payment) }
        case .resend:
            (row.payment.state, row.payment.stateSince) = (.published, now.time)
            row.payment.published = now
            row.payment.reason = answer.reason
            try row.update(in: database, due: due(row.payment))
        }
    }

    func awaken(_ box: BoxID) throws {
        guard let number = try PaymentStore.existingNumber(of: box, in: database) else { return }
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
