import GRDB

/// A column of a table whose rows carry a checksum: its name, and how a record's value goes into a cell and comes back.
struct Column<Record>: Sendable {
    let name: String
    fileprivate let cell: @Sendable (Record) -> Cell
    /// - Returns: `false` for a value that no version of this program writes.
    fileprivate let read: @Sendable (Cell, inout Record) -> Bool
    fileprivate var isChecksum = false

    /// A column that holds one value of the record.
    static func field<Value: CellValue>(
        _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable
    ) -> Column {
        Column(name: name) {
            $0[keyPath: path].cell
        } read: { cell, record in
            guard let value = Value(cell: cell) else { return false }
            record[keyPath: path] = value
            return true
        }
    }

    /// The row's number.
    static func sequence(_ path: any WritableKeyPath<Record, Int64> & Sendable) -> Column {
        Column(name: "sequence") {
            .integer($0[keyPath: path])
        } read: { cell, record in
            guard let number = cell.integer, (1...maximumSequence).contains(number) else { return false }
            record[keyPath: path] = number
            return true
        }
    }

    /// A column that can only be read together with others: ``CheckedRecord/init(parts:)`` does that.
    static func part(_ name: String, _ value: @escaping @Sendable (Record) -> some CellValue) -> Column {
        Column(name: name) {
            value($0).cell
        } read: { _, _ in
            true
        }
    }

    static var checksum: Column {
        Column(
            name: "checksum", cell: { _ in .null }, read: { _, _ in true }, isChecksum: true)
    }
}

/// All columns of a table, in the order of the file: SQL, checksum, encoding and decoding of a row are made from them.
///
/// A migration adds columns behind the checksum, where SQLite puts them, and they may be NULL. Rows from before it lack
/// them and stay valid: NULLs at a row's end, behind the checksum, do not count.
struct Columns<Record: CheckedRecord>: Sendable, ExpressibleByArrayLiteral {
    let names: ColumnNames
    private let columns: [Column<Record>]
    private let checksumPlace: Int

    init(arrayLiteral columns: Column<Record>...) {
        self.columns = columns
        names = ColumnNames(columns.map(\.name))
        checksumPlace = columns.firstIndex(where: \.isChecksum)!
    }

    func cells(of record: Record, in table: CheckedTable) -> [Cell] {
        var cells = columns.map { $0.cell(record) }
        cells[checksumPlace] = checksum(of: cells, in: table)
        return cells
    }

    /// - Parameter stored: the row as it is in the file.
    func record(_ stored: [Cell], of table: CheckedTable) throws(DamagedRow) -> Record {
        let damaged = DamagedRow(sequence: stored.first?.integer ?? 0)
        guard checksumPlace < stored.count, stored.count <= columns.count else { throw damaged }
        let cells = stored + repeatElement(.null, count: columns.count - stored.count)
        guard cells[checksumPlace] == checksum(of: cells, in: table), var record = Record(parts: cells) else {
            throw damaged
        }
        for (column, cell) in zip(columns, cells) {
            guard column.read(cell, &record) else { throw damaged }
        }
        return record
    }

    private func checksum(of cells: [Cell], in table: CheckedTable) -> Cell {
        let later = cells[(checksumPlace + 1)...]
        let end = later.lastIndex { $0 != .null }.map { $0 + 1 } ?? later.startIndex
        return .integer(table.checksum(of: cells[..<checksumPlace], later[..<end]))
    }
}

/// The names of a table's columns, as its statements need them.
struct ColumnNames: Sendable {
    let all: [String]
    /// `a, b`.
    let list: String
    /// `?, ?`.
    let marks: String
    /// All but the number, in an upsert.
    let excluded: String

    init(_ names: [String]) {
        all = names
        list = names.joined(separator: ", ")
        marks = names.map { _ in "?" }.joined(separator: ", ")
        excluded = names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    }
}

/// A whole row of a table whose rows carry a checksum.
protocol CheckedRecord: Sendable {
    static var columns: Columns<Self> { get }

    /// A record with the values that several columns make, or that cannot be set by themselves. The others follow.
    ///
    /// - Parameter cells: in the order of ``columns``.
    /// - Returns: `nil` for values that no version of this program writes.
    init?(parts cells: [Cell])
}

extension CheckedRecord {
    /// - Parameter cells: in the order of ``columns``.
    init(_ cells: [Cell], of table: CheckedTable) throws(DamagedRow) {
        self = try Self.columns.record(cells, of: table)
    }

    init(_ row: Row, of table: CheckedTable) throws(DamagedRow) { try self.init(row.cells, of: table) }

    func cells(of table: CheckedTable) -> [Cell] { Self.columns.cells(of: self, in: table) }

    func arguments(for table: CheckedTable) -> StatementArguments {
        StatementArguments(cells(of: table).map(\.argument))
    }
}
