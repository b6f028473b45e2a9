import GRDB
import SoundboxCore

/// A row whose content no version of this program has written.
struct DamagedRow: Error, CustomStringConvertible {
    var sequence: Int64
    var description: String { "row \(sequence) is damaged" }
}

extension InboxEntry {
    init(row: Row) throws {
        let sequence: Int64 = row["sequence"]
        guard let id = try? PaymentID(row["payment_id"]), let currency = Currency(row["currency"]),
            let money = try? Money(row["amount"] as String, currency),
            let kind = PaymentNotice.Kind(rawValue: row["kind"]), let state = NoticeState(rawValue: row["state"])
        else { throw DamagedRow(sequence: sequence) }
        self.init(
            sequence: sequence,
            notice: PaymentNotice(
                id: id, money: money, kind: kind, channel: row["channel"],
                paidAt: (row["paid_at"] as Int64?).map(Timestamp.init(millisecondsSince1970:))),
            receivedAt: Timestamp(millisecondsSince1970: row["received_at"]), state: state)
    }
}

extension OutgoingReceipt {
    init(row: Row) throws {
        let sequence: Int64 = row["sequence"]
        guard let state = Receipt.State(rawValue: row["state"]) else { throw DamagedRow(sequence: sequence) }
        let receipt = Receipt(
            id: try (row["payment_id"] as String?).map { try PaymentID($0) }, state: state,
            at: Timestamp(millisecondsSince1970: row["at"]), reason: row["reason"])
        self.init(sequence: sequence, payload: receipt.json(sequence: sequence).bytes)
    }
}
