import GRDB
import SoundboxCore
import SoundboxSystem

import struct Foundation.Data

extension SQLitePaymentStore {
    package func accept(_ submissions: [Submission], at now: Moment) throws(StoreError) -> [SubmissionOutcome] {
        try write { database in
            var outcomes = try submissions.map { submission in
                let acceptances = try Self.accept(
                    submission.payments, from: submission.sender, at: now, in: database)
                var outcome = SubmissionOutcome(acceptances: acceptances)
                if let webhook = submission.webhook, let reason = submission.problem(acceptances) {
                    outcome.unread = try Self.store(webhook, reason, at: now, in: database)
                }
                return outcome
            }
            if let last = outcomes.lastIndex(where: { $0.unread != nil }) {
                outcomes[last].unread?.deleted = try makeRoom(in: database)
            }
            return outcomes
        }
    }

    package func accept(
        _ payments: [(box: BoxID, notice: PaymentNotice)], problems: [String], ofUnread number: Int64, at now: Moment
    ) throws(StoreError) -> String? {
        try write { database in
            let hook = try String.fetchOne(
                database, sql: "SELECT hook FROM unread WHERE number = ?", arguments: [number])
            let acceptances = try Self.accept(payments, from: hook.map { .hook($0) }, at: now, in: database)
            guard let reason = Submission(payments, problems: problems).problem(acceptances) else {
                try database.execute(sql: "DELETE FROM unread WHERE number = ?", arguments: [number])
                return nil
            }
            try database.execute(
                sql: "UPDATE unread SET reason = ? WHERE number = ?", arguments: [reason, number])
            return reason
        }
    }

    /// Providers repeat: the same bytes for the same hook are counted.
    private static func store(
        _ webhook: GenuineWebhook, _ reason: String, at now: Moment, in database: Database
    ) throws -> SubmissionOutcome.Unread {
        // An upsert would use up a number each time.
        if let known = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    UPDATE unread SET count = count + 1, reason = ? WHERE hook = ? AND hash = ? RETURNING number, count
                    """), arguments: [reason, webhook.hook, Data(webhook.hash)])
        {
            return SubmissionOutcome.Unread(number: known["number"], count: known["count"], reason: reason)
        }
        try database.insert(webhook.columns(reason: reason, at: now), into: "unread")
        return SubmissionOutcome.Unread(number: database.lastInsertedRowID, count: 1, reason: reason)
    }

    /// Deletes the oldest unread webhooks beyond the limits.
    private func makeRoom(in database: Database) throws -> Int {
        let totals = try Row.fetchOne(database, sql: "SELECT count(*) AS rows, total(size) AS bytes FROM unread")
        guard var rows: Int = totals?["rows"], let total: Double = totals?["bytes"] else { return 0 }
        var (bytes, last, deleted) = (Int(total), Int64(0), 0)
        guard rows > unreadLimits.rows || bytes > unreadLimits.bytes else { return 0 }
        let oldest = try Row.fetchCursor(database, sql: "SELECT number, size FROM unread ORDER BY number")
        while rows > unreadLimits.rows || bytes > unreadLimits.bytes, let row = try oldest.next() {
            last = row["number"]
            bytes -= row["size"] as Int
            rows -= 1
            deleted += 1
        }
        try database.execute(sql: "DELETE FROM unread WHERE number <= ?", arguments: [last])
        return deleted
    }

    // MARK: Reading

    package func unreadNumbers() throws(StoreError) -> [Int64] {
        try read { try Int64.fetchAll($0, sql: "SELECT number FROM unread ORDER BY number") }
    }

    package func unread(_ number: Int64) throws(StoreError) -> UnreadWebhook? {
        try read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM unread WHERE number = ?", arguments: [number])
                .flatMap { UnreadWebhook($0) }
        }
    }

    package func unreadCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM unread") ?? 0 }
    }
}
