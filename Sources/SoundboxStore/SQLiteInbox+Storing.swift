import GRDB
import SoundboxCore

extension SQLiteInbox {
    public func store(
        _ arrivals: [Arrival], at now: Timestamp, clockIsSet: Bool
    ) throws(InboxError) -> [ArrivalOutcome] {
        let (outcomes, damaged) = try write { database in
            let insertion = try Insertion(at: now, clockIsSet: clockIsSet, in: database)
            var damaged: [String] = []
            return (try arrivals.map { try insertion.store($0, damaged: &damaged) }, damaged)
        }
        for line in damaged { note(line) }
        return outcomes
    }
}

/// Stores arrivals in one transaction.
private struct Insertion {
    private let database: Database
    private let now: Timestamp
    private let clockIsSet: Bool
    private let insertion: Statement

    init(at now: Timestamp, clockIsSet: Bool, in database: Database) throws {
        self.database = database
        self.now = now
        self.clockIsSet = clockIsSet
        // One statement finds out whether the id is known and stores the notice when it is not.
        insertion = try database.cachedStatement(
            sql: """
                INSERT INTO notice
                    (payment_id, amount, currency, kind, channel, paid_at, received_at, clock_was_set, state)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'received') ON CONFLICT (payment_id) DO NOTHING
                """)
    }

    /// - Parameter damaged: takes a line about every damaged row that gave way.
    func store(_ arrival: Arrival, damaged: inout [String]) throws -> ArrivalOutcome {
        switch arrival {
        case .rejection(let rejection):
            let reason = rejection.description
            try SQLiteInbox.insert(
                Receipt(id: rejection.id, state: .rejected, at: now, reason: reason), into: database)
            return .rejected(rejection)
        case .notice(let notice):
            if let entry = try insert(notice) { return .stored(entry) }
            guard let known = try knownRow(notice.id) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the index of ids does not fit the notices")
            }
            do {
                return try duplicate(notice, of: try InboxEntry(row: known).notice.money)
            } catch let error as DamagedRow {
                let state = known.state.flatMap(NoticeState.init(rawValue:))
                // It has been spoken or told: what it said is lost, that it ended is not.
                if state == .announced || state == .expired || state == .cancelled {
                    return try duplicate(notice, of: notice.money)
                }
                // It has not been spoken, and here it is once more, undamaged.
                try SQLiteInbox.setAside(known, from: "notice", at: now, in: database)
                damaged.append("\(error); the payment \(notice.id) came again and takes its place")
                guard let entry = try insert(notice) else { throw error }
                return .stored(entry)
            }
        }
    }

    private func insert(_ notice: PaymentNotice) throws -> InboxEntry? {
        try insertion.execute(arguments: [
            notice.id.text, notice.money.amount.description, notice.money.currency.code, notice.kind.rawValue,
            notice.channel, notice.paidAt?.millisecondsSince1970, now.millisecondsSince1970, clockIsSet,
        ])
        guard database.changesCount == 1 else { return nil }
        // Before the receipt, which gets a row number as well.
        let sequence = database.lastInsertedRowID
        try SQLiteInbox.insert(Receipt(id: notice.id, state: .stored, at: now), into: database)
        return InboxEntry(
            sequence: sequence, notice: notice, receivedAt: now, clockWasSet: clockIsSet, state: .received)
    }

    private func knownRow(_ id: PaymentID) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT * FROM notice WHERE payment_id = ?"), arguments: [id.text])
    }

    private func duplicate(_ notice: PaymentNotice, of stored: Money) throws -> ArrivalOutcome {
        let differs = stored == notice.money ? nil : stored
        let reason = differs.map { "the id is known with another amount: \($0)" }
        try SQLiteInbox.insert(Receipt(id: notice.id, state: .duplicate, at: now, reason: reason), into: database)
        return .duplicate(notice, differs: differs)
    }
}
