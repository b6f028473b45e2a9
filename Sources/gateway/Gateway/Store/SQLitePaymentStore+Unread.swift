import GRDB
import SoundboxCore
import SoundboxSystem

import struct Foundation.Data

extension SQLitePaymentStore {
    package func accept(_ submissions: [Submission], at now: Moment) throws(StoreError) -> [SubmissionOutcome] {
        try write { database in
            var outcomes = try submissions.map { submission in
                let acceptances = try Self.accept(
                    submission.payments, from: submission.webhook?.hook, at: now, in: database)
                var outcome = SubmissionOutcome(acceptances: acceptances)
                let problems = submission.problems + Self.differences(submission.payments, acceptances)
                if let webhook = submission.webhook, let reason = Self.reason(problems) {
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
            let acceptances = try Self.accept(payments, from: hook, at: now, in: database)
            let problems = problems + Self.differences(payments, acceptances)
            guard let reason = Self.reason(problems) else {
                try database.execute(sql: "DELETE FROM unread WHERE number = ?", arguments: [number])
                return nil
            }
            try database.execute(
                sql: "UPDATE unread SET reason = ? WHERE number = ?", arguments: [reason, number])
            return reason
        }
    }

    private static func differences(
        _ payments: [(box: BoxID, notice: PaymentNotice)], _ acceptances: [Acceptance]
    ) -> [String] {
        zip(payments, acceptances).compactMap { payment, acceptance in
            guard case .differs(let money) = acceptance else { return nil }
            return "\(payment.box): the id \(payment.notice.id.text.excerpt) is known with another amount: \(money)"
        }
    }

    private static func reason(_ problems: [String]) -> String? {
        guard let first = problems.first else { return nil }
        return String(first.prefix(500)) + (problems.count > 1 ? " (and \(problems.count - 1) more)" : "")
    }

    /// Providers repeat: the same bytes for the same hook are counted.
    private static func store(
        _ webhook: GenuineWebhook, _ reason: String, at now: Moment, in database: Database
    ) throws -> SubmissionOutcome.Unread {
        let hash = Data(SHA256.hash(of: webhook.document))
        // An upsert would use up a number each time.
        if let known = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    UPDATE unread SET count = count + 1, reason = ? WHERE hook = ? AND hash = ? RETURNING number, count
                    """), arguments: [reason, webhook.hook, hash])
        {
            return SubmissionOutcome.Unread(number: known["number"], count: known["count"], reason: reason)
        }
        try database.cachedStatement(
            sql: """
                INSERT INTO unread (hook, path, form, signed, hash, size, document, came_at, came_after, count, reason)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                """
        ).execute(arguments: [
            webhook.hook, webhook.path, webhook.form.rawValue, webhook.signed, hash, webhook.document.count,
            Data(webhook.document), now.time.millisecondsSince1970, now.running.milliseconds, reason,
        ])
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
            guard
                let row = try Row.fetchOne(database, sql: "SELECT * FROM unread WHERE number = ?", arguments: [number])
            else { return nil }
            // Another word was written by hand.
            let form = GenuineWebhook.Form(rawValue: row["form"]) ?? .json
            let webhook = GenuineWebhook(
                hook: row["hook"], path: row["path"], form: form, signed: row["signed"],
                document: Array(row["document"] as Data))
            return UnreadWebhook(
                number: number, webhook: webhook, came: Timestamp(millisecondsSince1970: row["came_at"]),
                count: row["count"], reason: row["reason"])
        }
    }

    package func unreadCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM unread") ?? 0 }
    }
}
