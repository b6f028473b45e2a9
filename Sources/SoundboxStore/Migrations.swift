import GRDB

/// The schema's history. Append; never change a migration that has shipped.
enum Migrations {
    static let all: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: notices and receipts") { database in
            // The numbers of AUTOINCREMENT are never reused, so the order of arrival survives every deletion.
            try database.execute(
                sql: """
                    CREATE TABLE notice (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        payment_id TEXT NOT NULL UNIQUE,
                        amount TEXT NOT NULL,
                        currency TEXT NOT NULL,
                        kind TEXT NOT NULL,
                        channel TEXT,
                        paid_at INTEGER,
                        received_at INTEGER NOT NULL,
                        state TEXT NOT NULL
                            CHECK (state IN ('received', 'announcing', 'announced', 'expired', 'cancelled')),
                        ended_at INTEGER
                    ) STRICT;
                    CREATE INDEX notice_waiting ON notice (sequence) WHERE state IN ('received', 'announcing');
                    CREATE INDEX notice_announced ON notice (sequence) WHERE state = 'announced';
                    CREATE TABLE receipt (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        payment_id TEXT,
                        state TEXT NOT NULL,
                        at INTEGER NOT NULL,
                        reason TEXT
                    ) STRICT;
                    """)
        }
        return migrator
    }()
}
