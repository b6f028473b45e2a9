import GRDB
import SoundboxSystem

/// Small tables that are seldom read. They are copied row by row, as far as SQLite can read them. A damaged page may
/// lose rings and sentences that have not ended, which ``SQLiteInbox/endLostCustomMessages(at:)`` then reports, and
/// cancels that came before them. It never loses a payment.
extension Salvage {
    /// - Parameter lacksRoom: leaves out rows that nothing uses any more.
    func copySmallTables(into queue: DatabaseQueue, lacksRoom: Bool) throws {
        let rows = rows(
            of: ["command", "custom_message", "cancelled_before"] + (lacksRoom ? [] : ["damaged", "salvage"]))
        try queue.write { database in for (table, row) in rows { try Self.copy(row, into: table, of: database) } }
    }

    private func rows(of tables: [String]) -> [(table: String, row: Row)] {
        // SQLite deletes the log of an empty database.
        guard FileIdentity.size(path) > 0 else { return [] }
        var configuration = Configuration()
        configuration.label = "damaged inbox"
        configuration.readonly = true
        guard let source = try? DatabaseQueue(path: path, configuration: configuration) else { return [] }
        defer { try? source.close() }
        var rows: [(String, Row)] = []
        for table in tables {
            // Without a transaction: SQLite cannot end one in which it has met a damaged page, and GRDB would then
            // return nothing.
            source.inDatabase { database in
                guard let cursor = try? Row.fetchCursor(database, sql: Self.selection(of: table)) else {
                    return
                }
                while let row = try? cursor.next() { rows.append((table, row.copy())) }
            }
        }
        return rows
    }

    private static func selection(of table: String) -> String {
        let columns = table == "custom_message" ? CheckedTable.customMessage.columnList : "*"
        return "SELECT \(columns) FROM \(table) LIMIT 10000"
    }

    private static func copy(_ row: Row, into table: String, of database: Database) throws {
        if table == "custom_message" {
            guard let record = try? CustomMessageRecord(row, of: .customMessage) else { return }
            return try database.execute(
                sql: CheckedTable.customMessage.upsert, arguments: record.arguments(for: .customMessage))
        }
        // Commands and cancels get new numbers: a number beyond every range would damage the new file as well.
        let isRenumbered = table == "command" || table == "cancelled_before"
        let columns = Array(row).filter { !isRenumbered || $0.0 != "number" }
        let names = columns.map(\.0).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        // A row that the table refuses is damaged itself.
        try? database.execute(
            sql: "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(marks))",
            arguments: StatementArguments(columns.map(\.1)))
    }
}
