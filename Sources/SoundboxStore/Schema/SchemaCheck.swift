import GRDB

/// Checks that the tables are as the migrations have made them.
///
/// SQLite keeps the schema as text. A flipped bit in that text makes another table of it, such as one that refuses a state
/// or lacks a column. `PRAGMA integrity_check` does not notice, and every commit fails.
enum SchemaCheck {
    /// - Returns: what is wrong; `nil` when nothing is.
    static func problem(in database: Database) throws -> String? {
        let applied = try Migrations.all.appliedIdentifiers(database)
        // A file without migrations is new, or belongs to another program, on which the first migration fails.
        guard let last = Migrations.all.migrations.last(where: applied.contains) else { return nil }
        let made = try DatabaseQueue()
        try Migrations.all.migrate(made, upTo: last)
        let expected = try made.read(objects)
        let found = Set(try objects(of: database))
        if let missing = expected.first(where: { !found.contains($0) }) {
            return "\(missing.type) \(missing.name) is not as it was made"
        }
        return try numberProblem(in: database)
    }

    /// With a number beyond every range, SQLite refuses each further row as if the disk were full.
    private static func numberProblem(in database: Database) throws -> String? {
        guard try database.tableExists("notice") else { return nil }
        for row in try Row.fetchAll(database, sql: "SELECT name, seq FROM sqlite_sequence") {
            let cells = row.cells
            guard cells[0].text != nil, let number = cells[1].integer, (0..<maximumSequence).contains(number) else {
                return "the table of row numbers holds \(row.dump)"
            }
        }
        return nil
    }

    private struct Object: Hashable {
        var type: String
        var name: String
        var table: String
        /// The text without blanks: ALTER TABLE leaves other blanks than CREATE TABLE.
        var words: [Substring]
    }

    private static func objects(of database: Database) throws -> [Object] {
        try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").map {
            row in
            let cells = row.cells
            return Object(
                type: cells[0].text ?? "", name: cells[1].text ?? "", table: cells[2].text ?? "",
                words: (cells[3].text ?? "").split(whereSeparator: \.isWhitespace))
        }
    }
}
