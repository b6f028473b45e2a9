import GRDB
import Glibc
import SoundboxCore

/// One damaged row must not hold up the rows behind it: it moves to the table `damaged`, and is never deleted there.
extension SQLiteInbox {
    /// What a damaged row was, kept until it has been set aside.
    struct Damage: Sendable {
        var sequence: Int64
        /// The table that it stands in.
        var origin: String
        /// For the receipt that asks for the payment again.
        var paymentID: PaymentID?
        var content: String
    }

    /// Reads every row that can be read, in order, and says which cannot.
    static func readingRows<Element>(
        of database: Database, _ sql: String, _ arguments: StatementArguments,
        as element: (Row) throws(DamagedRow) -> Element
    ) throws -> (readable: [Element], damaged: [Damage]) {
        let isReceipt = sql.contains("FROM receipt")
        var readable: [Element] = []
        var damaged: [Damage] = []
        for row in try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments) {
            do throws(DamagedRow) { readable.append(try element(row)) } catch {
                damaged.append(
                    Damage(
                        sequence: row.sequence, origin: isReceipt ? "receipt" : "notice", paymentID: row.paymentID,
                        content: row.dump))
            }
        }
        return (readable, damaged)
    }

    /// Moves rows away. When the disk refuses, they stay where they are and are read past.
    func setAside(_ rows: [Damage]) {
        let now = Timestamp(millisecondsSince1970: Int64(time(nil)) * 1000)
        for row in rows {
            let name = row.paymentID.map { "payment \($0)" } ?? "a payment whose id is unreadable"
            do throws(InboxError) {
                try write { database in
                    try Self.insertDamaged(row, at: now, in: database)
                    try database.execute(
                        sql: "DELETE FROM \(row.origin) WHERE sequence = ?", arguments: [row.sequence])
                    guard row.origin == "notice", let id = row.paymentID else { return }
                    // Nothing was said of it, and nothing can be: only the sender still knows what it was.
                    let reason = "storage: the stored notice was damaged on the box's disk; publish it again"
                    try Self.insert(Receipt(id: id, state: .rejected, at: now, reason: reason), into: database)
                }
                note("\(row.origin) \(row.sequence), \(name), is damaged and was set aside: \(row.content)")
            } catch {
                note("\(row.origin) \(row.sequence), \(name), is damaged and cannot be set aside: \(error)")
            }
        }
    }

    static func setAside(_ row: Row, from origin: String, at now: Timestamp, in database: Database) throws {
        let damage = Damage(sequence: row.sequence, origin: origin, paymentID: row.paymentID, content: row.dump)
        try insertDamaged(damage, at: now, in: database)
        try database.execute(sql: "DELETE FROM \(origin) WHERE sequence = ?", arguments: [row.sequence])
    }

    private static func insertDamaged(_ row: Damage, at now: Timestamp, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO damaged (found_at, origin, content) VALUES (?, ?, ?)",
            arguments: [now.millisecondsSince1970, row.origin, row.content])
    }
}
