import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem

/// A ``PaymentStore`` in one SQLite file.
///
///     let store = try SQLitePaymentStore(path: "/var/lib/soundbox-gateway/gateway.sqlite")
///
/// WAL with `synchronous = FULL`: every commit is on the disk when it returns.
package final class SQLitePaymentStore: PaymentStore {
    package let path: String
    package let clock: GatewayClock
    private let queue: DatabaseQueue
    /// Held as long as payments may be published from this file.
    private let lock: FileLock?
    private let identity: FileIdentity?
    private let role: StoreRole
    let unreadLimits: UnreadLimits
    /// Who is told of which states.
    let receivers: [String: Set<PaymentState>]

    /// Opens the file, creates it if it is missing, and migrates one of an earlier version.
    ///
    /// - Throws: also when another gateway has the file: each payment would be published twice.
    /// - Parameters:
    ///   - role: only the gateway creates and migrates the file.
    ///   - receivers: who gets a callback when a payment comes into one of these states.
    package init(
        path: String, role: StoreRole = .gateway, unreadLimits: UnreadLimits = UnreadLimits(),
        receivers: [String: Set<PaymentState>] = [:]
    ) throws(StoreError) {
        self.path = path
        self.role = role
        self.unreadLimits = unreadLimits
        self.receivers = receivers
        lock = role == .gateway ? try Self.lock(path) : nil
        if role == .editor, !SmallFile.exists(path) { throw StoreError("\(path): is not there") }
        do {
            var configuration = GRDB.Configuration()
            configuration.label = "gateway"
            // A backup or an engineer with sqlite3 may hold the file for a moment.
            configuration.busyMode = .timeout(5)
            configuration.readonly = role == .reader
            if role != .reader { configuration.journalMode = .wal }
            queue = try DatabaseQueue(path: path, configuration: configuration)
            guard role != .reader else {
                try queue.read(StoreSchema.check)
                (identity, clock) = (nil, GatewayClock(running: .zero))
                return
            }
            try queue.writeWithoutTransaction {
                // Set after opening, because GRDB sets NORMAL when it chooses WAL.
                try $0.execute(sql: "PRAGMA synchronous = FULL")
                try $0.execute(sql: "PRAGMA journal_size_limit = \(16 << 20)")
            }
            if role == .gateway {
                try queue.write(StoreSchema.prepare)
            } else {
                try queue.read(StoreSchema.check)
            }
            identity = FileIdentity(path: path)
            let running = try queue.unsafeRead { try Int64.fetchOne($0, sql: "SELECT running FROM clock") }
            clock = GatewayClock(running: .milliseconds(running ?? 0))
        } catch { throw StoreError(path: path, error) }
    }

    /// On the file itself, whatever its names: SQLite's own locks are of another kind (fcntl).
    private static func lock(_ path: String) throws(StoreError) -> FileLock {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw StoreError("\(path): \(SystemError.last)") }
        guard let lock = FileLock(closing: descriptor) else {
            throw StoreError("\(path): another gateway runs with it")
        }
        return lock
    }

    package func saveTime() throws(StoreError) { try write { _ in } }

    /// There is no other gateway.
    package func release() {}

    /// Gives the file another name, so that no gateway goes on with it. The last thing that is done with it.
    package func retire() throws(StoreError) {
        do {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try queue.close()
        } catch { throw StoreError(path: path, error) }
        guard rename(path, "\(path).moved") == 0 else { throw StoreError("\(path): \(SystemError.last)") }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        // SQLite would go on with a file that has lost its name, and the next start would not find what is in it.
        if let change = identity?.change(at: path) {
            // A log that was deleted is still open here, and has payments that no other file has.
            try? queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            throw StoreError("\(change): put it back, and restart the gateway")
        }
        do {
            return try queue.write { database in
                let value = try body(database)
                guard role == .gateway else { return value }
                try database.cachedStatement(sql: "UPDATE clock SET running = ?")
                    .execute(arguments: [clock.now.running.inMilliseconds])
                return value
            }
        } catch { throw StoreError(path: path, error) }
    }

    /// Runs `body`, which must not write.
    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        // GRDB's `read` has SQLite compile every statement again (pragma.c, `OP_Expire`).
        do { return try queue.unsafeRead(body) } catch { throw StoreError(path: path, error) }
    }

    // MARK: Accepting

    static func accept(
        _ payments: [(box: BoxID, notice: PaymentNotice)], from sender: PaymentSender?, at now: Moment,
        in database: Database
    ) throws -> [Acceptance] {
        // Before any is stored: one webhook may have one id for several boxes.
        let elsewhere = try payments.map {
            try Self.payment($0.notice.id, of: sender?.hook, notFor: $0.box, in: database)
        }
        return try zip(payments, elsewhere).map { payment, elsewhere in
            let (box, notice) = payment
            let number = try Self.number(of: box, in: database)
            let known = try Self.payment(notice.id, ofBox: number, in: database)?.payment
            switch AcceptanceRules.decide(notice.money, known: known, elsewhere: elsewhere) {
            case .answer(let acceptance): return acceptance
            case .store(let lastReceipt):
                let columns = PaymentRow.columns(of: notice, from: sender, lastReceipt: lastReceipt, at: now)
                try database.insert(columns + [("box", .integer(number))], into: "payment", orReplace: true)
                return .accepted
            }
        }
    }

    /// The number of a box, which gets one if it has none.
    static func number(of box: BoxID, in database: Database) throws -> Int64 {
        if let number = try existingNumber(of: box, in: database) { return number }
        try database.cachedStatement(sql: "INSERT INTO box (merchant, device) VALUES (?, ?)")
            .execute(arguments: [box.merchant, box.device])
        return database.lastInsertedRowID
    }

    static func existingNumber(of box: BoxID, in database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT number FROM box WHERE merchant = ? AND device = ?"),
            arguments: [box.merchant, box.device])
    }

    // MARK: Reading

    package func payment(_ id: PaymentID, of box: BoxID) throws(StoreError) -> StoredPayment? {
        try read { database in
            guard let number = try Self.existingNumber(of: box, in: database) else { return nil }
            return try Self.payment(id, ofBox: number, in: database)?.payment
        }
    }

    package func due(at now: Duration, limit: Int) throws(StoreError) -> DuePayments {
        try read { database in
            var due = DuePayments()
            due.payments = try PaymentRow.fetchAll(
                database, where: "due_after <= ? ORDER BY due_after, payment.number LIMIT ?",
                [now.inMilliseconds, limit], unreadable: &due.unreadable
            ).map { DuePayments.Entry(number: $0.number, payment: $0.payment) }
            return due
        }
    }

    package func boxes() throws(StoreError) -> [BoxID: KnownBox] {
        try read { database in
            var boxes: [BoxID: KnownBox] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT * FROM box") {
                if let box = row.box { boxes[box] = KnownBox(row) }
            }
            return boxes
        }
    }

    package func unheard(limit: Int) throws(StoreError) -> [StoredPayment] {
        try read { database in
            try PaymentRow.fetchAll(
                database, where: "\(PaymentQuery.unheardCondition) ORDER BY payment.number LIMIT ?", [limit]
            ).map(\.payment)
        }
    }

    package func openSince() throws(StoreError) -> [Duration] {
        try read { database in
            try Int64.fetchAll(database, sql: "SELECT accepted_after FROM payment WHERE due_after IS NOT NULL")
                .map { .milliseconds($0) }
        }
    }

    static func payment(_ id: PaymentID, ofBox box: Int64, in database: Database) throws -> PaymentRow? {
        try PaymentRow.fetchAll(
            database, where: "payment.box = ? AND payment_id = ? AND is_refund = ?", [box, id.text, id.isRefund]
        ).first
    }

    /// What a hook has brought for another box under this id. Not what that box has refused: nobody heard it.
    private static func payment(
        _ id: PaymentID, of hook: String?, notFor box: BoxID, in database: Database
    ) throws -> StoredPayment? {
        guard let hook else { return nil }
        return try PaymentRow.fetchAll(
            database,
            where:
                "payment.hook = ? AND payment_id = ? AND is_refund = ? AND state <> ? AND NOT (merchant = ? AND device = ?)",
            [hook, id.text, id.isRefund, PaymentState.failed.rawValue, box.merchant, box.device]
        ).first?.payment
    }

    // MARK: Pruning

    package func prune(before time: Duration, limit: Int) throws(StoreError) -> Bool {
        try write { database in
            try database.execute(
                sql: "DELETE FROM unread WHERE came_after < ?", arguments: [time.inMilliseconds])
            try database.execute(
                sql: """
                    DELETE FROM callback WHERE created_after < ? AND due_after IS NULL
                        AND number IN (SELECT number FROM callback ORDER BY number LIMIT ?)
                    """, arguments: [time.inMilliseconds, limit])
            let callbacks = database.changesCount
            try database.execute(
                sql: """
                    DELETE FROM payment WHERE accepted_after < ? AND due_after IS NULL
                        AND number IN (SELECT number FROM payment ORDER BY number LIMIT ?)
                    """, arguments: [time.inMilliseconds, limit])
            // Some of the oldest may be open.
            return max(callbacks, database.changesCount) > limit / 2
        }
    }
}

extension StoreError {
    init(path: String, _ error: any Error) {
        // SQLite's own message, without the statement.
        let reason = (error as? DatabaseError).map { $0.message ?? "SQLite error \($0.extendedResultCode.rawValue)" }
        self.init("\(path): \(reason ?? "\(error)")")
    }
}
