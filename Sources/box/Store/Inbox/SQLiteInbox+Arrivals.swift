import GRDB
import SoundboxCore
import SoundboxSystem
import Synchronization

extension SQLiteInbox {
    public func store(
        _ arrivals: [Arrival], at now: Timestamp, clock: ClockTrust
    ) throws(InboxError) -> [ArrivalOutcome] {
        let (outcomes, damaged) = try writeReceipts { database in
            var insertion = try Insertion(at: now, clock: clock, in: database)
            return (try arrivals.map { try insertion.store($0) }, insertion.damaged)
        }
        for line in damaged { report(line) }
        return outcomes
    }
}

/// Stores arrivals in one transaction.
private struct Insertion {
    private let database: Database
    private let now: Timestamp
    private let clock: ClockTrust
    private let insertion: Statement
    private var lastSequence: Int64
    /// A line about every damaged row that was replaced.
    private(set) var damaged: [String] = []

    init(at now: Timestamp, clock: ClockTrust, in database: Database) throws {
        self.database = database
        self.now = now
        self.clock = clock
        insertion = try database.cachedStatement(sql: CheckedTable.notice.insertIfNew)
        lastSequence = try CheckedTable.notice.lastNumber(in: database)
    }

    mutating func store(_ arrival: Arrival) throws -> ArrivalOutcome {
        switch arrival {
        case .rejection(let rejection):
            let reason = rejection.description
            try SQLiteInbox.insert(
                Receipt(id: rejection.id, state: .rejected, at: now, reason: reason), into: database)
            return .rejected(rejection)
        case .notice(let notice, let remark):
            if try isRemembered(notice.id) { return try duplicate(notice, of: notice.money) }
            // Asked for first: an insertion that meets a known id uses a number up all the same (AUTOINCREMENT), and a
            // number without a row counts as a payment that was lost.
            if let known = try SQLiteInbox.noticeRow(notice.id, in: database) {
                return try store(notice, remark, knownAs: known)
            }
            guard let entry = try insert(notice, remark) else { throw SQLiteInbox.wrongIndex }
            return .stored(entry)
        }
    }

    private mutating func store(
        _ notice: PaymentNotice, _ remark: String?, knownAs known: Row
    ) throws -> ArrivalOutcome {
        let record = try? NoticeRecord(known, of: .notice)
        // The index may lead to another payment's row, which must not make this one a duplicate.
        if let record, record.entry.notice.id != notice.id { throw SQLiteInbox.wrongIndex }
        let copy = try SQLiteInbox.waitingRow(known.sequence, in: database)
        if let copy {
            // It waits. Its content is in the undamaged copy of the two.
            if let entry = try SQLiteInbox.waitingRecord(copy, in: database)?.entry, entry.notice.id == notice.id {
                return try duplicate(notice, of: entry.notice.money)
            }
        } else if let record, record.isWaiting {
            // The copy in `waiting` is lost. It is restored from the other one.
            try SQLiteInbox.write(record, to: .waiting, in: database)
            return try duplicate(notice, of: record.entry.notice.money)
        } else {
            // It has ended. That is certain even if its content is damaged.
            return try duplicate(notice, of: record?.entry.notice.money ?? notice.money)
        }
        // It was not spoken, and both copies are damaged. It has come again, undamaged.
        let row = SQLiteInbox.Damage(known, origin: .notice)
        try SQLiteInbox.setAside(row, at: now, in: database)
        if let copy { try SQLiteInbox.setAside(SQLiteInbox.Damage(copy, origin: .waiting), at: now, in: database) }
        damaged.append("row \(row.sequence) is damaged; the payment \(notice.id) came again and takes its place")
        guard let entry = try insert(notice, remark) else { throw SQLiteInbox.wrongIndex }
        return .stored(entry)
    }

    private mutating func insert(_ notice: PaymentNotice, _ remark: String?) throws -> InboxEntry? {
        let entry = InboxEntry(
            sequence: lastSequence + 1, notice: notice, receivedAt: now, clock: clock, state: .received)
        let record = NoticeRecord(entry)
        try insertion.execute(arguments: record.arguments(for: .notice))
        guard database.changesCount == 1 else { return nil }
        lastSequence += 1
        try SQLiteInbox.write(record, to: .waiting, in: database)
        try SQLiteInbox.insert(Receipt(id: notice.id, state: .stored, at: now, reason: remark), into: database)
        return entry
    }

    /// Whether a salvage has saved this id and nothing else of its payment.
    private func isRemembered(_ id: PaymentID) throws -> Bool {
        try Int.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM known WHERE payment_id = ?"), arguments: [id.key]) != nil
    }

    private func duplicate(_ notice: PaymentNotice, of stored: Money) throws -> ArrivalOutcome {
        let differs = stored == notice.money ? nil : stored
        let reason = differs.map { "the id is known with another amount: \($0)" }
        try SQLiteInbox.insert(Receipt(id: notice.id, state: .duplicate, at: now, reason: reason), into: database)
        return .duplicate(notice, differs: differs)
    }
}

extension SQLiteInbox {
    /// Ensures that the open file is the one at the path. A file that was deleted or moved away stays complete while it
    /// is open, so it is written to its path again.
    func stayInPlace() throws(InboxError) {
        let (queue, identity, repair) = connection.withLock { ($0.queue, $0.identity, $0.repair) }
        guard let change = identity?.change(at: path) else { return }
        guard let repair else { throw .failed(path: path, reason: change) }
        try replacing.withLock { (_) throws(InboxError) in
            // Another thread has done it in the meantime.
            guard connection.withLock({ $0.queue === queue && $0.damage == nil }) else { return }
            do { try rebuild(from: queue, because: change, repair) } catch {
                throw .failed(
                    path: path, reason: "\(change), and it cannot be written anew: \(failure(error).reason)")
            }
        }
    }

    private func rebuild(from queue: DatabaseQueue, because change: String, _ repair: Repair) throws {
        FileSwap.removeUnfinished(path)
        let swap = FileSwap.new(path: path, purpose: .rebuilt, stamp: repair.now().stamp)
        do {
            let copy = try DatabaseQueue(path: FileSwap.unfinished(path), configuration: Configuration())
            // In WAL mode the copy would have a log beside it.
            try queue.backup(to: copy)
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            try swap.announce()
        } catch {
            FileSwap.removeUnfinished(path)
            throw error
        }
        // From here on the new file is the valid one. If the swap fails, the next request finishes it.
        connection.withLock {
            $0.damage = change
            $0.identity = nil
        }
        // Closed before the renames, because closing removes a log by its name.
        try? queue.close()
        try swap.perform(repair.step)
        try goOn(with: try Self.open(path), repair)
        let stood = FileIdentity.exists(swap.kept) ? swap.kept : nil
        repair.happened(.displaced(reason: change, kept: stood))
    }
}
