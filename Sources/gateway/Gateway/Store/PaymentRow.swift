import GRDB
import SoundboxCore

/// A row of the table `payment`, with the names of its box.
struct PaymentRow {
    let number: Int64
    var payment: StoredPayment

    /// Without the rows that this program cannot have written: one that was changed by hand must not hold up all others.
    static func fetchAll(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [PaymentRow] {
        var unreadable: [Int64] = []
        return try fetchAll(database, where: condition, arguments, unreadable: &unreadable)
    }

    /// - Parameter unreadable: gets the numbers of the rows that are left out.
    static func fetchAll(
        _ database: Database, where condition: String, _ arguments: StatementArguments, unreadable: inout [Int64]
    ) throws -> [PaymentRow] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT payment.*, merchant, device FROM payment JOIN box ON box.number = payment.box WHERE \(condition)
                """)
        return try Row.fetchAll(statement, arguments: arguments).compactMap { row in
            let payment = PaymentRow(row)
            if payment == nil { unreadable.append(row["number"]) }
            return payment
        }
    }

    private init?(_ row: Row) {
        number = row["number"]
        func time(_ column: String) -> Timestamp? {
            (row[column] as Int64?).map(Timestamp.init(millisecondsSince1970:))
        }
        func moment(_ name: String) -> Moment? {
            guard let time = time("\(name)_at"), let after = row["\(name)_after"] as Int64? else { return nil }
            return Moment(time: time, running: .milliseconds(after))
        }
        guard let notice = NoticeDocument(row["notice"]), let state = PaymentState(rawValue: row["state"]),
            let accepted = moment("accepted"), let since = time("state_since"),
            // By these it was found.
            notice.id.text == row["payment_id"], notice.id.isRefund == row["is_refund"],
            let box = try? BoxID(merchant: row["merchant"], device: row["device"])
        else { return nil }
        payment = StoredPayment(box: box, notice: notice, accepted: accepted)
        payment.state = state
        payment.stateSince = since
        payment.how = row["how"]
        payment.reason = row["reason"]
        if let epoch = row["receipt_epoch"] as String?, let sequence = row["receipt_sequence"] as Int? {
            payment.lastReceipt = ReceiptNumber(epoch: epoch, sequence: sequence)
        }
        payment.published = moment("published")
        payment.resends = row["resends"]
        payment.sessionEpoch = row["session_epoch"]
        payment.hasFailedForAmount = row["has_failed_for_amount"]
    }

    /// Writes what changes in the life of a payment.
    ///
    /// - Parameter due: ``Moment/running``; `nil` unless it is open.
    func update(in database: Database, due: Duration?) throws {
        try database.cachedStatement(
            sql: """
                UPDATE payment SET state = ?, state_since = ?, how = ?, reason = ?, receipt_epoch = ?,
                    receipt_sequence = ?, published_at = ?, published_after = ?, resends = ?, session_epoch = ?, due_after = ?,
                    has_failed_for_amount = ?
                WHERE number = ?
                """
        ).execute(arguments: [
            payment.state.rawValue, payment.stateSince.millisecondsSince1970, payment.how, payment.reason,
            payment.lastReceipt?.epoch, payment.lastReceipt?.sequence, payment.published?.time.millisecondsSince1970,
            payment.published?.running.milliseconds,
            payment.resends, payment.sessionEpoch, due?.milliseconds, payment.hasFailedForAmount, number,
        ])
    }
}
