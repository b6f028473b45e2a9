import GRDB
import SoundboxCore

import struct Foundation.Data

extension Row: StoredRow {
    func anyInteger(_ column: String) -> Int64? { self[column] }
    func text(_ column: String) -> String? { self[column] }
    func bytes(_ column: String) -> [UInt8]? { (self[column] as Data?).map { Array($0) } }
}

extension StoredValue {
    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .bytes(let value): Data(value).databaseValue
        }
    }
}

extension Database {
    /// - Parameter orReplace: a row that has the same key goes; this one gets a number of its own.
    func insert(_ columns: StoredColumns, into table: String, orReplace: Bool = false) throws {
        let names = columns.map(\.name).joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        try cachedStatement(
            sql: "INSERT \(orReplace ? "OR REPLACE " : "")INTO \(table) (\(names)) VALUES (\(places))"
        ).execute(arguments: StatementArguments(columns.map(\.value.databaseValue)))
    }

    func update(_ table: String, number: Int64, _ columns: StoredColumns) throws {
        let assignments = columns.map { "\($0.name) = ?" }.joined(separator: ", ")
        try cachedStatement(sql: "UPDATE \(table) SET \(assignments) WHERE number = ?")
            .execute(arguments: StatementArguments(columns.map(\.value.databaseValue) + [number.databaseValue]))
    }
}

extension Optional where Wrapped: DatabaseValueConvertible {
    fileprivate var databaseValue: DatabaseValue { self?.databaseValue ?? .null }
}

extension PaymentRow {
    /// Without the rows that this program cannot have written.
    static func fetchAll(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [PaymentRow] {
        var unreadable: [Int64] = []
        return try fetchAll(database, where: condition, arguments, unreadable: &unreadable)
    }

    /// - Parameter unreadable: gets the numbers of the rows that are left out.
    static func fetchAll(
        _ database: Database, where condition: String, _ arguments: StatementArguments, unreadable: inout [Int64]
    ) throws -> [PaymentRow] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT payment.*, merchant, device FROM payment JOIN box ON box.number = payment.box WHERE \(condition)
                """)
        return try Row.fetchAll(statement, arguments: arguments).compactMap { row in
            let payment = PaymentRow(row)
            if payment == nil { unreadable.append(row["number"]) }
            return payment
        }
    }
}
