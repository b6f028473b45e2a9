import GRDB
import SoundboxCore

/// A row with values that no version of this program writes.
struct DamagedRow: Error, CustomStringConvertible {
    var sequence: Int64
    var description: String { "row \(sequence) is damaged" }
}

/// A whole row of `notice` or `waiting`.
struct NoticeRecord: Sendable, Equatable {
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

    /// - Parameter cells: in the order of ``CheckedTable/columns``.
    init(_ cells: [Cell], of table: CheckedTable) throws(DamagedRow) {
        let sequence = cells.first?.integer ?? 0
        guard table.fits(cells), (1...maximumSequence).contains(sequence), let id = cells[1].paymentID,
            let currency = cells[3].text.flatMap(Currency.init), let amount = cells[2].text,
            let money = try? Money(amount, currency),
            let kind = cells[4].text.flatMap(PaymentNotice.Kind.init(rawValue:)),
            let receivedAt = cells[7].timestamp, let state = cells[8].text.flatMap(NoticeState.init(rawValue:)),
            state != .announcing,
            cells[5] == .null || cells[5].text != nil, cells[6] == .null || cells[6].timestamp != nil,
            cells[9] == .null || cells[9].timestamp != nil, let clock = cells[10].integer.flatMap(ClockTrust.init),
            cells[12] == .null || cells[12].text != nil
        else { throw DamagedRow(sequence: sequence) }
        entry = InboxEntry(
            sequence: sequence,
            notice: PaymentNotice(
                id: id, money: money, kind: kind, channel: cells[5].text, paidAt: cells[6].timestamp,
                text: cells[12].text),
            receivedAt: receivedAt, clock: clock, state: state)
        endedAt = cells[9].timestamp
        if cells[11] != .null {
            guard let number = cells[11].integer, (0...maximumSequence).contains(number) else {
                throw DamagedRow(sequence: sequence)
            }
            announcedNumber = Int(number)
        }
        if cells[13] != .null {
            guard let audibility = cells[13].text.flatMap(Audibility.init(rawValue:)) else {
                throw DamagedRow(sequence: sequence)
            }
            self.audibility = audibility
        }
    }

    init(_ row: Row, of table: CheckedTable) throws(DamagedRow) { try self.init(row.cells, of: table) }

    var isWaiting: Bool { entry.state == .received }

    func cells(of table: CheckedTable) -> [Cell] {
        let notice = entry.notice
        var cells: [Cell] = [
            .integer(entry.sequence), .text(notice.id.key), .text(notice.money.amount.description),
            .text(notice.money.currency.code), .text(notice.kind.rawValue), Cell(notice.channel),
            Cell(notice.paidAt?.millisecondsSince1970), .integer(entry.receivedAt.millisecondsSince1970),
            .text(entry.state.rawValue), Cell(endedAt?.millisecondsSince1970), .integer(entry.clock.rawValue),
            Cell(announcedNumber.map(Int64.init)), Cell(notice.text), Cell(audibility?.rawValue),
        ]
        cells.append(.integer(table.checksum(of: cells)))
        return cells
    }

    func arguments(for table: CheckedTable) -> StatementArguments {
        StatementArguments(cells(of: table).map(\.argument))
    }

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
