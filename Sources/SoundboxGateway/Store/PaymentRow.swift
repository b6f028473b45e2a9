import GRDB
import SoundboxCore

/// A row of the table `payment`, with the names of its box.
struct PaymentRow {
    let number: Int64
    var payment: StoredPayment

    static func fetchAll(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [PaymentRow] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT payment.*, merchant, device FROM payment JOIN box ON box.number = payment.box WHERE \(condition)
                """)
        return try Row.fetchAll(statement, arguments: arguments).map(PaymentRow.init)
    }

    /// - Throws: for a row that this program cannot have written.
    private init(_ row: Row) throws {
        number = row["number"]
        func time(_ column: String) -> Timestamp? {
            (row[column] as Int64?).map(Timestamp.init(millisecondsSince1970:))
        }
        guard let currency = Currency(row["currency"]), let kind = PaymentNotice.Kind(rawValue: row["kind"]),
            let state = PaymentState(rawValue: row["state"]), let acceptedAt = time("accepted_at"),
            let since = time("state_since"), let money = try? Money(row["amount"] as String, currency),
            let id = try? PaymentID(row["payment_id"]),
            let box = try? BoxID(merchant: row["merchant"], device: row["device"])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "payment \(number) cannot be read") }
        payment = StoredPayment(
            box: box,
            notice: PaymentNotice(
                id: id, money: money, kind: kind, channel: row["channel"], paidAt: time("paid_at"), text: row["text"]),
            acceptedAt: acceptedAt)
        payment.state = state
        payment.stateSince = since
        payment.how = row["how"]
        payment.reason = row["reason"]
        payment.publishedAt = time("published_at")
        payment.resends = row["resends"]
        payment.sessionEpoch = row["session_epoch"]
    }

    /// Writes what changes in the life of a payment.
    ///
    /// - Parameter dueAt: `nil` unless it is open.
    func update(in database: Database, dueAt: Timestamp?) throws {
        try database.cachedStatement(
            sql: """
                UPDATE payment SET state = ?, state_since = ?, how = ?, reason = ?, published_at = ?, resends = ?,
                    session_epoch = ?, due_at = ? WHERE number = ?
                """
        ).execute(arguments: [
            payment.state.rawValue, payment.stateSince.millisecondsSince1970, payment.how, payment.reason,
            payment.publishedAt?.millisecondsSince1970, payment.resends, payment.sessionEpoch,
            dueAt?.millisecondsSince1970, number,
        ])
    }
}
