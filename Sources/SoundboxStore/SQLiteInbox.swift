import GRDB
import SoundboxCore
import Synchronization

/// The inbox in an SQLite file.
///
/// WAL with `synchronous = FULL`: every commit is on the disk when it returns. WAL's usual `NORMAL` may lose the last
/// commits at a power cut (SQLite, "PRAGMA synchronous"), and with them payments that were acknowledged.
public final class SQLiteInbox: Inbox {
    let path: String
    /// What was announced since the file was made; follows the commits.
    let announcedTotal: Atomic<Int>
    let connection: Mutex<Connection>
    /// Held while a damaged file is set aside.
    let replacing = Mutex(())
    private let log: @Sendable (String) -> Void

    /// The open file. Another one takes its place when it is found damaged while the box runs.
    struct Connection: Sendable {
        var queue: DatabaseQueue
        /// What was found wrong with it, for as long as it could not be set aside.
        var damage: String?
        /// `nil` makes damage an error for the caller.
        var repair: Repair?
    }

    var queue: DatabaseQueue { connection.withLock { $0.queue } }

    /// Opens the file, creates it if it is missing, and brings its schema up to date. Blocks. A file of a newer version
    /// of this program is refused and stays as it is.
    ///
    /// - Parameter log: takes one line about something damaged that was set aside. Called on the thread that came upon
    ///   it; must not block.
    public init(path: String, log: @escaping @Sendable (String) -> Void = { _ in }) throws(InboxError) {
        self.path = path
        self.log = log
        let queue = try Self.open(path)
        connection = Mutex(Connection(queue: queue))
        do { announcedTotal = Atomic(try queue.read { try Self.announcedTotal(in: $0) }) } catch {
            throw Self.openingFailure(error, path: path)
        }
    }

    static func open(_ path: String) throws(InboxError) -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.label = "inbox"
            // Another process may read (a backup, an engineer with sqlite3) and hold the file for a moment.
            configuration.busyMode = .timeout(5)
            try Migrations.checkNotNewer(path, configuration)
            configuration.journalMode = .wal
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction {
                // After opening, since choosing WAL makes GRDB set NORMAL. A queue has this one connection only.
                try $0.execute(sql: "PRAGMA synchronous = FULL")
                // One large transaction must not leave a large file behind for good: back to what 1,000 pages take.
                try $0.execute(sql: "PRAGMA journal_size_limit = \(4 << 20)")
            }
            try Migrations.all.migrate(queue)
            return queue
        } catch {
            throw openingFailure(error, path: path)
        }
    }

    private static func openingFailure(_ error: any Error, path: String) -> InboxError {
        isCorruption(error)
            ? .corrupt(path: path, reason: reason(error)) : .cannotOpen(path: path, reason: reason(error))
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

    public func waiting(limit: Int) throws(InboxError) -> [InboxEntry] {
        var unreadable: [Int64] = []
        while true {
            let (entries, damaged) = try read { database in
                try Self.readingRows(
                    of: database,
                    """
                    SELECT * FROM notice WHERE state IN ('received', 'announcing') ORDER BY sequence LIMIT ?
                    """, [limit + unreadable.count], as: InboxEntry.init(row:))
            }
            let found = damaged.filter { !unreadable.contains($0.sequence) }
            if found.isEmpty { return Array(entries.prefix(limit)) }
            setAside(found)
            // Those that could not be moved are read past; those that were moved have made room for others.
            unreadable += found.map(\.sequence)
        }
    }

    public func markAnnouncing(_ entry: InboxEntry) throws(InboxError) -> Bool {
        try write { database in
            try database.cachedStatement(
                sql: """
                    UPDATE notice SET state = 'announcing' WHERE sequence = ? AND state IN ('received', 'announcing')
                    """
            ).execute(arguments: [entry.sequence])
            return database.changesCount == 1
        }
    }

    public func markAnnounced(_ entry: InboxEntry, at now: Timestamp) throws(InboxError) {
        let number = announcedTotal.load(ordering: .relaxed) + 1
        let isChanged = try write { database in
            guard try Self.end(entry, as: .announced, number: number, at: now, in: database) else { return false }
            try Self.insert(Receipt(id: entry.notice.id, state: .announced, at: now), into: database)
            return true
        }
        if isChanged { announcedTotal.store(number, ordering: .relaxed) }
    }

    public func markExpired(_ entries: [InboxEntry], inSummary: Bool, at now: Timestamp) throws(InboxError) {
        guard let first = entries.first?.sequence else { return }
        try write { database in
            // Already ended: a receipt must not be written twice.
            for entry in entries where try Self.end(entry, as: .expired, number: nil, at: now, in: database) {
                let receipt = Receipt.expired(
                    entry.notice.id, count: entries.count, first: first, inSummary: inSummary, at: now)
                try Self.insert(receipt, into: database)
            }
        }
    }

    public func cancel(_ id: PaymentID, at now: Timestamp) throws(InboxError) -> CancelOutcome {
        try write { try Self.cancel(id, at: now, in: $0) }
    }

    static func cancel(_ id: PaymentID, at now: Timestamp, in database: Database) throws -> CancelOutcome {
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT * FROM notice WHERE payment_id = ?", arguments: [id.text])
        else { return .unknown }
        let entry = try InboxEntry(row: row)
        guard entry.state == .received else { return .tooLate(entry.state) }
        _ = try Self.end(entry, as: .cancelled, number: nil, at: now, in: database)
        try Self.insert(Receipt(id: id, state: .cancelled, at: now), into: database)
        return .cancelled(entry)
    }

    public func distrustArrivalTimes() throws(InboxError) {
        try write {
            try $0.execute(sql: "UPDATE notice SET clock_was_set = 0 WHERE state IN ('received', 'announcing')")
        }
    }

    /// The newest time that a clock which was set has left among the last notices; `nil` when there is none.
    public func newestTime() throws(InboxError) -> Timestamp? {
        try read { database in
            try Int64.fetchOne(
                database,
                sql: """
                    SELECT max(max(received_at, coalesce(ended_at, 0))) FROM
                        (SELECT * FROM notice ORDER BY sequence DESC LIMIT 100)
                    WHERE clock_was_set
                    """)
        }.map(Timestamp.init(millisecondsSince1970:))
    }

    public func lastAnnounced(skipping count: Int) throws(InboxError) -> InboxEntry? {
        try read { database in
            // Announced strictly in order of arrival, so the highest sequence is the latest, whatever the clock did.
            // A damaged one is passed over: replay then repeats the one before.
            let rows = try Row.fetchCursor(
                database, sql: "SELECT * FROM notice WHERE state = 'announced' ORDER BY sequence DESC")
            var skipped = 0
            while let row = try rows.next() {
                guard let entry = try? InboxEntry(row: row) else { continue }
                if skipped == count { return entry }
                skipped += 1
            }
            return nil
        }
    }

    public func payments(since start: Timestamp) throws(InboxError) -> [Money] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM notice WHERE received_at >= ? AND kind = 'payment' AND state <> 'cancelled'
                    ORDER BY sequence
                    """, arguments: [start.millisecondsSince1970]
            ).compactMap { try? InboxEntry(row: $0).notice.money }
        }
    }

    public func counts() throws(InboxError) -> InboxCounts {
        try read { database in
            func count(_ sql: String) throws -> Int { try Int.fetchOne(database.cachedStatement(sql: sql)) ?? 0 }
            return InboxCounts(
                waiting: try count("SELECT count(*) FROM notice WHERE state IN ('received', 'announcing')"),
                announced: announcedTotal.load(ordering: .relaxed),
                receiptsWaiting: try count("SELECT count(*) FROM receipt"))
        }
    }

    public func receipts(after sequence: Int64, limit: Int) throws(InboxError) -> [OutgoingReceipt] {
        var position = sequence
        var receipts: [OutgoingReceipt] = []
        while true {
            let (readable, damaged) = try read { database in
                try Self.readingRows(
                    of: database, "SELECT * FROM receipt WHERE sequence > ? ORDER BY sequence LIMIT ?",
                    [position, limit - receipts.count], as: OutgoingReceipt.init(row:))
            }
            receipts += readable
            if damaged.isEmpty { return receipts }
            setAside(damaged)
            position = max(readable.last?.sequence ?? 0, damaged.last?.sequence ?? 0)
        }
    }

    public func removeReceipts(_ sequences: [Int64]) throws(InboxError) {
        try write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM receipt WHERE sequence = ?")
            for sequence in sequences { try statement.execute(arguments: [sequence]) }
        }
    }

    /// - Returns: whether it was still waiting.
    private static func end(
        _ entry: InboxEntry, as state: NoticeState, number: Int?, at now: Timestamp, in database: Database
    ) throws -> Bool {
        try database.cachedStatement(
            sql: """
                UPDATE notice SET state = ?, ended_at = ?, announced_number = ?
                WHERE sequence = ? AND state IN ('received', 'announcing')
                """
        ).execute(arguments: [state.rawValue, now.millisecondsSince1970, number, entry.sequence])
        return database.changesCount == 1
    }

    static func announcedTotal(in database: Database) throws -> Int {
        try Int.fetchOne(
            database,
            sql: "SELECT announced_number FROM notice WHERE state = 'announced' ORDER BY sequence DESC LIMIT 1") ?? 0
    }

    static func insert(_ receipt: Receipt, into database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT INTO receipt (payment_id, state, at, reason, summary, command) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            receipt.subject.paymentID, receipt.state.rawValue, receipt.at.millisecondsSince1970, receipt.reason,
            receipt.summary, receipt.subject.command,
        ])
    }

    func note(_ line: String) { log(line) }

    func write<Value>(_ body: (Database) throws -> Value) throws(InboxError) -> Value {
        try perform { try $0.write(body) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(InboxError) -> Value {
        try perform { try $0.read(body) }
    }

    /// Does it once more on a fresh file when the present one turns out to be damaged.
    private func perform<Value>(_ body: (DatabaseQueue) throws -> Value) throws(InboxError) -> Value {
        let (queue, damage) = connection.withLock { ($0.queue, $0.damage) }
        let failure: InboxError
        if let damage {
            failure = .corrupt(path: path, reason: damage)
        } else {
            do { return try body(queue) } catch { failure = self.failure(error) }
        }
        guard case .corrupt(_, let reason) = failure, let fresh = try replace(queue, because: reason) else {
            throw failure
        }
        do { return try body(fresh) } catch { throw self.failure(error) }
    }

    private func failure(_ error: any Error) -> InboxError {
        Self.isCorruption(error)
            ? .corrupt(path: path, reason: reason(error)) : .failed(path: path, reason: reason(error))
    }

    private static func isCorruption(_ error: any Error) -> Bool {
        let code = (error as? DatabaseError)?.resultCode
        return code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
    }
}

/// SQLite's own words, without the statement.
private func reason(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    return error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
}
