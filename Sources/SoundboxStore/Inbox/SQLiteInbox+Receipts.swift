import GRDB
import SoundboxCore

extension SQLiteInbox {
    public func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt] {
        var position = sequence
        var receipts: [OutgoingReceipt] = []
        while true {
            let (readable, damaged, last) = try read { database in
                var readable: [OutgoingReceipt] = []
                var damaged: [Damage] = []
                let rows = try Row.fetchAll(
                    database.cachedStatement(
                        sql: """
                            SELECT \(CheckedTable.receipt.columnList) FROM receipt WHERE sequence > ?
                            ORDER BY sequence LIMIT ?
                            """), arguments: [position, limit - receipts.count])
                try Self.checkFound(rows, of: .receipt, after: position, in: database)
                for row in rows {
                    do throws(DamagedRow) { readable.append(try ReceiptRecord(row.cells).outgoing) } catch {
                        damaged.append(Damage(row, origin: .receipt))
                    }
                }
                return (readable, damaged, rows.last?.sequence)
            }
            receipts += readable
            guard !damaged.isEmpty, let last else { return receipts }
            setAside(damaged)
            position = last
        }
    }

    public func removeReceipts(_ sequences: [Int64]) throws(InboxError) {
        try write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM receipt WHERE sequence = ?")
            for sequence in sequences { try statement.execute(arguments: [sequence]) }
        }
    }

    static func insert(_ receipt: Receipt, into database: Database) throws {
        let record = ReceiptRecord(sequence: try lastNumber(of: .receipt, in: database) + 1, receipt: receipt)
        try database.cachedStatement(sql: CheckedTable.receipt.upsert).execute(arguments: record.arguments)
    }

    /// The highest number that a row of the table ever had. The checksum covers the number, so it must be known before the
    /// row is written.
    static func lastNumber(of table: CheckedTable, in database: Database) throws -> Int64 {
        // A page that was lost may have taken the newest numbers of `notice` with it, but not those of `waiting`.
        let copies = table == .notice ? ", (SELECT max(sequence) FROM waiting)" : ""
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT (SELECT seq FROM sqlite_sequence WHERE name = '\(table.rawValue)'),
                        (SELECT max(sequence) FROM \(table.rawValue))\(copies)
                    """))
        let cells = row?.cells ?? []
        let numbers = cells.filter { $0 != .null }.map { $0.integer ?? .max }
        guard let last = numbers.max() else { return 0 }
        guard 0..<maximumSequence ~= last else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "the number of the last \(table.rawValue) is \(last)")
        }
        return last
    }
}
