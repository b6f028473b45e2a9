import GRDB
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The inbox in an SQLite file.
///
///     let inbox = try SQLiteInbox(path: "/var/lib/soundbox/inbox.sqlite")
///     _ = try inbox.store([.notice(notice)], at: now)
///     let queue = try inbox.queue(limit: 8)
///
/// Every method blocks on the disk. Any thread; calls take turns.
///
/// It uses WAL with `synchronous = FULL`: every commit is on the disk when it returns. WAL's usual `NORMAL` may lose
/// the last commits in a power cut (SQLite, "PRAGMA synchronous"), and with them payments that were acknowledged.
///
/// Waiting payments are stored twice, on different pages: in the table `notice`, with all other payments, and in the
/// table `waiting`, which decides what waits. Each row has a checksum.
public final class SQLiteInbox: Inbox {
    let path: String
    /// How many payments were announced since the file was made. Changes after each commit.
    let announcedTotal: Atomic<Int>
    let connection: Mutex<Connection>
    /// Held while another file replaces the present one.
    let replacing = Mutex<LastAttempt>(LastAttempt())
    /// Pruning has examined the rows up to this number, and deletes none of them before a later one.
    let pruningStart = Atomic<Int64>(0)
    /// Receipts that the broker has confirmed and that are still in the file. The next commit that writes receipts
    /// removes them.
    let delivered = Mutex<Set<Int64>>([])
    private let log: @Sendable (String) -> Void

    /// The open file. It is replaced if it is found damaged while the box runs.
    struct Connection: Sendable {
        var queue: DatabaseQueue
        /// The identity of the files as they were opened; `nil` while none is open.
        var identity: FileIdentity?
        /// The damage that was found, until the file has been set aside.
        var damage: String?
        /// How to repair damage; `nil` reports damage to the caller as an error.
        var repair: Repair?
    }

    var queue: DatabaseQueue { connection.withLock { $0.queue } }

    /// Opens the file, and creates it if it is missing. Blocks on the disk. A file of another version of this program
    /// counts as damaged and is not changed.
    ///
    /// - Parameter log: called with one line about anything damaged that was set aside, on the thread that found it;
    ///   must not block.
    public init(path: String, log: @escaping @Sendable (String) -> Void = { _ in }) throws(InboxError) {
        self.path = path
        self.log = log
        let queue = try Self.open(path)
        connection = Mutex(Connection(queue: queue, identity: FileIdentity(path: path)))
        do { announcedTotal = Atomic(try queue.read { try Self.announcedTotal(in: $0) }) } catch {
            throw Self.openingFailure(error, path: path)
        }
    }

    /// An inbox whose file is too damaged to be opened. Every request begins with an attempt to salvage it.
    init(
        damaged path: String, because reason: String, repair: Repair, log: @escaping @Sendable (String) -> Void
    ) throws(InboxError) {
        self.path = path
        self.log = log
        announcedTotal = Atomic(0)
        do { connection = Mutex(Connection(queue: try DatabaseQueue(), damage: reason, repair: repair)) } catch {
            throw Self.openingFailure(error, path: path)
        }
    }

    static func open(_ path: String) throws(InboxError) -> DatabaseQueue {
        do {
            var configuration = Configuration()
            configuration.label = "inbox"
            // Another process, such as a backup or an engineer with sqlite3, may hold the file for a moment.
            configuration.busyMode = .timeout(5)
            try Schema.check(path, configuration)
            configuration.journalMode = .wal
            ReceiptRecord.addEpoch(to: &configuration)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction {
                // Set after opening, because GRDB sets NORMAL when it chooses WAL. A queue has only this connection.
                try $0.execute(sql: "PRAGMA synchronous = FULL")
                // After a large transaction the log shrinks again, to the size of 1,000 pages.
                try $0.execute(sql: "PRAGMA journal_size_limit = \(4 << 20)")
                // Deleted rows are overwritten: a salvage must not take old rows on a free page for new ones.
                try $0.execute(sql: "PRAGMA secure_delete = ON")
            }
            try Schema.create(in: queue)
            return queue
        } catch {
            throw openingFailure(error, path: path)
        }
    }

    static func openingFailure(_ error: any Error, path: String) -> InboxError {
        isCorruption(error) || isUnknownFormat(error)
            ? .corrupt(path: path, reason: reason(error)) : .cannotOpen(path: path, reason: reason(error))
    }

    func report(_ line: String) { log(line) }

    /// Runs one transaction in the file at the path. A commit into a file that was deleted or moved away is lost when
    /// the process ends, so it must not count as being on the disk.
    ///
    /// - Parameter isIdle: whether to roll the transaction back because it has changed nothing.
    func write<Value>(
        unless isIdle: (Value) -> Bool = { _ in false }, _ body: (Database) throws -> Value
    ) throws(InboxError) -> Value {
        try stayInPlace()
        let value = try perform { queue in
            try queue.writeWithoutTransaction { database in
                var value: Value?
                try database.inTransaction {
                    let made = try body(database)
                    value = made
                    return isIdle(made) ? .rollback : .commit
                }
                // The transaction throws, or has run `body` to its end.
                return value!
            }
        }
        try stayInPlace()
        return value
    }

    /// Runs one transaction that writes receipts. It also removes those that the broker has confirmed: their page is
    /// written anyway.
    ///
    /// - Parameter isIdle: see ``write(unless:_:)``.
    func writeReceipts<Value>(
        unless isIdle: (Value) -> Bool = { _ in false }, _ body: (Database) throws -> Value
    ) throws(InboxError) -> Value {
        let gone = delivered.withLock { $0 }
        let value = try write(unless: isIdle) { database in
            // Removed first: in a new file, a later receipt could have the same number.
            try Self.removeReceipts(gone, from: database)
            return try body(database)
        }
        if !gone.isEmpty, !isIdle(value) { delivered.withLock { $0.subtract(gone) } }
        return value
    }

    /// Runs `body`, which must not write, on one state of the file.
    ///
    /// Does not use GRDB's `read`: that sets `PRAGMA query_only` before and after, and each time SQLite compiles every
    /// statement again (pragma.c, `OP_Expire`).
    func read<Value>(_ body: (Database) throws -> Value) throws(InboxError) -> Value {
        try perform { queue in
            try queue.unsafeRead { database in
                var value: Value?
                try database.inTransaction(.deferred) {
                    value = try body(database)
                    return .commit
                }
                // The transaction throws, or has run `body` to its end.
                return value!
            }
        }
    }

    /// Runs `body`. If the file turns out to be damaged, runs it once more on the new one.
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

    func failure(_ error: any Error) -> InboxError {
        if let error = error as? InboxError { return error }
        return Self.isCorruption(error)
            ? .corrupt(path: path, reason: reason(error)) : .failed(path: path, reason: reason(error))
    }

    /// The header holds a format number that no version of SQLite has written so far: a flipped bit. SQLite reports it
    /// only in its message.
    private static func isUnknownFormat(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.message == "unsupported file format"
    }

    private static func isCorruption(_ error: any Error) -> Bool {
        let code = (error as? DatabaseError)?.resultCode
        return code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
    }
}

/// SQLite's own message, without the statement.
private func reason(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    return error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
}
