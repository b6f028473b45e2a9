import GRDB
import SoundboxCore

/// The tables of the gateway's file.
enum StoreSchema {
    /// Stored in the file as `PRAGMA user_version`. Increase it with every change to the tables, and migrate files
    /// of the versions before, as ``migrateFrom3(_:)``.
    static let version = 6
    private static let migratedVersions = 3..<version

    /// - Columns in `_at` and `state_since` are of the wall clock, in milliseconds since 1970, and for people. Those in
    ///   `_after` are ``Moment/running``, in milliseconds, and what is decided by.
    /// - `box.said_at` is the box's own time of its last status, by its clock.
    /// - `clock` has one row: ``Moment/running`` of the last commit.
    /// - `payment.due_after` is when an open payment is to be looked at: to be published, published again, or given up. NULL
    ///   for one that the box has, or that has ended. Both indexes hold the open ones only, so they stay small.
    /// - `payment.receipt_…` is the last receipt of it, or of the copy that it corrects.
    /// - A payment and its refund may have one id.
    /// - `payment.hook` is the name of the hook that has brought it; NULL for a request of the payment system's own.
    /// - `payment.token` is the name of the access token that has brought it; NULL for a webhook.
    /// - `payment.has_failed_for_amount`: ``StoredPayment/hasFailedForAmount``.
    /// - `payment.notice` is the ``NoticeDocument``, which is published.
    /// - `callback` has each ``Callback`` that its receiver has not taken. `due_after` is when it is sent next; NULL for one
    ///   that was given up. `answer` is what came of the last attempt. Both indexes hold those that wait.
    /// - `unread` has each ``UnreadWebhook``; `hash` is the SHA-256 of its document. The index on `size` is for the sum,
    ///   and that on `came_after` for the deleting: otherwise both are walks through all documents.
    static let sql = """
        CREATE TABLE box (
            number INTEGER PRIMARY KEY,
            merchant TEXT NOT NULL,
            device TEXT NOT NULL,
            session_epoch INTEGER,
            faults TEXT NOT NULL DEFAULT '[]',
            seen_at INTEGER,
            said_at INTEGER,
            reconciled_epoch INTEGER,
            reconciled_after INTEGER,
            UNIQUE (merchant, device)
        ) STRICT;
        \(payment)
        \(unread)
        \(callback)
        CREATE TABLE clock (running INTEGER NOT NULL) STRICT;
        INSERT INTO clock VALUES (0);
        """

    private static let payment = """
        CREATE TABLE payment (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            box INTEGER NOT NULL,
            payment_id TEXT NOT NULL,
            is_refund INTEGER NOT NULL,
            notice TEXT NOT NULL,
            accepted_at INTEGER NOT NULL,
            accepted_after INTEGER NOT NULL,
            state TEXT NOT NULL,
            state_since INTEGER NOT NULL,
            how TEXT,
            reason TEXT,
            receipt_epoch TEXT,
            receipt_sequence INTEGER,
            published_at INTEGER,
            published_after INTEGER,
            resends INTEGER NOT NULL,
            session_epoch INTEGER,
            due_after INTEGER,
            hook TEXT,
            has_failed_for_amount INTEGER NOT NULL DEFAULT 0,
            token TEXT,
            UNIQUE (box, payment_id, is_refund)
        ) STRICT;
        \(hookIndex)
        CREATE INDEX payment_due ON payment (due_after) WHERE due_after IS NOT NULL;
        CREATE INDEX payment_open ON payment (box) WHERE due_after IS NOT NULL;
        """

    private static let hookIndex = "CREATE INDEX payment_hook ON payment (hook, payment_id) WHERE hook IS NOT NULL;"

    private static let unread = """
        CREATE TABLE unread (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            hook TEXT NOT NULL,
            path TEXT NOT NULL,
            form TEXT NOT NULL,
            signed TEXT,
            hash BLOB NOT NULL,
            size INTEGER NOT NULL,
            document BLOB NOT NULL,
            came_at INTEGER NOT NULL,
            came_after INTEGER NOT NULL,
            count INTEGER NOT NULL,
            reason TEXT NOT NULL,
            UNIQUE (hook, hash)
        ) STRICT;
        CREATE INDEX unread_size ON unread (size);
        \(unreadCame)
        """

    private static let unreadCame = "CREATE INDEX unread_came ON unread (came_after);"

    private static let callback = """
        CREATE TABLE callback (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            receiver TEXT NOT NULL,
            event_id TEXT NOT NULL,
            body TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            created_after INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            answer TEXT,
            given_up_at INTEGER,
            due_after INTEGER
        ) STRICT;
        CREATE INDEX callback_due ON callback (receiver, due_after, created_after) WHERE due_after IS NOT NULL;
        CREATE INDEX callback_waiting ON callback (created_after) WHERE due_after IS NOT NULL;
        """

    /// Makes an empty file, or one of version 3 to 5, one of this version. Call it in a transaction, which undoes everything
    /// where it throws.
    ///
    /// - Throws: for a file of another version too.
    static func prepare(_ database: Database) throws {
        let found = try foundVersion(database)
        if found == version { return }
        if migratedVersions.contains(found) {
            do {
                switch found {
                case 3: try migrateFrom3(database)
                case 4: try migrateFrom4(database)
                default: break
                }
                if found < 5 { try database.execute(sql: callback) }
                // Of 3 the table is made anew.
                if found > 3 { try database.execute(sql: "ALTER TABLE payment ADD COLUMN token TEXT") }
            } catch let error as DatabaseError {
                throw DatabaseError(
                    resultCode: error.extendedResultCode,
                    message: "it stays of version \(found), since it cannot be migrated: \(error.message ?? "\(error)")"
                )
            }
        } else {
            let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
            guard found == 0, isEmpty else { throw unknownVersion(found) }
            try database.execute(sql: sql)
        }
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// For a program that only reads.
    ///
    /// - Throws: unless the file is of this version.
    static func check(_ database: Database) throws {
        let found = try foundVersion(database)
        if migratedVersions.contains(found) {
            throw DatabaseError(
                message: "it is of version \(found), and not \(version): the gateway migrates it as it starts")
        }
        guard found == version else { throw unknownVersion(found) }
    }

    private static func foundVersion(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    private static func unknownVersion(_ found: Int) -> DatabaseError {
        DatabaseError(
            message: "it is of another version of soundbox-gateway (\(found), and not \(version)), or another program's"
        )
    }

    // MARK: Migration

    /// Version 4 did not know which hook has brought a payment, and looked through all unread webhooks for old ones.
    private static func migrateFrom4(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE payment ADD COLUMN hook TEXT;
                ALTER TABLE payment ADD COLUMN has_failed_for_amount INTEGER NOT NULL DEFAULT 0;
                \(hookIndex)
                \(unreadCame)
                """)
    }

    /// Version 3 had a column for each field of a notice, and no unread webhooks. Everything else stays, numbers of payments included.
    private static func migrateFrom3(_ database: Database) throws {
        let function = DatabaseFunction("notice_document", argumentCount: 9, pure: true, function: document)
        database.add(function: function)
        let others = """
            accepted_at, accepted_after, state, state_since, how, reason, receipt_epoch, receipt_sequence, published_at,
            published_after, resends, session_epoch, due_after
            """
        try database.execute(
            sql: """
                DROP INDEX payment_due;
                DROP INDEX payment_open;
                ALTER TABLE payment RENAME TO payment_3;
                \(payment)
                INSERT INTO payment (number, box, payment_id, is_refund, notice, \(others))
                    SELECT number, box, payment_id, is_refund,
                        notice_document(number, payment_id, amount, currency, kind, channel, paid_at, text, is_refund),
                        \(others)
                    FROM payment_3 ORDER BY number;
                DELETE FROM sqlite_sequence WHERE name = 'payment';
                UPDATE sqlite_sequence SET name = 'payment' WHERE name = 'payment_3';
                DROP TABLE payment_3;
                \(unread)
                """)
        database.remove(function: function)
    }

    /// - Parameter row: the number of a payment, and the columns of its notice in version 3.
    /// - Throws: which column cannot be read. The gateway wrote what it had checked, so somebody has changed it since.
    @Sendable private static func document(_ row: [DatabaseValue]) throws -> String {
        func text(_ column: Int) -> String { decoded(row[column]) ?? "" }
        func unreadable(_ column: String) -> DatabaseError {
            DatabaseError(message: "the \(column) of payment number \(row[0]) cannot be read")
        }
        guard let id = try? PaymentID(text(1)) else { throw unreadable("payment_id") }
        guard let currency = Currency(text(3)) else { throw unreadable("currency") }
        guard let money = try? Money(text(2), currency) else { throw unreadable("amount") }
        guard let kind = PaymentNotice.Kind(rawValue: text(4)), (kind == .refund) == decoded(row[8])
        else {
            throw unreadable("kind")
        }
        guard let paidAt = decoded(row[6]) as Int64? else { throw unreadable("paid_at") }
        let time = Timestamp(millisecondsSince1970: paidAt)
        let notice = PaymentNotice(
            id: id, money: money, kind: kind, channel: decoded(row[5]), paidAt: time,
            text: decoded(row[7]))
        return NoticeDocument(notice, accepted: time).text
    }

    /// Inlined, it ends the compiler: Swift 6.3.1 reports an ownership error as it optimises ``document(_:)``.
    @inline(never)
    private static func decoded<Value: DatabaseValueConvertible>(_ value: DatabaseValue) -> Value? {
        Value.fromDatabaseValue(value)
    }
}
