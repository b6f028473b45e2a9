import GRDB

/// The tables of the gateway's file.
enum StoreSchema {
    /// Stored in the file as `PRAGMA user_version`. Increase it with every change to ``sql``.
    static let version = 3

    /// - Columns in `_at` and `state_since` are of the wall clock, in milliseconds since 1970, and for people. Those in
    ///   `_after` are ``Moment/running``, in milliseconds, and what is decided by.
    /// - `box.said_at` is the box's own time of its last status, by its clock.
    /// - `clock` has one row: ``Moment/running`` of the last commit.
    /// - `payment.due_after` is when an open payment is to be looked at: to be published, published again, or given up. NULL
    ///   for one that the box has, or that has ended. Both indexes hold the open ones only, so they stay small.
    /// - `payment.receipt_…` is the last receipt of it, or of the copy that it corrects.
    /// - A payment and its refund may have one id.
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
        CREATE TABLE payment (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            box INTEGER NOT NULL,
            payment_id TEXT NOT NULL,
            is_refund INTEGER NOT NULL,
            amount TEXT NOT NULL,
            currency TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT,
            paid_at INTEGER NOT NULL,
            text TEXT,
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
            UNIQUE (box, payment_id, is_refund)
        ) STRICT;
        CREATE TABLE clock (running INTEGER NOT NULL) STRICT;
        INSERT INTO clock VALUES (0);
        CREATE INDEX payment_due ON payment (due_after) WHERE due_after IS NOT NULL;
        CREATE INDEX payment_open ON payment (box) WHERE due_after IS NOT NULL;
        """

    /// - Throws: for a file of another version.
    static func prepare(_ database: Database) throws {
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if found == version { return }
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard found == 0, isEmpty else {
            throw DatabaseError(
                message:
                    "it is of another version of soundbox-gateway (\(found), and not \(version)), or another program's")
        }
        try database.execute(sql: sql)
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }
}
