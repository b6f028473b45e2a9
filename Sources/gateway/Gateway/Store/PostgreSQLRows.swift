import SoundboxCore

/// Rows as one parameter, `$1`, of a statement: `FROM \(rows.sql)`.
///
///     let rows = PostgreSQLRows([[("number", .integer(7)), ("state", .text("stored"))]])
///     rows.sql  // json_to_recordset($1) AS new (number bigint, state text)
///
/// All rows have the columns of the first one.
struct PostgreSQLRows {
    let sql: String
    let names: [String]
    let value: StoredValue

    init(_ rows: [StoredColumns]) {
        let columns = (rows.first ?? []).map { ($0.name, $0.value.postgreSQLType) }
        names = columns.map(\.0)
        sql = "json_to_recordset($1) AS new (\(columns.map { "\($0) \($1)" }.joined(separator: ", ")))"
        value = .text(JSONValue.array(rows.map { row in .object(row.map { ($0.name, $0.value.json) }) }).text)
    }
}

extension StoredValue {
    fileprivate var postgreSQLType: String {
        switch self {
        case .integer: "bigint"
        case .text: "text"
        case .bytes: "bytea"
        }
    }
}

extension PostgreSQLConnection {
    /// Adds rows, in their order.
    func insert(_ rows: [StoredColumns], into table: String) throws(PostgreSQLError) {
        guard !rows.isEmpty else { return }
        let new = PostgreSQLRows(rows)
        let names = new.names.joined(separator: ", ")
        try query("INSERT INTO \(table) (\(names)) SELECT \(names) FROM \(new.sql)", [new.value])
    }

    /// Changes rows by their numbers, which are the first column.
    func update(_ table: String, _ rows: [StoredColumns]) throws(PostgreSQLError) {
        guard !rows.isEmpty else { return }
        let new = PostgreSQLRows(rows)
        let changes = new.names.dropFirst().map { "\($0) = new.\($0)" }.joined(separator: ", ")
        try query("UPDATE \(table) SET \(changes) FROM \(new.sql) WHERE \(table).number = new.number", [new.value])
    }
}
