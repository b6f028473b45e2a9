import SoundboxCore

/// A row of the table `payment`, with the names of its box.
struct PaymentRow: Equatable {
    let number: Int64
    var payment: StoredPayment
    /// When it is to be looked at, as ``Moment/running``; `nil` unless it is open.
    var due: Duration?

    /// - Returns: `nil` for one that this program cannot have written: a row that was changed by hand must not hold up
    ///   all others.
    init?(_ row: some StoredRow) {
        guard let number = row.integer("number"), let id = row.text("payment_id"),
            let notice = row.text("notice").flatMap({ NoticeDocument($0) }),
            let state = row.text("state").flatMap(PaymentState.init), let accepted = row.moment("accepted"),
            let since = row.time("state_since"), let box = row.box,
            // By these it was found.
            notice.id.text == id, notice.id.isRefund == (row.integer("is_refund") == 1)
        else { return nil }
        self.number = number
        due = row.integer("due_after").map { .milliseconds($0) }
        payment = StoredPayment(box: box, notice: notice, accepted: accepted)
        payment.sender = row.text("hook").map { .hook($0) } ?? row.text("token").map { .token($0) }
        payment.state = state
        payment.stateSince = since
        payment.how = row.text("how")
        payment.reason = row.text("reason")
        if let epoch = row.text("receipt_epoch"), let sequence = row.integer("receipt_sequence") {
            payment.lastReceipt = ReceiptNumber(epoch: epoch, sequence: Int(sequence))
        }
        payment.published = row.moment("published")
        payment.resends = Int(row.integer("resends") ?? 0)
        payment.sessionEpoch = row.integer("session_epoch").map { Int($0) }
        payment.hasFailedForAmount = row.integer("has_failed_for_amount") == 1
    }

    /// What changes in the life of a payment.
    var changes: StoredColumns {
        [
            ("state", .text(payment.state.rawValue)), ("state_since", .time(payment.stateSince)),
            ("how", .text(payment.how)), ("reason", .text(payment.reason)),
            ("receipt_epoch", .text(payment.lastReceipt?.epoch)),
            ("receipt_sequence", .number(payment.lastReceipt?.sequence)),
            ("published_at", .time(payment.published?.time)), ("published_after", .span(payment.published?.running)),
            ("resends", .number(payment.resends)), ("session_epoch", .number(payment.sessionEpoch)),
            ("due_after", .span(due)), ("has_failed_for_amount", .flag(payment.hasFailedForAmount)),
        ]
    }

    /// A new row, apart from its box.
    ///
    static func columns(
        of notice: PaymentNotice, from sender: PaymentSender?, lastReceipt: ReceiptNumber?, at now: Moment
    ) -> StoredColumns {
        [
            ("payment_id", .text(notice.id.text)), ("is_refund", .flag(notice.id.isRefund)),
            ("hook", .text(sender?.hook)), ("token", .text(sender?.token)),
            ("notice", .text(NoticeDocument(notice, accepted: now.time).text)), ("accepted_at", .time(now.time)),
            ("accepted_after", .span(now.running)), ("state", .text(PaymentState.accepted.rawValue)),
            ("state_since", .time(now.time)), ("receipt_epoch", .text(lastReceipt?.epoch)),
            ("receipt_sequence", .number(lastReceipt?.sequence)), ("resends", .integer(0)), ("due_after", .integer(0)),
        ]
    }
}
