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

/// CRC-32C (Castagnoli): detects every flipped bit, every two flipped bits in a row of the inbox's length, and every
/// burst of up to 32 bits; it misses one in four thousand million of other errors. Parameters and test vectors: RFC
/// 3720, appendix B.4.
struct CRC32C {
    private var remainder = UInt32.max

    var value: UInt32 { ~remainder }

    mutating func update(_ byte: UInt8) {
        remainder = Self.table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { update(byte) }
    }

    /// Least significant byte first, on every processor.
    mutating func update(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { update(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// The remainders of all bytes, for the polynomial 1EDC6F41 with its bits reversed.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { remainder, _ in
            remainder & 1 == 1 ? 0x82F6_3B78 ^ (remainder >> 1) : remainder >> 1
        }
    }
}

extension CheckedTable {
    /// The highest number that a row of the table ever had. The checksum covers the number, so it must be known before
    /// the row is written.
    func lastNumber(in database: Database) throws -> Int64 {
        // A lost page may have held the newest numbers of `notice`, but not those of `waiting`.
        let copies = self == .notice ? ", (SELECT max(sequence) FROM waiting)" : ""
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT (SELECT seq FROM sqlite_sequence WHERE name = '\(rawValue)'),
                        (SELECT max(sequence) FROM \(rawValue))\(copies)
                    """))
        let cells = row?.cells ?? []
        let numbers = cells.filter { $0 != .null }.map { $0.integer ?? .max }
        guard let last = numbers.max() else { return 0 }
        guard 0..<maximumSequence ~= last else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "the number of the last \(rawValue) is \(last)")
        }
        return last
    }
}
