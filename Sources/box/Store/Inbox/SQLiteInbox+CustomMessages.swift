import GRDB
import SoundboxCore

/// Custom messages are stored once, unlike waiting payments, which are stored twice: a salvage copies those that can be
/// read and reports the others as failed. They never delay a payment.
extension SQLiteInbox: CustomMessageStore {
    public func customMessages() throws(InboxError) -> [CustomMessageEntry] {
        let (entries, damaged, ended) = try read { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(
                    sql: "SELECT \(CheckedTable.customMessage.columnList) FROM custom_message ORDER BY sequence"))
            try Self.checkFound(rows, of: .customMessage, in: database)
            var entries: [CustomMessageEntry] = []
            var damaged: [Damage] = []
            var ended: [Int64] = []
            for row in rows {
                guard let entry = try? CustomMessageRecord(row, of: .customMessage).entry else {
                    damaged.append(Damage(row, origin: .customMessage))
                    continue
                }
                switch try Self.command(entry.customMessage.id, in: database) {
                // The page is older than the others. A message that was heard must not be played again.
                case .some(.some(let state)) where state != .stored: ended.append(entry.sequence)
                default: entries.append(entry)
                }
            }
            return (entries, damaged, ended)
        }
        setAside(damaged)
        if !ended.isEmpty { removeEndedCustomMessages(ended) }
        return entries
    }

    public func stillWaits(_ entry: CustomMessageEntry) throws(InboxError) -> Bool {
        try read { try Self.present(entry, in: $0) != nil }
    }

    public func end(_ entry: CustomMessageEntry, as end: CustomMessageEnd, at now: Timestamp) throws(InboxError) -> Bool
    {
        try write { database in
            guard let present = try Self.present(entry, in: database) else { return false }
            try Self.end(
                present.sequence, with: .ended(entry.customMessage.id, as: end, at: now), of: entry.customMessage.id,
                in: database)
            return true
        }
    }

    /// The stored custom message, or the caller's if its row is damaged. `nil` when it has ended.
    private static func present(_ entry: CustomMessageEntry, in database: Database) throws -> CustomMessageEntry? {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT \(CheckedTable.customMessage.columnList) FROM custom_message WHERE sequence = ?"),
            arguments: [entry.sequence])
        guard let row else { return nil }
        guard let kept = try? CustomMessageRecord(row, of: .customMessage).entry else { return entry }
        // After a salvage the number may belong to another custom message.
        return kept.customMessage.id == entry.customMessage.id ? kept : nil
    }

    static func write(_ entry: CustomMessageEntry, in database: Database) throws {
        try database.cachedStatement(sql: CheckedTable.customMessage.upsert).execute(
            arguments: CustomMessageRecord(entry).arguments(for: .customMessage))
    }

    static func end(_ sequence: Int64, with receipt: Receipt, of id: CommandID, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM custom_message WHERE sequence = ?").execute(arguments: [sequence]
        )
        try setState(of: id, to: receipt.state, in: database)
        try insert(receipt, into: database)
    }

    /// Writes the receipt of a custom message that the disk has lost.
    static func lose(_ id: CommandID, at now: Timestamp, in database: Database) throws {
        try setState(of: id, to: .failed, in: database)
        let reason = "storage: the stored command was damaged on the box's disk"
        try insert(Receipt(.command(id), state: .failed, at: now, reason: reason), into: database)
    }

    /// Writes the receipts of custom messages that are lost and have not ended. Called at a start, and after a salvage.
    func endLostCustomMessages(at now: Timestamp) throws(InboxError) {
        let selection =
            "SELECT id FROM command WHERE state = 'stored' AND id NOT IN (SELECT command FROM custom_message)"
        guard try read({ try String.fetchOne($0, sql: selection) }) != nil else { return }
        let count = try write { database in
            let ids = try String.fetchAll(database, sql: selection)
            for case let id? in ids.map({ try? CommandID($0) }) { try Self.lose(id, at: now, in: database) }
            return ids.count
        }
        report("\(count) rings and sentences that had not ended are lost with a page of the database")
    }

    static func distrustCustomMessages(in database: Database) throws {
        let rows = try Row.fetchAll(
            database, sql: "SELECT \(CheckedTable.customMessage.columnList) FROM custom_message WHERE clock = ?",
            arguments: [ClockTrust.unconfirmed.rawValue])
        for var entry in rows.compactMap({ try? CustomMessageRecord($0, of: .customMessage).entry }) {
            entry.clock = .none
            try write(entry, in: database)
        }
    }

    private func removeEndedCustomMessages(_ sequences: [Int64]) {
        report("\(sequences.count) rings or sentences were kept that have ended: a page of the database is older")
        do throws(InboxError) {
            try write { database in
                for sequence in sequences {
                    try database.execute(sql: "DELETE FROM custom_message WHERE sequence = ?", arguments: [sequence])
                }
            }
        } catch {
            report("they cannot be removed: \(error)")
        }
    }
}
