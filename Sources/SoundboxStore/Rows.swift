import GRDB
import SoundboxCore

/// A row whose content no version of this program has written.
struct DamagedRow: Error, CustomStringConvertible {
    var sequence: Int64
    var description: String { "row \(sequence) is damaged" }
}

extension Row {
    /// The column's value; `nil` for NULL and for anything that is no such value. GRDB's own subscript ends the process
    /// on a value of another type, which a damaged file may hold.
    fileprivate func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self)
        -> Value?
    {
        Value.fromDatabaseValue(self[column] as DatabaseValue? ?? .null)
    }

    /// The row number, which is where SQLite found the row and so is always there.
    var sequence: Int64 { value("sequence") ?? 0 }

    /// The payment's id, when that much is readable.
    var paymentID: PaymentID? { value("payment_id").flatMap { try? PaymentID($0) } }

    var state: String? { value("state") }

    /// What a receipt is about; `nil` when that is unreadable.
    var subject: Receipt.Subject? {
        if (self["command"] as DatabaseValue? ?? .null).isNull {
            return self["payment_id"] == nil || paymentID != nil ? .payment(paymentID) : nil
        }
        guard let text = value("command", as: String.self) else { return nil }
        return text.isEmpty ? .command(nil) : (try? CommandID(text)).map { .command($0) }
    }

    /// Every column in one line, for the engineer who looks into what was set aside.
    var dump: String { map { "\($0)=\($1)" }.joined(separator: " ") }
}

extension InboxEntry {
    init(row: Row) throws(DamagedRow) {
        guard let id = row.paymentID, let currency = row.value("currency").flatMap(Currency.init),
            let amount = row.value("amount", as: String.self), let money = try? Money(amount, currency),
            let kind = row.value("kind").flatMap(PaymentNotice.Kind.init(rawValue:)),
            let state = row.state.flatMap(NoticeState.init(rawValue:)),
            let receivedAt = row.value("received_at", as: Int64.self)
        else { throw DamagedRow(sequence: row.sequence) }
        self.init(
            sequence: row.sequence,
            notice: PaymentNotice(
                id: id, money: money, kind: kind, channel: row.value("channel"),
                paidAt: row.value("paid_at").map(Timestamp.init(millisecondsSince1970:))),
            receivedAt: Timestamp(millisecondsSince1970: receivedAt),
            clockWasSet: row.value("clock_was_set") ?? true, state: state)
    }
}

extension OutgoingReceipt {
    init(row: Row) throws(DamagedRow) {
        guard let state = row.state.flatMap(Receipt.State.init(rawValue:)), let at = row.value("at", as: Int64.self),
            let subject = row.subject
        else { throw DamagedRow(sequence: row.sequence) }
        let receipt = Receipt(
            subject, state: state, at: Timestamp(millisecondsSince1970: at), reason: row.value("reason"),
            summary: row.value("summary"))
        self.init(sequence: row.sequence, payload: receipt.json(sequence: row.sequence).bytes)
    }
}
