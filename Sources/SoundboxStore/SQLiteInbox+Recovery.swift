import Dispatch
import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// What happened to a database that was found damaged.
public struct SetAsideDatabase: Sendable, Equatable {
    /// Where the damaged file is now.
    public var path: String
    /// Why it was set aside, in SQLite's words.
    public var reason: String
    /// Notices that could be read from it and are in the fresh database, spoken or not.
    public var savedNotices: Int

    /// One line for the status and the log.
    public var description: String {
        "the payment database was damaged (\(reason)); it is kept as \(path), and \(savedNotices) payments were saved "
            + "from it; payments that were not yet spoken may be missing"
    }
}

extension SQLiteInbox {
    /// How long the check at start may take; a history too large for it is believed.
    static let checkLimit = Duration.seconds(5)

    /// What to do about damage.
    struct Repair: Sendable {
        var now: @Sendable () -> Timestamp
        var didSetAside: @Sendable (SetAsideDatabase) -> Void
    }

    /// Opens the inbox at a start of the box: checks the file, and when it is damaged, now or later, sets it aside and
    /// begins a fresh one with whatever can be read. Nothing is deleted. Blocks.
    ///
    /// - Parameters:
    ///   - now: names a damaged file, and is where the fresh file's receipts begin to count, so that they stay above
    ///     those that the damaged one has given out.
    ///   - log: as ``init(path:log:)``.
    ///   - didSetAside: told of every damaged file, on the thread that came upon it; must not block.
    public static func recovering(
        path: String, now: @escaping @Sendable () -> Timestamp, log: @escaping @Sendable (String) -> Void,
        didSetAside: @escaping @Sendable (SetAsideDatabase) -> Void
    ) throws(InboxError) -> SQLiteInbox {
        let repair = Repair(now: now, didSetAside: didSetAside)
        do throws(InboxError) {
            let inbox = try SQLiteInbox(path: path, log: log)
            inbox.connection.withLock { $0.repair = repair }
            if let problem = try inbox.quickCheck() { _ = try inbox.replace(inbox.queue, because: problem) }
            return inbox
        } catch {
            guard case .corrupt(_, let reason) = error else { throw error }
            // Too damaged to be opened.
            let moment = now()
            let kept = try moveAway(path, now: moment)
            let inbox = try SQLiteInbox(path: path, log: log)
            inbox.connection.withLock { $0.repair = repair }
            let saved = inbox.save(from: kept, into: inbox.queue, now: moment)
            didSetAside(SetAsideDatabase(path: kept, reason: reason, savedNotices: saved))
            return inbox
        }
    }

    /// Sets the damaged file aside and goes on with a fresh one.
    ///
    /// - Returns: the file to go on with; `nil` where damage is the caller's business.
    func replace(_ damaged: DatabaseQueue, because reason: String) throws(InboxError) -> DatabaseQueue? {
        // Several threads may come upon the damage: one sets the file aside while the others wait.
        try replacing.withLock { (_) throws(InboxError) -> DatabaseQueue? in
            let (current, repair) = connection.withLock { ($0.queue, $0.repair) }
            guard let repair else { return nil }
            guard current === damaged else { return current }
            // The file is closed from here on; where something fails, whoever comes next tries again.
            connection.withLock { $0.damage = reason }
            try? damaged.close()
            let now = repair.now()
            let kept = try Self.moveAway(path, now: now)
            let fresh = try Self.open(path)
            let saved = save(from: kept, into: fresh, now: now)
            connection.withLock { $0 = Connection(queue: fresh, repair: repair) }
            repair.didSetAside(SetAsideDatabase(path: kept, reason: reason, savedNotices: saved))
            return fresh
        }
    }

    /// - Returns: what is wrong; `nil` when nothing is, or when looking took too long.
    func quickCheck(limit: Duration = checkLimit) throws(InboxError) -> String? {
        final class Done: Sendable { let flag = Mutex(false) }
        let done = Done()
        // Under the lock, so that nothing but the check can be interrupted.
        let interruption = DispatchWorkItem { [queue] in done.flag.withLock { if !$0 { queue.interrupt() } } }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1), execute: interruption)
        defer {
            done.flag.withLock { $0 = true }
            interruption.cancel()
        }
        do {
            let answer = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
            return answer == "ok" ? nil : answer ?? "quick_check says nothing"
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            note("the check of the payment database was given up after \(limit): it is large")
            return nil
        } catch {
            throw .corrupt(path: path, reason: "\(error)")
        }
    }

    /// Renames the file and what belongs to it.
    private static func moveAway(_ path: String, now: Timestamp) throws(InboxError) -> String {
        let stamp = now.description.filter { $0.isNumber || $0 == "T" || $0 == "Z" }
        let kept = "\(path).corrupt-\(stamp)"
        // The log first: a fresh database must never find the damaged one's.
        for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, kept + suffix) == 0 else {
                throw .cannotOpen(
                    path: path, reason: "it is damaged and cannot be renamed: \(SystemError(code: errno))")
            }
        }
        return kept
    }

    /// Copies what can still be read: ids, so that nothing is spoken twice, and what waits, so that it is spoken.
    private func save(from damaged: String, into fresh: DatabaseQueue, now: Timestamp) -> Int {
        do {
            var configuration = Configuration()
            configuration.label = "damaged inbox"
            configuration.readonly = true
            let source = try DatabaseQueue(path: damaged, configuration: configuration)
            var notices: [Int64: Row] = [:]
            var receipts: [Int64: Row] = [:]
            try source.read { database in
                // From both ends: reading stops at the first page that is broken.
                for order in ["ASC", "DESC"] {
                    Self.collect("SELECT * FROM notice ORDER BY sequence \(order)", from: database, into: &notices)
                    Self.collect("SELECT * FROM receipt ORDER BY sequence \(order)", from: database, into: &receipts)
                }
            }
            let (saved, total) = try fresh.write { database in
                for row in notices.values.sorted(by: { $0.sequence < $1.sequence }) where row.isNotice {
                    try Self.copy(row, into: "notice", of: database)
                }
                for row in receipts.values.sorted(by: { $0.sequence < $1.sequence }) where row.isReceipt {
                    try Self.copy(row, into: "receipt", of: database)
                }
                let saved = try Int.fetchOne(database, sql: "SELECT count(*) FROM notice") ?? 0
                try Self.raiseReceiptNumbers(to: now.millisecondsSince1970, in: database)
                return (saved, try Self.announcedTotal(in: database))
            }
            announcedTotal.store(total, ordering: .relaxed)
            return saved
        } catch {
            note("nothing could be saved from the damaged database: \(error)")
            do {
                try fresh.write { try Self.raiseReceiptNumbers(to: now.millisecondsSince1970, in: $0) }
            } catch {
                note("receipts are numbered from 1 again: \(error)")
            }
            return 0
        }
    }

    private static func collect(_ sql: String, from database: Database, into rows: inout [Int64: Row]) {
        guard let cursor = try? Row.fetchCursor(database, sql: sql) else { return }
        while let row = try? cursor.next() {
            guard rows.updateValue(row.copy(), forKey: row.sequence) == nil else { return }
        }
    }

    private static func copy(_ row: Row, into table: String, of database: Database) throws {
        let columns = row.columnNames.joined(separator: ", ")
        let marks = row.columnNames.map { _ in "?" }.joined(separator: ", ")
        try database.execute(
            sql: "INSERT OR IGNORE INTO \(table) (\(columns)) VALUES (\(marks))",
            arguments: StatementArguments(row.databaseValues))
    }

    private static func raiseReceiptNumbers(to number: Int64, in database: Database) throws {
        try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'receipt'")
        try database.execute(
            sql: """
                INSERT INTO sqlite_sequence (name, seq)
                VALUES ('receipt', max(?, (SELECT coalesce(max(sequence), 0) FROM receipt)))
                """, arguments: [number])
    }
}

extension Row {
    fileprivate var isNotice: Bool { (try? InboxEntry(row: self)) != nil }
    fileprivate var isReceipt: Bool { (try? OutgoingReceipt(row: self)) != nil }
}
