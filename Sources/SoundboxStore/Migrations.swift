import GRDB

/// The schema's history. Append; never change a migration that has shipped.
enum Migrations {
    /// Refuses a file whose tables a later version of this program has changed: what that version relies on is unknown
    /// here, and an update that is tried again must find the file as it left it.
    ///
    /// On a connection of its own: GRDB writes to a file when it switches to WAL.
    static func checkNotNewer(_ path: String, _ configuration: Configuration) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read(checkNotNewer)
        try queue.close()
    }

    static func checkNotNewer(_ database: Database) throws {
        guard try all.hasBeenSuperseded(database) else { return }
        throw NewerSchema()
    }

    struct NewerSchema: Error, CustomStringConvertible {
        var description: String {
            "a newer version of soundbox has changed its tables; install that version again, or put the backup from "
                + "before the update back"
        }
    }

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
        migrator.registerMigration("2: clock, summaries, damage") { database in
            // announced_number counts what was ever announced: the newest announced row knows the total, so that
            // status never scans the history and announcing dirties no further page. That row is found from the end
            // of the table without an index of its own.
            try database.execute(
                sql: """
                    ALTER TABLE notice ADD COLUMN clock_was_set INTEGER NOT NULL DEFAULT 1;
                    ALTER TABLE notice ADD COLUMN announced_number INTEGER;
                    UPDATE notice SET announced_number = (SELECT count(*) FROM notice WHERE state = 'announced')
                        WHERE sequence = (SELECT max(sequence) FROM notice WHERE state = 'announced');
                    DROP INDEX notice_announced;
                    ALTER TABLE receipt ADD COLUMN summary TEXT;
                    CREATE TABLE damaged (
                        number INTEGER PRIMARY KEY,
                        found_at INTEGER NOT NULL,
                        origin TEXT NOT NULL,
                        content TEXT NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("4: commands") { database in
            // A receipt's command is NULL where it is about a payment, and empty where the command has no id.
            try database.execute(
                sql: """
                    CREATE TABLE command (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        expiry INTEGER NOT NULL
                    ) STRICT;
                    ALTER TABLE receipt ADD COLUMN command TEXT;
                    """)
        }
        return migrator
    }()
}
