import GRDB
import SoundboxCore

/// A row with values that no version of this program writes.
struct DamagedRow: Error, CustomStringConvertible {
    var sequence: Int64
    var description: String { "row \(sequence) is damaged" }
}

/// A whole row of `notice` or `waiting`.
struct NoticeRecord: CheckedRecord, Equatable {
    var entry: InboxEntry
    var endedAt: Timestamp?
    /// The number of all announcements up to and including this one.
    var announcedNumber: Int?
    /// How it was announced.
    var audibility: Audibility?

    init(
        _ entry: InboxEntry, endedAt: Timestamp? = nil, announcedNumber: Int? = nil, audibility: Audibility? = nil
    ) {
        self.entry = entry
        self.endedAt = endedAt
        self.announcedNumber = announcedNumber
        self.audibility = audibility
    }

    static let columns: Columns<NoticeRecord> = [
        .sequence(\.entry.sequence),
        .part("payment_id", \.entry.notice.id.key),
        .part("amount", \.entry.notice.money.amount.description),
        .part("currency", \.entry.notice.money.currency.code),
        .part("kind", \.entry.notice.kind),
        .field("channel", \.entry.notice.channel),
        .field("paid_at", \.entry.notice.paidAt),
        .field("received_at", \.entry.receivedAt),
        .field("state", \.entry.state),
        .field("ended_at", \.endedAt),
        .field("clock", \.entry.clock),
        .field("announced_number", \.announcedNumber),
        .field("text", \.entry.notice.text),
        .field("how", \.audibility),
        .checksum,
    ]

    init?(parts cells: [Cell]) {
        guard let id = cells[1].paymentID, let amount = cells[2].text,
            let currency = cells[3].text.flatMap(Currency.init), let money = try? Money(amount, currency),
            let kind = PaymentNotice.Kind(cell: cells[4])
        else { return nil }
        entry = InboxEntry(
            sequence: 0, notice: PaymentNotice(id: id, money: money, kind: kind),
            receivedAt: Timestamp(millisecondsSince1970: 0), state: .received)
    }

    var isWaiting: Bool { entry.state == .received }

    /// For ``CheckedTable/updateOfSameID``.
    var argumentsOfUpdate: StatementArguments {
        let cells = cells(of: .notice)
        return StatementArguments((cells.dropFirst(2) + cells.prefix(2)).map(\.argument))
    }
}

extension PaymentID {
    /// The value of a column `payment_id`. A refund's has U+0001 before the id, which no id can contain, so it differs
    /// from its payment's.
    var key: String { isRefund ? Self.refundMark + text : text }

    /// `nil` for an invalid key.
    init?(key: String) {
        let isRefund = key.hasPrefix(Self.refundMark)
        guard let id = try? PaymentID(isRefund ? String(key.unicodeScalars.dropFirst()) : key) else { return nil }
        self = isRefund ? id.of(.refund) : id
    }

    static let refundMark = "\u{1}"
}

extension Cell {
    /// The payment's id, if that much is readable.
    var paymentID: PaymentID? { text.flatMap(PaymentID.init(key:)) }

    /// A time within the years that RFC 3339 can write, plus a day on either side for the offset of a time zone. The
    /// box never writes another time, and arithmetic on one could overflow Int64.
    var timestamp: Timestamp? {
        integer.flatMap { Self.years0To9999.contains($0) ? Timestamp(millisecondsSince1970: $0) : nil }
    }

    private static let years0To9999: ClosedRange<Int64> = -62_167_305_600_000...253_402_387_199_999
}

extension Row {
    var cells: [Cell] { databaseValues.map(Cell.init) }

    /// The row's number. SQLite found the row by it, so it is always there.
    var sequence: Int64 { (self["sequence"] as DatabaseValue?).flatMap(Int64.fromDatabaseValue) ?? 0 }

    /// The payment's id, if that much is readable.
    var paymentID: PaymentID? { (self["payment_id"] as DatabaseValue?).flatMap { Cell($0).paymentID } }

    /// Every column in one line, for the engineer who examines what was set aside.
    var dump: String { map { "\($0)=\($1)" }.joined(separator: " ") }
}
