import Dispatch
import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

extension SQLiteInbox {
    /// The most that the check at start may take. A history that is too large is not checked.
    static let checkLimit = Duration.seconds(5)

    /// How to handle damage.
    struct Repair: Sendable {
        var now: @Sendable () -> Timestamp
        var happened: @Sendable (StorageIncident) -> Void
        /// Called with the reason before a salvage at a start; throws to defer it.
        var beforeSalvage: @Sendable (_ reason: String) throws(InboxError) -> Void = { _ throws(InboxError) in }
        /// Ends a salvage by throwing. For tests.
        var step: @Sendable (SalvageStep) throws -> Void = { _ in }
        /// Called before each page that is read.
        var willRead: @Sendable (Int) -> Void = { _ in }
        /// Bytes on the disk that earlier payments must leave free for new ones.
        var reserve = 16 << 20
        /// The pause after a failed attempt, since each one reads the whole file.
        var pause = Duration.seconds(5)
    }

    /// When the last attempt at a salvage failed, and why.
    struct LastAttempt {
        var time: Duration?
        var failure: InboxError?
        /// Whether the new file was at the path already: it only has to be opened.
        var isInPlace = false
    }

    /// Opens the inbox when the box starts, and checks the file. If the file is damaged, now or later, the box
    /// continues with a new file, into which the waiting payments, all ids and the newest payments are saved. Nothing
    /// is deleted. Blocks, also during a salvage: 100 MB take some seconds on a PC, and up to a minute on a small
    /// board.
    ///
    ///     let inbox = try SQLiteInbox.recovering(
    ///         path: "/var/lib/soundbox/inbox.sqlite", isExpected: true, now: { clock.now },
    ///         log: { line in print(line) }, happened: { incident in print(incident) })
    ///
    /// If there is no room for the new file, every request fails and says so. The salvage is tried again from time to
    /// time.
    ///
    /// - Parameters:
    ///   - isExpected: whether there was a file at the path before. If it is missing or empty, it counts as damaged.
    ///   - now: names the damaged file. The new file numbers its receipts from this time on, so that they stay above
    ///     those of the damaged one.
    ///   - log: as for ``init(path:log:)``.
    ///   - happened: called with every incident, on the thread that found it; must not block.
    ///   - beforeSalvage: called with the reason before a salvage at a start, so that people can be told before they
    ///     have to wait. What it throws is thrown here, and the file is not changed.
    ///   - salvageGoesOn: called for every page that a salvage reads, on the salvaging thread; must not block.
    public static func recovering(
        path: String, isExpected: Bool = false, now: @escaping @Sendable () -> Timestamp,
        log: @escaping @Sendable (String) -> Void, happened: @escaping @Sendable (StorageIncident) -> Void,
        beforeSalvage: @escaping @Sendable (_ reason: String) throws(InboxError) -> Void = { _ throws(InboxError) in },
        salvageGoesOn: @escaping @Sendable () -> Void = {}
    ) throws(InboxError) -> SQLiteInbox {
        try recovering(
            path: path, isExpected: isExpected,
            Repair(
                now: now, happened: happened, beforeSalvage: beforeSalvage, willRead: { _ in salvageGoesOn() }),
            log: log)
    }

    static func recovering(
        path: String, isExpected: Bool = false, _ repair: Repair, log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(InboxError) -> SQLiteInbox {
        FileSwap.removeUnfinished(path)
        if let swap = FileSwap(unfinishedAt: path) {
            do { try swap.perform(repair.step) } catch {
                throw .cannotOpen(path: path, reason: "a new database cannot take the damaged one's place: \(error)")
            }
        }
        var (problem, last) = LastTransaction.examine(path)
        // SQLite would take it for a new file, even with one byte. A card that loses writes leaves such files.
        if problem == nil, isExpected, FileIdentity.size(path) <= 1 {
            problem = FileIdentity.exists(path) ? "the database is empty" : SetAsideDatabase.missing
        }
        if problem == nil {
            do throws(InboxError) {
                let inbox = try SQLiteInbox(path: path, log: log)
                inbox.connection.withLock { $0.repair = repair }
                if let problem = try inbox.check() {
                    try repair.beforeSalvage(problem)
                    inbox.replaceIfPossible(because: problem)
                    try inbox.restoreAndForget(last, at: repair.now())
                } else {
                    try inbox.restoreAndForget(last, at: repair.now())
                    do { try inbox.restoreWaiting() } catch { inbox.report("whether all wait that should: \(error)") }
                    inbox.resume(repair)
                }
                return inbox
            } catch {
                guard case .corrupt(_, let reason) = error else { throw error }
                problem = reason
            }
        }
        // It is too damaged to be opened.
        try repair.beforeSalvage(problem ?? "")
        if !FileIdentity.exists(path) {
            // The renames that follow need a file. If the process is killed here, the file is empty, which is damage as
            // well.
            close(Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o660))
        }
        let inbox = try SQLiteInbox(damaged: path, because: problem ?? "", repair: repair, log: log)
        inbox.replaceIfPossible(because: problem ?? "")
        // If the file cannot be replaced yet, the next start finds the transaction again.
        do { try inbox.restoreAndForget(last, at: repair.now()) } catch {
            inbox.report("the last transaction: \(error)")
        }
        return inbox
    }

    private func restoreAndForget(_ last: LastTransaction?, at now: Timestamp) throws(InboxError) {
        if let last { try restore(last, at: now) }
        LastTransaction.forget(path)
    }

    /// Replaces the file. If that fails, the next request tries again.
    private func replaceIfPossible(because reason: String) {
        do throws(InboxError) { _ = try replace(queue, because: reason) } catch { report("\(error)") }
    }

    /// Reports a salvage that people may not have heard about before this start.
    private func resume(_ repair: Repair) {
        do throws(InboxError) { try endLostCustomMessages(at: repair.now()) } catch {
            report("whether custom messages are lost: \(error)")
        }
        do throws(InboxError) {
            let untold = try read { database in
                try Row.fetchOne(
                    database,
                    sql: """
                        SELECT source, reason, waiting, payments, ids FROM salvage WHERE was_told = 0
                        ORDER BY number DESC LIMIT 1
                        """)
            }
            if let cells = untold?.cells {
                report(
                    "from the database \(cells[0].text ?? "") were saved: \(cells[2].integer ?? 0) payments that waited, "
                        + "\(cells[3].integer ?? 0) others, and of \(cells[4].integer ?? 0) more the id")
                repair.happened(
                    .damaged(
                        SetAsideDatabase(
                            path: "\(path.dropLast(path.fileName.utf8.count))\(cells[0].text ?? "")",
                            reason: cells[1].text ?? "", savedWaiting: Int(cells[2].integer ?? 0))))
            }
        } catch {
            report("whether there was a salvage cannot be read: \(error)")
        }
    }

    /// Notes that people had time to hear about the last salvage, so that the next start need not report it again.
    public func salvageWasTold() throws(InboxError) {
        guard try read({ try Int.fetchOne($0, sql: "SELECT 1 FROM salvage WHERE was_told = 0") }) != nil else { return }
        try write { try $0.execute(sql: "UPDATE salvage SET was_told = 1") }
    }

    /// Replaces a damaged file by a new one, into which the waiting payments are saved.
    ///
    /// - Returns: the new file; `nil` when the caller must handle the damage.
    func replace(_ damaged: DatabaseQueue, because reason: String) throws(InboxError) -> DatabaseQueue? {
        guard let repair = connection.withLock({ $0.repair }) else { return nil }
        // Several threads may find the damage. One of them salvages while the others wait.
        let (present, isFresh) = try replacing.withLock { (last) throws(InboxError) in
            let current = connection.withLock { $0.queue }
            guard current === damaged else { return (current, false) }
            if let time = last.time, let failure = last.failure, Duration.monotonicNow - time < repair.pause {
                throw failure
            }
            // From here on the file is closed. If anything fails, the next request tries again.
            connection.withLock {
                $0.damage = reason
                $0.identity = nil
            }
            try? damaged.close()
            var swap: FileSwap?
            do {
                if !last.isInPlace {
                    let made =
                        try FileSwap(unfinishedAt: path)
                        ?? Salvage(
                            path: path, reason: reason, now: repair.now(), reserve: repair.reserve, step: repair.step,
                            willRead: repair.willRead
                        ).build()
                    swap = made
                    try made.perform(repair.step)
                }
                let fresh = try Self.open(path)
                try goOn(with: fresh, repair)
                last = LastAttempt()
                return (fresh, true)
            } catch {
                let failure = InboxError.failed(
                    path: path,
                    reason: "it is damaged (\(reason)), and what is in it cannot be saved yet: \(failure(error).reason)"
                )
                if let swap, access(swap.ready, F_OK) != 0 { last.isInPlace = true }
                (last.time, last.failure) = (.monotonicNow, failure)
                throw failure
            }
        }
        if isFresh { resume(repair) }
        return present
    }

    func goOn(with fresh: DatabaseQueue, _ repair: Repair) throws {
        announcedTotal.store(try fresh.read { try Self.announcedTotal(in: $0) }, ordering: .relaxed)
        connection.withLock {
            $0 = Connection(queue: fresh, identity: FileIdentity(path: path), repair: repair)
        }
    }

    /// Runs SQLite's check of pages and rows and, if that was quick, of the indexes.
    ///
    /// - Returns: what is wrong; `nil` when nothing is, or when the check took too long.
    func check(limit: Duration = checkLimit) throws(InboxError) -> String? {
        let start = Duration.monotonicNow
        if let problem = try check("quick_check", limit: limit) { return problem }
        let rest = limit - (Duration.monotonicNow - start)
        return rest > limit / 2 ? try check("integrity_check", limit: rest) : nil
    }

    private func check(_ pragma: String, limit: Duration) throws(InboxError) -> String? {
        final class Done: Sendable { let flag = Mutex(false) }
        let done = Done()
        // The lock ensures that only the check is interrupted. A cancelled work item lives until its time comes. If it
        // held the connection, the files would be closed then, and the last to close a database deletes the log at its
        // path, whichever file that log belongs to by now.
        let interruption = DispatchWorkItem { [weak queue = queue] in
            done.flag.withLock { if !$0 { queue?.interrupt() } }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1), execute: interruption)
        defer {
            done.flag.withLock { $0 = true }
            interruption.cancel()
        }
        do {
            let answer = try queue.read { try String.fetchOne($0, sql: "PRAGMA \(pragma)(1)") }
            // The first line names the database.
            guard answer != "ok" else { return nil }
            return answer?.split(separator: "\n").last.map(String.init) ?? "\(pragma) says nothing"
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            report("the check of the payment database was given up after \(limit): it is large")
            return nil
        } catch {
            throw .corrupt(path: path, reason: failure(error).reason)
        }
    }
}

extension InboxError {
    /// The reason without the path.
    var reason: String {
        switch self {
        case .cannotOpen(_, let reason), .corrupt(_, let reason), .failed(_, let reason): reason
        }
    }
}

/// An incident of the inbox's file that people must hear about.
public enum StorageIncident: Sendable, Equatable, CustomStringConvertible {
    /// The file was damaged, missing, or of another version.
    case damaged(SetAsideDatabase)
    /// The file was no longer at its path and was written there again. `kept` is the file that was there instead,
    /// renamed.
    case displaced(reason: String, kept: String?)
    /// The last transaction before this start was damaged, and this many payments of it cannot be read.
    case transactionDamaged(lost: Int)

    /// One line for the status and the log.
    public var description: String {
        switch self {
        case .damaged(let damaged) where damaged.reason == SetAsideDatabase.missing:
            "\(damaged.reason), though this box had one; it goes on with a new one: payments that waited are lost, and "
                + "one that is sent again is spoken again"
        case .damaged(let damaged):
            "the payment database was put aside: \(damaged.reason); it is kept as \(damaged.path), and "
                + "\(damaged.savedWaiting) payments that wait were saved from it; some may be missing"
        case .transactionDamaged(let lost):
            "the last transaction of the payment database was damaged: \(lost) payments of it cannot be read and are not "
                + "spoken; their senders are asked to publish them again as far as their ids are known"
        case .displaced(let reason, let kept):
            "while the box ran \(reason); the payment database was written there anew, nothing is lost"
                + (kept.map { "; what stood there is kept as \($0)" } ?? "")
        }
    }
}

/// The result of setting a damaged database aside.
public struct SetAsideDatabase: Sendable, Equatable {
    /// Where the damaged file is now.
    public var path: String
    /// Why it was set aside, in SQLite's words.
    public var reason: String
    /// How many payments that were not heard could be read from it.
    public var savedWaiting: Int

    /// The reason if there was no file any more.
    static let missing = "the payment database is missing"
}
