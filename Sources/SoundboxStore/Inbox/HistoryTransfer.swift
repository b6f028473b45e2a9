import GRDB
import SoundboxCore

/// Saves from a damaged database what can wait: payments that have ended, and ids of which only the index's entry is left.
/// The newest come first. Each part is one transaction that notes how far it came, so that after a kill the transfer
/// continues from there.
final class HistoryTransfer {
    /// The pages of one part. An announcement never waits for more than one part.
    static let pagesInPart = 32

    private let number: Int64
    private let waitingIsWhole: Bool
    /// Nothing up to this number waits, unless it was saved with the waiting payments.
    private let lastEnded: Int64
    private let file: DamagedFile?
    /// Counts from the last page down to the second for payments, then from minus the last page up for ids.
    private var nextPage: Int

    /// - Returns: `nil` when nothing is left to be saved.
    init?(in database: Database, beside path: String) throws {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT number, source, last_ended, waiting_is_whole, next_page FROM salvage
                    WHERE next_page IS NOT NULL ORDER BY number DESC LIMIT 1
                    """)
        else { return nil }
        let cells = row.cells
        number = cells[0].integer ?? 0
        lastEnded = cells[2].integer ?? 0
        waitingIsWhole = cells[3] == .integer(1)
        let folder = path.dropLast(path.fileName.utf8.count)
        // Somebody may have taken the file away.
        file = try? DamagedFile(path: "\(folder)\(cells[1].text ?? "")")
        nextPage = file == nil ? 0 : cells[4].integer.flatMap { Int(exactly: $0) } ?? 0
    }

    enum Part { case payments, ids, end }

    /// Saves the next part in the transaction that is open.
    func save(into database: Database, at now: Timestamp) throws -> Part {
        let part: Part = nextPage > 1 ? .payments : nextPage < -1 ? .ids : .end
        var next = nextPage
        var saved = (notices: 0, ids: 0)
        if let file, part != .end {
            for _ in 0..<Self.pagesInPart where abs(next) > 1 {
                if let page = file.page(abs(next)) {
                    if part == .payments {
                        saved.notices += try savePayments(file.savedRows(of: page), into: database)
                    } else {
                        saved.ids += try saveIDs(file.ids(of: page), into: database, at: now)
                    }
                }
                next += part == .payments ? -1 : 1
            }
            if part == .payments && next <= 1 { next = -file.pageCount }
        }
        try database.execute(
            sql: "UPDATE salvage SET next_page = ?, notices = notices + ?, ids = ids + ? WHERE number = ?",
            arguments: [part == .end ? nil : next, saved.notices, saved.ids, number])
        nextPage = next
        return part
    }

    private func savePayments(_ rows: [SavedRow], into database: Database) throws -> Int {
        var count = 0
        for case .notice(let record) in rows {
            let sequence = record.entry.sequence
            guard !record.isWaiting else {
                // Either it was saved with the waiting payments, or this page is old and the table `waiting` is right.
                if waitingIsWhole, try SQLiteInbox.noticeRow(sequence, in: database) == nil {
                    try remember(record.entry.notice.id, sequence, in: database)
                }
                continue
            }
            try database.cachedStatement(sql: CheckedTable.notice.insertIfNew)
                .execute(arguments: record.arguments(for: .notice))
            if database.changesCount == 1 {
                count += 1
            } else if !waitingIsWhole, try isAlone(record, in: database) {
                // Two pages disagree. The one that knows more is newer.
                try database.cachedStatement(sql: "DELETE FROM waiting WHERE sequence = ? AND state = 'received'")
                    .execute(arguments: [sequence])
                if database.changesCount == 1 { try SQLiteInbox.write(record, to: .notice, in: database) }
            }
        }
        return count
    }

    /// Whether no other row has its id. Such a row came later, and one that the file refuses would hold up the rest.
    private func isAlone(_ record: NoticeRecord, in database: Database) throws -> Bool {
        let other = try SQLiteInbox.noticeRow(record.entry.notice.id, in: database)?.sequence
        return other == nil || other == record.entry.sequence
    }

    private func saveIDs(
        _ ids: [(id: PaymentID, sequence: Int64)], into database: Database, at now: Timestamp
    ) throws -> Int {
        var count = 0
        for (id, sequence) in ids {
            // The index of commands looks the same, and its ids are no payments'.
            let isKnown = try Int.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT 1 FROM notice WHERE sequence = ? UNION ALL SELECT 1 FROM notice WHERE payment_id = ?
                        UNION ALL SELECT 1 FROM known WHERE payment_id = ?
                        UNION ALL SELECT 1 FROM command WHERE id = ? LIMIT 1
                        """), arguments: [sequence, id.key, id.key, id.key])
            guard isKnown == nil else { continue }
            if sequence <= lastEnded {
                try remember(id, sequence, in: database)
                count += 1
            } else {
                // Nobody has heard it, and only its sender still knows its content.
                try SQLiteInbox.askAgain(for: id, at: now, in: database)
            }
        }
        return count
    }

    private func remember(_ id: PaymentID, _ sequence: Int64, in database: Database) throws {
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO known (sequence, payment_id) VALUES (?, ?)")
            .execute(arguments: [sequence, id.key])
    }
}
