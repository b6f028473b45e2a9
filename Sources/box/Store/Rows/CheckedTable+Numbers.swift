import GRDB

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
