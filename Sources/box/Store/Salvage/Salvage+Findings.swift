import GRDB
import SoundboxCore
import SoundboxSystem

extension Salvage {
    /// What the rows have shown so far.
    struct Findings {
        var waitingIsWhole = false
        /// A row waits, or the end of the history could be read: no table has anything newer than ``lastNotice``.
        var newestIsCertain = false
        /// The disk has too little room for ended payments.
        var lacksRoom = false
        var lastNotice: Int64 = 0
        var lastReceipt: Int64 = 0
        /// Payments are announced in order, so none below this number waits.
        var lastEnded: Int64 = 0
        /// The newest payment that was announced by itself.
        var lastHeard: Int64 = 0
        var latestArrival = Timestamp(millisecondsSince1970: 0)
        /// For replay, and for the count of all announcements.
        var lastAnnounced: NoticeRecord?

        mutating func add(_ row: SavedRow) {
            switch row {
            case .waiting(let record):
                lastNotice = max(lastNotice, record.entry.sequence)
                newestIsCertain = true
            case .receipt(let record): lastReceipt = max(lastReceipt, record.sequence)
            case .notice(let record):
                let sequence = record.entry.sequence
                lastNotice = max(lastNotice, sequence)
                latestArrival = max(latestArrival, record.entry.receivedAt)
                let isPayment = record.entry.notice.kind == .payment
                if isPayment, record.entry.state == .announced || record.entry.state == .expired {
                    lastEnded = max(lastEnded, sequence)
                }
                guard record.entry.state == .announced else { return }
                if isPayment { lastHeard = max(lastHeard, sequence) }
                let last = (lastAnnounced?.announcedNumber ?? 0, lastAnnounced?.entry.sequence ?? 0)
                if (record.announcedNumber ?? 0, sequence) > last { lastAnnounced = record }
            }
        }

        /// Nothing up to this number waits, unless it was saved with the waiting payments.
        ///
        /// If the table `waiting` is complete, that is everything that it contains. But on a card that loses writes,
        /// its page may be an old one: an id that only the index has, and that is newer than every row, was never
        /// heard.
        var lastNotWaiting: Int64 {
            guard waitingIsWhole else { return lastEnded }
            return newestIsCertain ? max(lastNotice, lastEnded) : maximumSequence
        }

        /// Whether the row says that it waits and nothing says that it was heard: payments are announced in order.
        func isNotHeard(_ record: NoticeRecord) -> Bool {
            record.isWaiting && (record.entry.notice.kind != .payment || record.entry.sequence > lastHeard)
        }
    }
}

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

extension Salvage {
    /// How many numbers without a row are counted one by one. Beyond that no total is certain anyway.
    private static let counted = 1000
    /// How far back numbers are looked at. No total of a day reaches further.
    private static let examined: Int64 = 100_000

    /// Counts what may be lost as payments that cannot be read: numbers between the rows, and whatever may have been
    /// behind the last row or before the first.
    ///
    /// - Parameter last: the last number that the damaged file has given; `nil` when that is unknown.
    func countLost(_ last: Int64?, _ found: Findings, in database: Database) throws {
        let rows = "SELECT sequence FROM notice UNION ALL SELECT sequence FROM known"
        let first = try Int64.fetchOne(database, sql: "SELECT min(sequence) FROM (\(rows))")
        let end = max(last ?? 0, found.lastNotice)
        var lost: [Int64] = []
        if last == nil, !found.newestIsCertain { lost.append(found.lastNotice + 1) }
        if let first {
            // Numbers below the first row were deleted with age.
            if found.lacksRoom, first > 1 { lost.append(first - 1) }
            lost += try Int64.fetchAll(
                database,
                sql: """
                    WITH RECURSIVE number(n) AS (SELECT ?1 UNION ALL SELECT n - 1 FROM number WHERE n > ?2)
                    SELECT n FROM number WHERE n >= ?2 AND n NOT IN (\(rows))
                        AND n NOT IN (SELECT sequence FROM damaged WHERE sequence IS NOT NULL) LIMIT ?3
                    """, arguments: [end, max(first, end - Self.examined), Self.counted])
        } else if end > 0 {
            lost.append(end)
        }
        for number in lost { try Self.recordLost(number, at: now, in: database) }
    }

    /// Counts a payment of which nothing but its number is left, so that no total which contains it is certain.
    static func recordLost(
        _ number: Int64, _ id: PaymentID? = nil, at now: Timestamp, in database: Database
    ) throws {
        try database.execute(
            sql: "INSERT INTO damaged (found_at, origin, content, sequence, payment_id) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                now.millisecondsSince1970, CheckedTable.notice.rawValue, "lost with its page", number, id?.key,
            ])
    }
}
