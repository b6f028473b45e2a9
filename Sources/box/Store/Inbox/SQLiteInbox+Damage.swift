import GRDB
import Glibc
import SoundboxCore

/// A damaged row must not block the rows after it. It moves to the table `damaged` and is never deleted there.
extension SQLiteInbox {
    /// The content of a damaged row, until it has been set aside.
    struct Damage: Sendable {
        var sequence: Int64
        /// The table that it is in.
        var origin: CheckedTable
        /// For the receipt that asks for the payment again.
        var paymentID: PaymentID?
        /// For the receipt of a custom message.
        var commandID: CommandID?
        var content: String

        init(_ row: Row, origin: CheckedTable) {
            sequence = row.sequence
            self.origin = origin
            paymentID = row.paymentID
            if origin == .customMessage {
                commandID = (row["command"] as DatabaseValue?).flatMap { Cell($0).text }.flatMap { try? CommandID($0) }
            }
            content = row.dump
        }
    }

    /// Moves rows to `damaged`. If the disk refuses, they stay where they are and are skipped.
    func setAside(_ rows: [Damage]) {
        let now = Timestamp(millisecondsSince1970: Int64(time(nil)) * 1000)
        for row in rows {
            let name =
                row.paymentID.map { "\($0.isRefund ? "refund" : "payment") \($0)" } ?? row.commandID.map {
                    "command \($0)"
                }
                ?? "of which the id is unreadable"
            do throws(InboxError) {
                let isMoved = try write { database in
                    guard try Self.setAside(row, at: now, in: database) else { return false }
                    if row.origin == .customMessage, let id = row.commandID {
                        try Self.lose(id, at: now, in: database)
                    }
                    guard row.origin == .waiting else { return true }
                    // Both copies are damaged. The payment was not spoken and cannot be: only the sender still knows
                    // its content.
                    let other = try Self.noticeRow(row.sequence, in: database).map { Damage($0, origin: .notice) }
                    if let other { try Self.setAside(other, at: now, in: database) }
                    guard let id = other?.paymentID ?? row.paymentID else { return true }
                    try ReceiptRecord.askAgain(for: id, at: now, in: database)
                    return true
                }
                guard isMoved else { continue }
                report("\(row.origin.rawValue) \(row.sequence), \(name), is damaged and was set aside: \(row.content)")
            } catch {
                report("\(row.origin.rawValue) \(row.sequence), \(name), is damaged and cannot be set aside: \(error)")
            }
        }
    }

    /// - Returns: `false` when another thread was faster and has written the receipt.
    @discardableResult
    static func setAside(_ row: Damage, at now: Timestamp, in database: Database) throws -> Bool {
        try database.execute(
            sql: "DELETE FROM \(row.origin.rawValue) WHERE sequence = ?", arguments: [row.sequence])
        guard database.changesCount == 1 else { return false }
        try database.execute(
            sql: "INSERT INTO damaged (found_at, origin, content, sequence, payment_id) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                now.millisecondsSince1970, row.origin.rawValue, row.content, row.sequence, row.paymentID?.key,
            ])
        return true
    }

    /// Checks that rows found by walking through a table are also found by their numbers. If not, a page of the table
    /// is damaged in a way that SQLite does not notice: such a row would be returned again and again, and could never
    /// be noted, ended or removed.
    ///
    /// - Parameter position: the number after which the walk began.
    static func checkFound(
        _ rows: [Row], of table: CheckedTable, after position: Int64 = 0, in database: Database
    ) throws {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM \(table.rawValue) WHERE sequence = ?")
        var last = position
        for row in rows {
            let sequence = row.sequence
            guard sequence > last, try Int.fetchOne(statement, arguments: [sequence]) != nil else {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT, message: "the rows of \(table.rawValue) are not in their order")
            }
            last = sequence
        }
    }

    static var wrongIndex: DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the index of ids does not fit the notices")
    }
}
