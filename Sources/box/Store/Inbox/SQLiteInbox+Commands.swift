import GRDB
import SoundboxCore

extension SQLiteInbox {
    public func knows(_ id: PaymentID) throws(InboxError) -> Bool {
        try read { database in
            try Bool.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT EXISTS (SELECT 1 FROM notice WHERE payment_id = ?1)
                            OR EXISTS (SELECT 1 FROM known WHERE payment_id = ?1)
                        """), arguments: [id.key]) ?? false
        }
    }

    public func apply(_ commands: [CommandArrival], at reading: ClockReading) throws(InboxError) -> [CommandOutcome] {
        try writeReceipts(unless: { $0.allSatisfy(\.isRefusal) }) { database in
            try Self.forgetCancels(before: reading.confirmed, in: database)
            let outcomes = try commands.map { command in
                let outcome = try Self.apply(command, at: reading, in: database)
                if !outcome.isRefusal {
                    try Self.insert(command.reply(to: outcome, at: reading.time), into: database)
                }
                return outcome
            }
            if outcomes.contains(where: \.isOfNewID) {
                try Self.forgetCommands(before: reading.confirmed, in: database)
            }
            return outcomes
        }
    }

    public func reasonNotToAccept(_ customMessage: CustomMessage, onlyWhenNoRing: Bool) throws(InboxError) -> String? {
        try read { database in
            let isCancelled = try Bool.fetchOne(
                database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM cancelled_before WHERE id = ?)"),
                arguments: [customMessage.id.text])
            guard isCancelled == false, try !Self.isKnown(customMessage.id, in: database) else { return nil }
            return try Self.reasonNotToAccept(customMessage, onlyWhenNoRing, in: database)
        }
    }

    private static func apply(
        _ command: CommandArrival, at reading: ClockReading, in database: Database
    ) throws -> CommandOutcome {
        let now = reading.time
        switch command {
        case .once(let id, let expiry):
            return try remember(id, until: expiry, in: database) ? .isNew : .duplicate
        case .customMessage(let customMessage, let expiry, let onlyWhenNoRing):
            return try apply(customMessage, until: expiry, onlyWhenNoRing, at: reading, in: database)
        case .always: return .isNew
        case .cancel(.payment(let id), _, _, let hasBegun):
            return try cancel(id, CancelMoment(hasBegun: hasBegun), at: now, in: database)
        case .cancel(.customMessage(let id), _, let expiry, let hasBegun):
            return try cancel(id, until: expiry, CancelMoment(hasBegun: hasBegun), at: now, in: database)
        }
    }

    private static func apply(
        _ customMessage: CustomMessage, until expiry: Timestamp, _ onlyWhenNoRing: Bool, at reading: ClockReading,
        in database: Database
    ) throws -> CommandOutcome {
        let (id, now) = (customMessage.id, reading.time)
        guard try !isKnown(id, in: database) else { return .duplicate }
        try database.cachedStatement(sql: "DELETE FROM cancelled_before WHERE id = ?").execute(arguments: [id.text])
        if database.changesCount > 0 {
            _ = try remember(id, until: expiry, in: database)
            try setState(of: id, to: .cancelled, in: database)
            try insert(.cancelled(.customMessage(id), .beforeItCame, at: now), into: database)
            return .cancelled(.customMessage(id), .beforeItCame)
        }
        if let reason = try reasonNotToAccept(customMessage, onlyWhenNoRing, in: database) {
            return .notAccepted(reason: reason)
        }
        _ = try remember(id, until: expiry, in: database)
        let entry = CustomMessageEntry(
            sequence: try CheckedTable.customMessage.lastNumber(in: database) + 1, customMessage: customMessage,
            receivedAt: now,
            clock: reading.trust)
        try write(entry, in: database)
        try setState(of: id, to: .stored, in: database)
        try insert(Receipt(.command(id), state: .stored, at: now), into: database)
        return .accepted(entry)
    }

    private static func cancel(
        _ id: PaymentID, _ moment: CancelMoment, at now: Timestamp, in database: Database
    ) throws -> CommandOutcome {
        let target = CancelTarget.payment(id)
        guard let row = try noticeRow(id, in: database) else { return .unknown(target) }
        guard let copy = try waitingRow(row.sequence, in: database) else {
            // Its content may be damaged, but it certainly waits no longer.
            let state = (try? NoticeRecord(row, of: .notice))?.entry.state ?? .announced
            return .tooLate(target, state: state.rawValue)
        }
        guard let entry = try waitingRecord(copy, in: database)?.entry else { return .unknown(target) }
        guard entry.notice.id == id else { throw wrongIndex }
        _ = try end(entry, as: .cancelled, at: now, in: database)
        try insert(.cancelled(target, moment, at: now), into: database)
        return .cancelled(target, moment)
    }

    private static func cancel(
        _ id: CommandID, until expiry: Timestamp, _ moment: CancelMoment, at now: Timestamp, in database: Database
    ) throws -> CommandOutcome {
        let known = try command(id, in: database)
        if case .some(.some(let state)) = known, state != .stored {
            return .tooLate(.customMessage(id), state: state.rawValue)
        }
        if let row = try customMessageRow(id, in: database) {
            try end(row.sequence, with: .cancelled(.customMessage(id), moment, at: now), of: id, in: database)
            return .cancelled(.customMessage(id), moment)
        }
        guard known == nil else { return .tooLate(.customMessage(id), state: "ended") }
        try database.cachedStatement(sql: "DELETE FROM cancelled_before WHERE id = ?").execute(arguments: [id.text])
        try database.cachedStatement(sql: "INSERT INTO cancelled_before (id, expiry) VALUES (?, ?)")
            .execute(arguments: [id.text, expiry.millisecondsSince1970])
        try database.cachedStatement(
            sql: """
                DELETE FROM cancelled_before WHERE number NOT IN (
                    SELECT number FROM cancelled_before ORDER BY number DESC LIMIT \(CustomMessage.mostCancelledBefore))
                """
        ).execute()
        return .remembered(id)
    }

    private static func customMessageRow(_ id: CommandID, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT \(CheckedTable.customMessage.columnList) FROM custom_message WHERE command = ?"),
            arguments: [id.text])
    }

    /// Whether a custom message of this id has come before.
    private static func isKnown(_ id: CommandID, in database: Database) throws -> Bool {
        // The id may have been deleted before the message has ended.
        try command(id, in: database) != nil || customMessageRow(id, in: database) != nil
    }

    private static func reasonNotToAccept(
        _ customMessage: CustomMessage, _ onlyWhenNoRing: Bool, in database: Database
    ) throws -> String? {
        let waiting = try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM custom_message")) ?? 0
        let isBusy = onlyWhenNoRing && customMessage.isRing ? try hasRing(in: database) : false
        return CustomMessage.reasonNotToAccept(isBusy: isBusy, waiting: waiting)
    }

    private static func hasRing(in database: Database) throws -> Bool {
        try Row.fetchAll(
            database.cachedStatement(sql: "SELECT \(CheckedTable.customMessage.columnList) FROM custom_message")
        )
        .contains { (try? CustomMessageRecord($0, of: .customMessage).entry)?.isRing ?? false }
    }

    /// - Returns: `false` when the id is known.
    private static func remember(_ id: CommandID, until expiry: Timestamp, in database: Database) throws -> Bool {
        try database.cachedStatement(
            sql: "INSERT INTO command (id, expiry) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"
        ).execute(arguments: [id.text, expiry.millisecondsSince1970])
        return database.changesCount == 1
    }

    /// - Returns: `nil` for an unknown id; `.some(nil)` for an id that is no custom message's, or whose state is
    ///   damaged; ``Receipt/State/stored`` until a custom message has ended.
    static func command(_ id: CommandID, in database: Database) throws -> Receipt.State?? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT state FROM command WHERE id = ?"), arguments: [id.text]
        ).map { $0.cells[0].text.flatMap(Receipt.State.init(rawValue:)) }
    }

    static func setState(of id: CommandID, to state: Receipt.State, in database: Database) throws {
        try database.cachedStatement(sql: "UPDATE command SET state = ? WHERE id = ?")
            .execute(arguments: [state.rawValue, id.text])
    }

    private static func forgetCommands(before now: Timestamp?, in database: Database) throws {
        // There are never more than twice the limit, so an index would not be worth its writes.
        try database.cachedStatement(
            sql: """
                DELETE FROM command
                WHERE expiry < ? OR number <= (SELECT max(number) FROM command) - \(CommandID.limit)
                """
        ).execute(arguments: [now?.millisecondsSince1970])
    }

    private static func forgetCancels(before now: Timestamp?, in database: Database) throws {
        guard let now else { return }
        try database.cachedStatement(sql: "DELETE FROM cancelled_before WHERE expiry < ?")
            .execute(arguments: [now.millisecondsSince1970])
    }
}

extension CommandOutcome {
    fileprivate var isOfNewID: Bool {
        switch self {
        case .isNew, .accepted, .cancelled(.customMessage, .beforeItCame): true
        case .duplicate, .notAccepted, .cancelled, .remembered, .tooLate, .unknown: false
        }
    }
}
