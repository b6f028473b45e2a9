import GRDB
import SoundboxCore

/// A look at an inbox that another process may be using. Writes nothing.
///
///     let inspection = try InboxInspection(path: "/var/lib/soundbox/inbox.sqlite")
///     print(inspection.counts.waiting, inspection.problems)
public struct InboxInspection: Sendable, Equatable {
    public let counts: InboxCounts
    /// The problems that SQLite's quick check has found.
    public let problems: [String]

    /// Opens, reads and closes. Blocks on the disk: about a second for a hundred thousand payments.
    public init(path: String) throws(InboxError) {
        (counts, problems) = try Self.inspect(path) { database in
            let lines = try String.fetchAll(database, sql: "PRAGMA quick_check(10)")
            return (try InboxCounts(in: database), lines == ["ok"] ? [] : lines)
        }
    }

    /// How many notices wait to be announced. Opens, reads and closes; blocks on the disk.
    public static func waiting(path: String) throws(InboxError) -> Int {
        try inspect(path) { try InboxCounts(in: $0).waiting }
    }

    private static func inspect<Result>(_ path: String, _ body: (Database) throws -> Result) throws(InboxError)
        -> Result
    {
        do {
            var configuration = Configuration()
            configuration.label = "inbox inspection"
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            return try DatabaseQueue(path: path, configuration: configuration).read { database in
                if let other = try Schema.otherVersion(in: database) {
                    throw DatabaseError(resultCode: .SQLITE_ERROR, message: other)
                }
                return try body(database)
            }
        } catch {
            throw .cannotOpen(path: path, reason: (error as? DatabaseError)?.message ?? "\(error)")
        }
    }
}

extension InboxCounts {
    init(in database: Database) throws {
        func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: sql) ?? 0 }
        self.init(
            waiting: try count("SELECT count(*) FROM notice WHERE state = 'received'"),
            announced: try count(
                """
                SELECT coalesce(max(announced_number), 0) FROM notice WHERE state = 'announced' AND sequence >
                    (SELECT max(sequence) FROM notice WHERE state = 'announced') - \(SQLiteInbox.overtaking)
                """),
            receiptsWaiting: try count("SELECT count(*) FROM receipt"))
    }
}
