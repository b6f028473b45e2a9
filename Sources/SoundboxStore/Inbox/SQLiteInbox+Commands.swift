import GRDB
import SoundboxCore

extension SQLiteInbox {
    public func knows(_ id: PaymentID) throws(InboxError) -> Bool {
        try awaitHistory()
        return try read { database in
            try Bool.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM notice WHERE payment_id = ?1)
                            OR EXISTS (SELECT 1 FROM known WHERE payment_id = ?1)
                        """), arguments: [id.text]) ?? false
        }
    }

    public func take(
        _ commands: [CommandArrival], at now: Timestamp, earliest: Timestamp?
    ) throws(InboxError) -> [CommandOutcome] {
        try write { database in
            let outcomes = try commands.map { try Self.take($0, at: now, in: database) }
            if outcomes.contains(.isNew) { try Self.forgetCommands(before: earliest, in: database) }
            return outcomes
        }
    }

    private static func take(
        _ command: CommandArrival, at now: Timestamp, in database: Database
    ) throws -> CommandOutcome {
        switch command {
        case .once(let id, let expiry):
            try database.cachedStatement(
                sql: "INSERT INTO command (id, expiry) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"
            ).execute(arguments: [id.text, expiry.millisecondsSince1970])
            return database.changesCount == 1 ? .isNew : .duplicate
        case .cancel(let id): return .cancellation(try cancel(id, at: now, in: database))
        case .refused(let id, let reason):
            try insert(Receipt(.command(id), state: .rejected, at: now, reason: reason), into: database)
            return .refused
        }
    }

    private static func forgetCommands(before earliest: Timestamp?, in database: Database) throws {
        // There are never more than twice the limit, so an index would not be worth its writes.
        try database.cachedStatement(
            sql: """
                DELETE FROM command
                WHERE expiry < ? OR number <= (SELECT max(number) FROM command) - \(CommandID.limit)
                """
        ).execute(arguments: [earliest?.millisecondsSince1970])
    }
}
