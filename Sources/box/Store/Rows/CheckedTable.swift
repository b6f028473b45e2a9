import GRDB

/// A value of a row as it is in the file, before it is checked.
enum Cell: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    /// A value that no column of the inbox holds: a blob, a floating-point number, text that is not UTF-8.
    case unfit

    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        case .string(let text): self = .text(text)
        case .double, .blob: self = .unfit
        }
    }

    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// `nil` for NULL and for a value that cannot be written back.
    var argument: (any DatabaseValueConvertible)? {
        switch self {
        case .null, .unfit: nil
        case .integer(let integer): integer
        case .text(let text): text
        }
    }
}

/// A table whose rows carry a checksum.
enum CheckedTable: String, Sendable, CaseIterable {
    /// Every payment.
    case notice
    /// A second copy of the waiting payments, on pages of its own.
    case waiting
    case receipt
    /// Rings and sentences that have not ended.
    case customMessage = "custom_message"

    var columns: ColumnNames {
        switch self {
        case .notice, .waiting: NoticeRecord.columns.names
        case .receipt: ReceiptRecord.columns.names
        case .customMessage: CustomMessageRecord.columns.names
        }
    }

    var columnList: String { columns.list }

    /// Writes a whole row, replacing the row with the same sequence.
    var upsert: String {
        let columns = columns
        return """
            INSERT INTO \(rawValue) (\(columns.list)) VALUES (\(columns.marks)) \
            ON CONFLICT (sequence) DO UPDATE SET \(columns.excluded)
            """
    }

    /// Updates a row of the table `notice` with the same sequence and id. SQLite writes an index whenever one of its
    /// columns is set, even to the same value, and that costs a page write.
    var updateOfSameID: String {
        let updates = columns.all.dropFirst(2).map { "\($0) = ?" }.joined(separator: ", ")
        return "UPDATE \(rawValue) SET \(updates) WHERE sequence = ? AND payment_id = ?"
    }

    /// Writes a whole row unless its sequence or its id exists.
    var insertIfNew: String {
        let columns = columns
        return "INSERT INTO \(rawValue) (\(columns.list)) VALUES (\(columns.marks)) ON CONFLICT DO NOTHING"
    }

    /// Covers every value, each with its kind and length, so that no two different rows give the same bytes. Also
    /// covers the table's name, so that no row is valid in another table.
    ///
    /// - Parameter later: the values behind the checksum's own.
    func checksum(of cells: some Sequence<Cell>, _ later: some Sequence<Cell> = []) -> Int64 {
        var checksum = CRC32C()
        checksum.update(rawValue.utf8)
        for cell in cells { checksum.update(cell) }
        for cell in later { checksum.update(cell) }
        return Int64(checksum.value)
    }
}

extension CRC32C {
    fileprivate mutating func update(_ cell: Cell) {
        switch cell {
        case .null: update(0 as UInt8)
        case .integer(let integer):
            update(1 as UInt8)
            update(integer)
        case .text(let text):
            update(2 as UInt8)
            update(Int64(text.utf8.count))
            update(text.utf8)
        case .unfit: update(3 as UInt8)
        }
    }
}

/// The largest number of a row. A JSON number holds it exactly in every language (RFC 8259, section 6), and a payment
/// every millisecond would not reach it in 285,000 years. Above 2⁶³ − 1, SQLite refuses every further row.
let maximumSequence: Int64 = 1 << 53
