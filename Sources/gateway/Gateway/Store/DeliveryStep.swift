import SoundboxCore

/// The rows of payments, inside a transaction.
protocol PaymentRows {
    /// One that is open, unless another gateway holds it.
    mutating func open(_ number: Int64) throws -> PaymentRow?

    mutating func row(_ id: PaymentID, of box: BoxID) throws -> PaymentRow?

    /// All that are open.
    mutating func open(of box: BoxID) throws -> [PaymentRow]

    /// Writes what has changed of a payment and when it is due.
    ///
    /// - Parameter isReleased: its publication has ended, so that any gateway may look at it.
    mutating func update(_ row: PaymentRow, isReleased: Bool) throws

    mutating func insertCallbacks(_ rows: [StoredColumns]) throws
}

/// What a turn of the connection makes of payments. The same in every database.
///
///     var step = DeliveryStep(rows: rows, boxes: boxes, receivers: receivers, listeningSince: start, at: now)
///     try step.apply(turn)
///     return step.outcome
struct DeliveryStep<Rows: PaymentRows> {
    private(set) var rows: Rows
    private(set) var outcome = DeliveryTurnOutcome()
    private let boxes: [BoxID: KnownBox]
    private let receivers: [String: Set<PaymentState>]
    private let start: Duration
    private let now: Moment

    init(
        rows: Rows, boxes: [BoxID: KnownBox] = [:], receivers: [String: Set<PaymentState>],
        listeningSince start: Duration = .zero, at now: Moment
    ) {
        (self.rows, self.boxes, self.receivers, self.start, self.now) = (rows, boxes, receivers, start, now)
    }

    /// What of a turn concerns payments.
    mutating func apply(_ turn: DeliveryTurn) throws {
        // Before receipts: a payment is published before it is stored.
        for (number, epoch) in turn.acknowledged {
            // A receipt may have come first, and ended it.
            guard var row = try rows.open(number) else { continue }
            if row.payment.acknowledge(inSession: epoch, at: now) { outcome.resent += 1 }
            row.due = due(row.payment)
            try rows.update(row, isReleased: true)
        }
        for (number, reason) in turn.refused {
            guard var row = try rows.open(number) else { continue }
            row.due = row.payment.refuse(reason, at: now)
            try rows.update(row, isReleased: true)
        }
        for (box, id, answer) in turn.receipts { try apply(answer, for: id, of: box) }
        for box in turn.awakened {
            for var row in try rows.open(of: box) {
                row.due = due(row.payment)
                try rows.update(row, isReleased: false)
            }
        }
    }

    private mutating func apply(_ answer: DeliveryRules.Answer, for id: PaymentID, of box: BoxID) throws {
        // Not every payment of a box comes from here.
        guard var row = try rows.row(id, of: box), let result = row.payment.apply(answer, at: now) else { return }
        row.due = row.payment.state.isOpen ? due(row.payment) : nil
        try rows.update(row, isReleased: false)
        switch result {
        case .nothing, .resend, .becomes(.stored): return
        // One that was announced before it came here says nothing of how long that takes.
        case .becomes(.announced) where answer.state == .announced: outcome.announced.append(row.payment)
        case .becomes, .failsForAmount: break
        }
        try rows.insertCallbacks(Callback.columns(of: row.payment, for: receivers, at: now))
        outcome.ended.append(row.payment)
    }

    mutating func giveUp(_ numbers: [Int64]) throws {
        for number in numbers {
            guard var row = try rows.open(number) else { continue }
            row.payment.giveUp(at: now)
            row.due = nil
            try rows.update(row, isReleased: true)
            try rows.insertCallbacks(Callback.columns(of: row.payment, for: receivers, at: now))
        }
    }

    private func due(_ payment: StoredPayment) -> Duration {
        switch DeliveryRules.next(payment.waiting, to: boxes[payment.box], listeningSince: start, at: now.running) {
        case .publish, .giveUp: .zero
        case .wait(let until): until
        }
    }
}
