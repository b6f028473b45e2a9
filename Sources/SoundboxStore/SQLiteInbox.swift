import GRDB
import SoundboxCore

/// The inbox in an SQLite file.
///
/// WAL with `synchronous = FULL`: every commit is on the disk when it returns. WAL's usual `NORMAL` may lose the last
/// commits at a power cut (SQLite, "PRAGMA synchronous"), and with them payments that were acknowledged.
public final class SQLiteInbox: Inbox {
    private let path: String
    private let queue: DatabaseQueue

    /// Opens the file, creates it if it is missing, and brings its schema up to date. Blocks.
    public init(path: String) throws(InboxError) {
        self.path = path
        do {
            var configuration = Configuration()
            configuration.label = "inbox"
            configuration.journalMode = .wal
            // Another process may read (a backup, an engineer with sqlite3) and hold the file for a moment.
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            // After opening, since choosing WAL makes GRDB set NORMAL. A queue has this one connection only.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Migrations.all.migrate(queue)
        } catch {
            throw .cannotOpen(path: path, reason: reason(error))
        }
    }

    /// `journal_mode` and `synchronous` in force, for `status` and tests.
    public func durability() throws(InboxError) -> (journalMode: String, synchronous: Int) {
        try read { database in
            (
                try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "",
                try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
            )
        }
    }

    public func store(_ arrivals: [Arrival], at now: Timestamp) throws(InboxError) -> [ArrivalOutcome] {
        try write { database in
            try arrivals.map { try Self.store($0, at: now, in: database) }
        }
    }

    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM notice WHERE state IN ('received', 'announcing') ORDER BY sequence LIMIT ?
                    """, arguments: [limit]
            ).map { try InboxEntry(row: $0) }
        }
    }

    public func markAnnouncing(_ entry: InboxEntry) throws(InboxError) {
        try write { database in
            try database.execute(
                sql: "UPDATE notice SET state = 'announcing' WHERE sequence = ? AND state = 'received'",
                arguments: [entry.sequence])
        }
    }

    public func markAnnounced(_ entry: InboxEntry, at now: Timestamp) throws(InboxError) {
        try end([entry], as: .announced, receipt: .announced, reason: nil, at: now)
    }

    public func markExpired(_ entries: [InboxEntry], at now: Timestamp) throws(InboxError) {
        try end(entries, as: .expired, receipt: .expired, reason: "told in a summary of \(entries.count)", at: now)
    }

    public func lastAnnounced() throws(InboxError) -> InboxEntry? {
        try read { database in
            try Row.fetchOne(
                // Announced strictly in order of arrival, so the highest sequence is the latest, whatever the clock did.
                database, sql: "SELECT * FROM notice WHERE state = 'announced' ORDER BY sequence DESC LIMIT 1"
            ).map { try InboxEntry(row: $0) }
        }
    }

    public func counts() throws(InboxError) -> InboxCounts {
        try read { try InboxCounts(in: $0) }
    }

    public func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM receipt WHERE sequence > ? ORDER BY sequence LIMIT ?",
                arguments: [sequence, limit]
            ).map { try OutgoingReceipt(row: $0) }
        }
    }

    public func removeReceipts(_ sequences: [Int64]) throws(InboxError) {
        try write { database in
            for sequence in sequences {
                try database.execute(sql: "DELETE FROM receipt WHERE sequence = ?", arguments: [sequence])
            }
        }
    }

    private static func store(_ arrival: Arrival, at now: Timestamp, in database: Database) throws -> ArrivalOutcome {
        switch arrival {
        case .rejection(let rejection):
            let reason = rejection.description
            try insert(Receipt(id: rejection.id, state: .rejected, at: now, reason: reason), into: database)
            return .rejected(rejection)
        case .notice(let notice):
            if let known = try Row.fetchOne(
                database, sql: "SELECT * FROM notice WHERE payment_id = ?", arguments: [notice.id.text])
            {
                let stored = try InboxEntry(row: known).notice.money
                let differs = stored == notice.money ? nil : stored
                let reason = differs.map { "the id is known with another amount: \($0)" }
                try insert(Receipt(id: notice.id, state: .duplicate, at: now, reason: reason), into: database)
                return .duplicate(notice, differs: differs)
            }
            try database.execute(
                sql: """
                    INSERT INTO notice (payment_id, amount, currency, kind, channel, paid_at, received_at, state)
                    VALUES (?, ?, ?, ?, ?, ?, ?, 'received')
                    """,
                arguments: [
                    notice.id.text, notice.money.amount.description, notice.money.currency.code, notice.kind.rawValue,
                    notice.channel, notice.paidAt?.millisecondsSince1970, now.millisecondsSince1970,
                ])
            let entry = InboxEntry(
                sequence: database.lastInsertedRowID, notice: notice, receivedAt: now, state: .received)
            try insert(Receipt(id: notice.id, state: .stored, at: now), into: database)
            return .stored(entry)
        }
    }

    private func end(
        _ entries: [InboxEntry], as state: NoticeState, receipt: Receipt.State, reason: String?, at now: Timestamp
    ) throws(InboxError) {
        try write { database in
            for entry in entries {
                try database.execute(
                    sql: """
                        UPDATE notice SET state = ?, ended_at = ?
                        WHERE sequence = ? AND state IN ('received', 'announcing')
                        """, arguments: [state.rawValue, now.millisecondsSince1970, entry.sequence])
                // Already ended: a receipt must not be written twice.
                guard database.changesCount == 1 else { continue }
                try Self.insert(Receipt(id: entry.notice.id, state: receipt, at: now, reason: reason), into: database)
            }
        }
    }

    private static func insert(_ receipt: Receipt, into database: Database) throws {
        try database.execute(
            sql: "INSERT INTO receipt (payment_id, state, at, reason) VALUES (?, ?, ?, ?)",
            arguments: [receipt.id?.text, receipt.state.rawValue, receipt.at.millisecondsSince1970, receipt.reason])
    }

    private func write<Value>(_ body: (Database) throws -> Value) throws(InboxError) -> Value {
        do { return try queue.write(body) } catch { throw .failed(path: path, reason: reason(error)) }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(InboxError) -> Value {
        do { return try queue.read(body) } catch { throw .failed(path: path, reason: reason(error)) }
    }
}

/// SQLite's own words, without the statement.
private func reason(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    return error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
}
