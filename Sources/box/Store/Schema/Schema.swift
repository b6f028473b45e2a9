import GRDB
import SoundboxCore

/// The tables of the inbox. A file with other tables is of another version, or damaged, and is set aside.
enum Schema {
    /// Stored in the file as `PRAGMA user_version`. Increase it with every migration. Files from before there was one
    /// schema have 0 or 1.
    static let version = 4

    /// As version 0.2.0 of the program has them. They change by migration only, so that an upgrade keeps what waits;
    /// and the package takes the migration back before an older version is installed (`Tests/Debian/Guest/next.patch`
    /// is an example).
    ///
    /// - `notice` has every payment. AUTOINCREMENT never reuses a number, so the order of arrival survives every
    ///   deletion. `announced_number` counts all announcements ever made: the newest announced row knows the total, so
    ///   status never scans the history and counting writes no further page.
    /// - `waiting` has a second copy of the waiting payments, on other pages, in the same columns; `how` is empty
    ///   there. It replaces an index.
    /// - In `receipt`, `command` is NULL when the receipt is about a payment, and empty when the command has no id.
    /// - In `command`, `state` is NULL unless it is a custom message's.
    /// - `known` has ids of which a salvage has saved nothing else, and the latest possible time of the payment's
    ///   arrival. A salvage recognises its rows by the order of the columns.
    /// - There is no index over times and no running sum: an index would cost each payment a page, and a sum would stay
    ///   wrong after a cancel, a lost row or a wrong clock.
    /// - `custom_message` and `cancelled_before` have no index: they are small, and a salvage would take an index over
    ///   texts for that of the payments' ids.
    static let sql = """
        CREATE TABLE notice (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT NOT NULL UNIQUE,
            amount TEXT NOT NULL,
            currency TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT,
            paid_at INTEGER,
            received_at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('received', 'announced', 'expired', 'cancelled')),
            ended_at INTEGER,
            clock INTEGER NOT NULL,
            announced_number INTEGER,
            text TEXT,
            how TEXT,
            checksum INTEGER NOT NULL
        ) STRICT;
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
            clock INTEGER NOT NULL,
            announced_number INTEGER,
            text TEXT,
            how TEXT,
            checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE receipt (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT,
            state TEXT NOT NULL,
            at INTEGER NOT NULL,
            reason TEXT,
            summary TEXT,
            command TEXT,
            epoch TEXT NOT NULL,
            how TEXT,
            checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE custom_message (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            command TEXT NOT NULL,
            content TEXT NOT NULL,
            received_at INTEGER NOT NULL,
            clock INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE command (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            expiry INTEGER NOT NULL,
            state TEXT
        ) STRICT;
        CREATE TABLE cancelled_before (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            expiry INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE damaged (
            number INTEGER PRIMARY KEY,
            found_at INTEGER NOT NULL,
            origin TEXT NOT NULL,
            content TEXT NOT NULL,
            sequence INTEGER,
            payment_id TEXT
        ) STRICT;
        CREATE TABLE known (
            sequence INTEGER PRIMARY KEY,
            received_at INTEGER NOT NULL,
            payment_id TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE salvage (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            source TEXT NOT NULL,
            reason TEXT NOT NULL,
            waiting INTEGER NOT NULL,
            payments INTEGER NOT NULL,
            ids INTEGER NOT NULL,
            was_told INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        """

    /// Creates the tables, unless the file has them.
    static func create(in queue: DatabaseQueue) throws {
        try queue.write { database in
            guard try version(of: database) != version else { return }
            try database.execute(sql: sql)
            try database.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Refuses a file with other tables before anything is written to it. Such a file is of another version, or a
    /// flipped bit in the schema's text has changed a table, for example to one that refuses a state. `PRAGMA
    /// integrity_check` does not notice that, and every commit fails.
    ///
    /// Uses a connection of its own, because GRDB writes to a file when it switches to WAL.
    static func check(_ path: String, _ configuration: Configuration) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let problem = try queue.read(problem)
        try queue.close()
        if let problem { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem) }
    }

    /// - Returns: what is wrong; `nil` when nothing is, or the file is empty.
    private static func problem(in database: Database) throws -> String? {
        if let other = try otherVersion(in: database) { return other }
        let (version, found) = try (version(of: database), Set(objects(of: database)))
        if version == 0, found.isEmpty { return nil }
        guard version == Self.version else { return "the number of its version is \(version), and its tables are not" }
        if let missing = try expected().first(where: { !found.contains($0) }) {
            return "\(missing.type) \(missing.name) is not as it was made"
        }
        return try numberProblem(in: database)
    }

    /// - Returns: the file's version, in words; `nil` if it seems to be this one. A flipped bit changes either the
    ///   version number or the tables.
    static func otherVersion(in database: Database) throws -> String? {
        let (version, found) = try (version(of: database), Set(objects(of: database)))
        guard version != Self.version, !found.isEmpty, try !found.isSuperset(of: expected()) else { return nil }
        return "it is of another version of soundbox: its tables are of version \(version), and not \(Self.version)"
    }

    private static func version(of database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    private static func expected() throws -> [Object] {
        let made = try DatabaseQueue()
        try create(in: made)
        return try made.read(objects)
    }

    /// With a number beyond every range, SQLite refuses each further row as if the disk were full.
    private static func numberProblem(in database: Database) throws -> String? {
        for row in try Row.fetchAll(database, sql: "SELECT name, seq FROM sqlite_sequence") {
            let cells = row.cells
            guard cells[0].text != nil, let number = cells[1].integer, (0..<maximumSequence).contains(number) else {
                return "the table of row numbers holds \(row.dump)"
            }
        }
        return nil
    }

    private struct Object: Hashable {
        var type: String
        var name: String
        var table: String
        var sql: String
    }

    private static func objects(of database: Database) throws -> [Object] {
        try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").map {
            let cells = $0.cells
            return Object(
                type: cells[0].text ?? "", name: cells[1].text ?? "", table: cells[2].text ?? "",
                sql: cells[3].text ?? "")
        }
    }
}
