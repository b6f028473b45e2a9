import GRDB
import SoundboxCore
import Synchronization

/// The inbox in an SQLite file.
///
/// WAL with `synchronous = FULL`: every commit is on the disk when it returns. WAL's usual `NORMAL` may lose the last
/// commits at a power cut (SQLite, "PRAGMA synchronous"), and with them payments that were acknowledged.
///
/// What waits is kept twice, on different pages: in the table `notice` with every other payment, and in the table
/// `waiting`, which says what waits. Each row carries a checksum.
public final class SQLiteInbox: Inbox {
    let path: String
    /// What was announced since the file was made; follows the commits.
    let announcedTotal: Atomic<Int>
    let connection: Mutex<Connection>
    /// Held while another file takes the place of the present one.
    let replacing = Mutex<LastAttempt>(LastAttempt())
    let history = HistoryGate()
    private let log: @Sendable (String) -> Void

    /// The open file. Another one takes its place when it is found damaged while the box runs.
    struct Connection: Sendable {
        var queue: DatabaseQueue
        /// The files as they were opened; `nil` while none is.
        var identity: FileIdentity?
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
        connection = Mutex(Connection(queue: queue, identity: FileIdentity(path: path)))
        do { announcedTotal = Atomic(try queue.read { try Self.announcedTotal(in: $0) }) } catch {
            throw Self.openingFailure(error, path: path)
        }
    }

    /// An inbox whose file is too damaged to be opened: whatever is asked of it begins with the salvage.
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
            // Another process may read (a backup, an engineer with sqlite3) and hold the file for a moment.
            configuration.busyMode = .timeout(5)
            try Migrations.checkBeforeOpening(path, configuration)
            configuration.journalMode = .wal
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction {
                // After opening, since choosing WAL makes GRDB set NORMAL. A queue has this one connection only.
                try $0.execute(sql: "PRAGMA synchronous = FULL")
                // One large transaction must not leave a large file behind for good: back to what 1,000 pages take.
                try $0.execute(sql: "PRAGMA journal_size_limit = \(4 << 20)")
                // What is deleted is overwritten: a salvage that meets a free page must not take old rows for new.
                try $0.execute(sql: "PRAGMA secure_delete = ON")
            }
            try Migrations.all.migrate(queue)
            return queue
        } catch {
            throw openingFailure(error, path: path)
        }
    }

    static func openingFailure(_ error: any Error, path: String) -> InboxError {
        isCorruption(error) || isUnknownFormat(error)
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

    func note(_ line: String) { log(line) }

    /// One transaction in the file that stands at the path: a commit into a file that was deleted or moved away is lost
    /// with the process, and nobody may be told that it is on the disk.
    func write<Value>(_ body: (Database) throws -> Value) throws(InboxError) -> Value {
        try stayInPlace()
        let value = try perform { try $0.write(body) }
        try stayInPlace()
        return value
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

    func failure(_ error: any Error) -> InboxError {
        if let error = error as? InboxError { return error }
        return Self.isCorruption(error)
            ? .corrupt(path: path, reason: reason(error)) : .failed(path: path, reason: reason(error))
    }

    /// A number in the file's header that no version of SQLite has written, so far: one flipped bit.
    private static func isUnknownFormat(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.message == "unsupported file format"
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
