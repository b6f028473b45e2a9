import GRDB
import SoundboxCore
import SoundboxSystem

/// Moves everything from the file of one gateway to the PostgreSQL that several share.
///
///     let file = try SQLitePaymentStore(path: path)
///     try StoreMove.run(from: file, to: server) { table, count in print(table, count) }
///
/// Both keep their numbers and times: columns of the two have the same names.
package enum StoreMove {
    /// In an order in which each row finds what it names.
    static let tables = ["box", "payment", "unread", "callback"]
    /// Of rows, for one statement. A document may have 64 KiB.
    private static let piece: [String: Int] = ["unread": 100]

    /// How many rows each table has, and how many payments are open.
    package static func counts(_ file: SQLitePaymentStore) throws(StoreError) -> [(what: String, count: Int)] {
        try file.read { database in
            try tables.map { ($0, try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0) } + [
                (
                    "open payments",
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM payment WHERE due_after IS NOT NULL") ?? 0
                )
            ]
        }
    }

    /// Copies all in one transaction. The file stays as it is.
    ///
    /// - Parameter progress: called with each piece: the table, and how many of its rows are copied.
    /// - Throws: also if the PostgreSQL has rows already. Then nothing is moved.
    package static func run(
        from file: SQLitePaymentStore, to server: PostgreSQLPaymentStore, progress: (String, Int) -> Void
    ) throws(StoreError) {
        try server.inTransaction { connection, _ in
            for table in tables {
                guard try connection.query("SELECT FROM \(table) LIMIT 1").count == 0 else {
                    throw PostgreSQLError.unusable("has rows in the table \(table) already: nothing was moved")
                }
                try copy(table, from: file, to: connection, progress)
            }
            let running = try file.read { try Int64.fetchOne($0, sql: "SELECT running FROM clock") }
            try connection.query("UPDATE clock SET running = $1, read_at = clock_timestamp()", [.integer(running ?? 0)])
        }
    }

    private static func copy(
        _ table: String, from file: SQLitePaymentStore, to connection: PostgreSQLConnection,
        _ progress: (String, Int) -> Void
    ) throws {
        var (last, count) = (Int64.min, 0)
        while true {
            let rows = try file.read { database in
                try Row.fetchAll(
                    database.cachedStatement(sql: "SELECT * FROM \(table) WHERE number > ? ORDER BY number LIMIT ?"),
                    arguments: [last, piece[table] ?? 1000])
            }
            guard let end = rows.last else { break }
            last = end["number"]
            count += rows.count
            // Not NULL::box, which is a type of PostgreSQL's own.
            try connection.query(
                """
                INSERT INTO \(table)
                SELECT * FROM json_populate_recordset((SELECT typed FROM \(table) AS typed LIMIT 0), $1)
                """,
                [.text(JSONValue.array(rows.map(\.json)).text)])
            progress(table, count)
        }
        guard count > 0 else { return }
        try connection.query(
            "SELECT setval(pg_get_serial_sequence('\(table)', 'number'), $1)", [.integer(last)])
    }
}

extension Row {
    fileprivate var json: JSONValue {
        .object(
            zip(columnNames, databaseValues).map { name, value in
                let stored: StoredValue =
                    switch value.storage {
                    case .null: .integer(nil)
                    case .int64(let number): .integer(number)
                    // No column has any.
                    case .double(let number): .integer(Int64(number))
                    case .string(let text): .text(text)
                    case .blob(let data): .bytes(Array(data))
                    }
                return (name, stored.json)
            })
    }
}
