import GRDB
import SoundboxCore

/// The schema's history. Append; never change a migration that has shipped.
enum Migrations {
    /// Refuses two kinds of file. One has tables that a later version of this program has changed: this version does not
    /// know what that one relies on, and a second attempt at the update must find the file as it was. The other has tables
    /// that differ from how they were made: no statement can be trusted with them.
    ///
    /// Uses a connection of its own, because GRDB writes to a file when it switches to WAL.
    static func checkBeforeOpening(_ path: String, _ configuration: Configuration) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { database in
            try checkNotNewer(database)
            if let problem = try SchemaCheck.problem(in: database) {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem)
            }
        }
        try queue.close()
    }

    static func checkNotNewer(_ database: Database) throws {
        let applied = try all.appliedIdentifiers(database)
        let ours = Set(all.migrations)
        guard !applied.isSubset(of: ours) else { return }
        // A later version has applied all migrations of this one, and more. An unknown migration in place of a missing
        // one is a name with a flipped bit.
        guard applied.isSuperset(of: ours) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the list of its migrations is damaged")
        }
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
            // AUTOINCREMENT never reuses a number, so the order of arrival survives every deletion.
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
        migrator.registerMigration("3: checksums, waiting payments kept twice, salvage") { database in
            // `waiting` replaces the index over waiting payments. It costs no further page per write, and one bad page no
            // longer loses a payment that nobody has heard. `known` and `salvage` are empty until a database is damaged.
            // A receipt's command is NULL when the receipt is about a payment, and empty when the command has no id.
            try database.execute(
                sql: """
                    ALTER TABLE notice ADD COLUMN checksum INTEGER;
                    ALTER TABLE receipt ADD COLUMN command TEXT;
                    ALTER TABLE receipt ADD COLUMN checksum INTEGER;
                    DROP INDEX notice_waiting;
                    CREATE TABLE waiting (
                        sequence INTEGER PRIMARY KEY,
                        payment_id TEXT NOT NULL,
                        amount TEXT NOT NULL,
                        currency TEXT NOT NULL,
                        kind TEXT NOT NULL,
                        channel TEXT,
                        paid_at INTEGER,
                        received_at INTEGER NOT NULL,
                        state TEXT NOT NULL,
                        ended_at INTEGER,
                        clock_was_set INTEGER NOT NULL,
                        announced_number INTEGER,
                        checksum INTEGER NOT NULL
                    ) STRICT;
                    CREATE TABLE known (
                        sequence INTEGER PRIMARY KEY,
                        payment_id TEXT NOT NULL UNIQUE
                    ) STRICT;
                    CREATE TABLE salvage (
                        number INTEGER PRIMARY KEY,
                        at INTEGER NOT NULL,
                        source TEXT NOT NULL,
                        reason TEXT NOT NULL,
                        waiting INTEGER NOT NULL,
                        last_ended INTEGER NOT NULL,
                        waiting_is_whole INTEGER NOT NULL,
                        next_page INTEGER,
                        notices INTEGER NOT NULL DEFAULT 0,
                        ids INTEGER NOT NULL DEFAULT 0,
                        was_told INTEGER NOT NULL DEFAULT 0
                    ) STRICT;
                    """)
            try copyWaiting(in: database)
        }
        migrator.registerMigration("4: commands") { database in
            try database.execute(
                sql: """
                    CREATE TABLE command (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        expiry INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("5: confirmed clocks") { _ in
            // The tables stay as they are. `clock_was_set` now also holds 2: a time server had confirmed the clock. An
            // earlier version would take such a row for a damaged one, and so must refuse the file.
        }
        migrator.registerMigration("6: how payments were announced, and epochs of receipts") { database in
            // NULL in receipts of an earlier version.
            try database.execute(
                sql: """
                    ALTER TABLE receipt ADD COLUMN epoch TEXT;
                    ALTER TABLE receipt ADD COLUMN how TEXT;
                    """)
        }
        migrator.registerMigration("7: errands, and words that notices bring") { database in
            // `how` in `waiting` stays empty: the two tables have the same columns. `state` of a command is NULL unless it
            // is an errand's. The new tables have no index: they are small, and a salvage takes an index over texts for
            // that of the payments' ids.
            try database.execute(
                sql: """
                    ALTER TABLE notice ADD COLUMN text TEXT;
                    ALTER TABLE notice ADD COLUMN how TEXT;
                    ALTER TABLE waiting ADD COLUMN text TEXT;
                    ALTER TABLE waiting ADD COLUMN how TEXT;
                    ALTER TABLE command ADD COLUMN state TEXT;
                    ALTER TABLE damaged ADD COLUMN sequence INTEGER;
                    ALTER TABLE damaged ADD COLUMN payment_id TEXT;
                    CREATE TABLE errand (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        command TEXT NOT NULL,
                        content TEXT NOT NULL,
                        received_at INTEGER NOT NULL,
                        clock INTEGER NOT NULL,
                        is_sounding INTEGER NOT NULL,
                        checksum INTEGER NOT NULL
                    ) STRICT;
                    CREATE TABLE cancelled_before (
                        number INTEGER PRIMARY KEY,
                        id TEXT NOT NULL,
                        expiry INTEGER NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("8: refunds apart from their payments") { database in
            // The tables stay as they are. An earlier version would take a refund's key for a damaged one, and so must
            // refuse the file.
            for table in [CheckedTable.notice, .waiting] { try markRefunds(of: table, in: database) }
        }
        return migrator
    }()

    /// A row that is damaged stays so, and its id becomes a refund's like the others.
    private static func markRefunds(of table: CheckedTable, in database: Database) throws {
        let rows = try Row.fetchAll(
            database, sql: "SELECT \(table.columnList) FROM \(table.rawValue) WHERE kind = 'refund'")
        for row in rows {
            var cells = row.cells
            guard let id = cells[1].text, let last = cells.last else { continue }
            let isWhole = table.fits(cells)
            cells[1] = .text(PaymentID.refundMark + id)
            let checksum = isWhole && last != .null ? .integer(table.checksum(of: cells.dropLast())) : last
            try database.execute(
                sql: "UPDATE \(table.rawValue) SET payment_id = ?, checksum = ? WHERE sequence = ?",
                arguments: [cells[1].argument, checksum.argument, row.sequence])
        }
    }

    /// Rows whose values make no sense are left out. They are set aside when the history gets its checksums.
    private static func copyWaiting(in database: Database) throws {
        // The columns of that version.
        let columns = CheckedTable.waiting.columns.filter { $0 != "text" && $0 != "how" }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(columns.dropLast().joined(separator: ", ")), NULL, NULL, checksum FROM notice
                WHERE state IN ('received', 'announcing') ORDER BY sequence
                """)
        let insertion = try database.makeStatement(
            sql: """
                INSERT INTO waiting (\(columns.joined(separator: ", ")))
                VALUES (\(columns.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT DO NOTHING
                """)
        while let row = try rows.next() {
            guard let record = try? NoticeRecord(row, of: .notice) else { continue }
            let cells = record.cells(of: .waiting)
            try insertion.execute(
                arguments: StatementArguments((cells.prefix(12) + cells.suffix(1)).map(\.argument)))
        }
    }
}
