import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem

/// Saves what can be read from a damaged database into a new one: waiting notices and receipts first, then the ids of
/// all payments, then the newest payments completely. The box is blocked meanwhile.
///
/// The file is read page by page, without SQLite. Each row is verified by its own checksum.
struct Salvage {
    let path: String
    /// Why the file is replaced.
    let reason: String
    let now: Timestamp
    /// Bytes on the disk that ids and ended payments must leave free.
    let reserve: Int
    let step: @Sendable (SalvageStep) throws -> Void
    /// Called before each page is read.
    let willRead: @Sendable (Int) -> Void

    /// How many ended payments are saved completely, for the history and for replay.
    static let newestPayments = 10_000
    /// How many pages are read in one transaction.
    private static let pagesInPart = 256
    /// How many numbers are skipped when the last one is unknown: more than a page of rows, since no number may be used
    /// twice.
    private static let margin: Int64 = 10_000

    /// Builds the new file beside the damaged one. Returns once it is complete and has the name that says so. After an
    /// error or a kill the damaged file is unchanged. Blocks while it reads the whole file.
    func build() throws -> FileSwap {
        try step(.begun)
        let swap = FileSwap.new(path: path, purpose: .salvaged, stamp: now.stamp)
        FileSwap.removeUnfinished(path)
        do {
            var configuration = Configuration()
            // Lost payments get receipts.
            ReceiptRecord.addEpoch(to: &configuration)
            let queue = try DatabaseQueue(path: FileSwap.unfinished(path), configuration: configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                // After a kill this file is not used, and fsync comes at the end. Ids come in random order. Their index
                // should not be read from the disk again and again, so 8 MB of it stay in memory.
                try database.execute(
                    sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000")
            }
            try Schema.create(in: queue)
            try fill(queue, swap)
            try queue.close()
            try step(.written)
            try swap.announce()
        } catch {
            FileSwap.removeUnfinished(path)
            throw error
        }
        try step(.named)
        return swap
    }

    private func fill(_ queue: DatabaseQueue, _ swap: FileSwap) throws {
        let file = try DamagedFile(path: path, willRead: willRead)
        let given = numbersGiven(in: file)
        var found = Findings()
        if !isOfAnotherVersion() {
            found.waitingIsWhole = try saveWaiting(of: file, into: queue, &found)
            try step(.partlyWritten)
            found.newestIsCertain = found.newestIsCertain || newestCanBeRead(in: file)
            let pages = try saveFromEveryPage(of: file, into: queue, &found)
            try saveNewest(pages.payments, of: file, into: queue, found)
            // Commands first, so that their ids are not taken for those of payments.
            try copySmallTables(into: queue, lacksRoom: found.lacksRoom)
            if !found.lacksRoom { try saveIDs(pages.ids, of: file, into: queue, found) }
        }
        try queue.write { database in
            if let last = found.lastAnnounced { try Self.insertWhole(.notice(last), into: database) }
            try setNumbers(given, found, in: database)
            try countLost(given["notice"], found, in: database)
            let reason =
                found.lacksRoom
                ? "\(reason); there was no room to save earlier payments: one that is sent again may be spoken again"
                : reason
            try database.execute(
                sql: """
                    INSERT INTO salvage (at, source, reason, waiting, payments, ids) VALUES (?, ?, ?,
                        (SELECT count(*) FROM waiting), (SELECT count(*) FROM notice) - (SELECT count(*) FROM waiting),
                        (SELECT count(*) FROM known))
                    """, arguments: [now.millisecondsSince1970, swap.kept.fileName, reason])
        }
    }

    /// Nothing is read from such a file: its columns may have other meanings.
    private func isOfAnotherVersion() -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        let version = try? DatabaseQueue(path: path, configuration: configuration).read(Schema.otherVersion)
        return version != nil
    }

    /// - Returns: whether every row of the table `waiting` could be read.
    private func saveWaiting(
        of file: DamagedFile, into queue: DatabaseQueue, _ found: inout Findings
    ) throws -> Bool {
        guard let root = file.root(ofTable: CheckedTable.waiting.rawValue) else { return false }
        var isReadable = true
        let isWhole = try file.walk(below: root) { page in
            let rows = file.savedRows(of: page).filter { $0.table == .waiting }
            if rows.count != page.cellCount { isReadable = false }
            for row in rows { found.add(row) }
            try queue.write { database in for row in rows { try Self.insertWhole(row, into: database) } }
            return true
        }
        return isWhole && isReadable
    }

    /// Whether the newest row of the history can be read.
    private func newestCanBeRead(in file: DamagedFile) -> Bool {
        guard let root = file.root(ofTable: CheckedTable.notice.rawValue) else { return false }
        var isReadable = false
        _ = file.walk(below: root) { page in
            isReadable = file.savedRows(of: page).count == page.cellCount
            return false
        }
        return isReadable
    }

    /// Reads every page. Saves receipts, the ids of ended payments and, if the table `waiting` is incomplete, waiting
    /// payments.
    ///
    /// - Returns: the pages with payments, with the number of the newest one, and those with ids.
    private func saveFromEveryPage(
        of file: DamagedFile, into queue: DatabaseQueue, _ found: inout Findings
    ) throws -> (payments: [(newest: Int64, page: Int)], ids: [Int]) {
        var payments: [(newest: Int64, page: Int)] = []
        var ids: [Int] = []
        for last in stride(from: file.pageCount, through: 2, by: -Self.pagesInPart) {
            found.lacksRoom = found.lacksRoom || freeBytes() < reserve
            try queue.write { database in
                for number in stride(from: last, to: max(last - Self.pagesInPart, 1), by: -1) {
                    guard let page = file.page(number) else { continue }
                    if page.kind == .leafIndex || page.kind == .interiorIndex { ids.append(number) }
                    var newest: Int64 = 0
                    for row in file.savedRows(of: page) {
                        found.add(row)
                        switch row {
                        case .receipt: try Self.insertWhole(row, into: database)
                        case .notice(let record) where !record.isWaiting || found.waitingIsWhole:
                            newest = max(newest, record.entry.sequence)
                            // If the table `waiting` is complete, everything else has ended, whatever an old page says.
                            try remember(record, found, in: database)
                        case .waiting, .notice: if !found.waitingIsWhole { try Self.insertWhole(row, into: database) }
                        }
                    }
                    if newest > 0 { payments.append((newest, number)) }
                    if !found.lacksRoom {
                        for (id, sequence, time) in file.knownIDs(of: page) {
                            try Self.remember(id, sequence, at: time, in: database)
                        }
                    }
                }
            }
        }
        // Two pages may differ. The one that knows more is newer.
        try queue.write { database in
            let outdated =
                "SELECT sequence FROM waiting WHERE state = 'received' AND sequence IN (SELECT sequence FROM known)"
            if !found.waitingIsWhole {
                try database.execute(
                    sql: """
                        DELETE FROM notice WHERE sequence IN (\(outdated));
                        DELETE FROM waiting WHERE sequence IN (\(outdated));
                        """)
            }
            try database.execute(
                sql: "DELETE FROM known WHERE sequence IN (SELECT sequence FROM waiting)")
        }
        return (payments, ids)
    }

    private func remember(_ record: NoticeRecord, _ found: Findings, in database: Database) throws {
        guard !found.lacksRoom else { return }
        let entry = record.entry
        let time =
            entry.clock == .confirmed
            ? max(entry.receivedAt, entry.notice.paidAt ?? entry.receivedAt) : max(now, found.latestArrival)
        try Self.remember(entry.notice.id, entry.sequence, at: time, in: database)
    }

    private static func remember(
        _ id: PaymentID, _ sequence: Int64, at time: Timestamp, in database: Database
    ) throws {
        try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO known (sequence, payment_id, received_at) VALUES (?, ?, ?)"
        ).execute(arguments: [sequence, id.key, time.millisecondsSince1970])
    }

    /// Saves the newest ended payments, and those that wait according to the history alone: on a card that loses
    /// writes, a page of the table `waiting` may be valid and older than the others.
    private func saveNewest(
        _ pages: [(newest: Int64, page: Int)], of file: DamagedFile, into queue: DatabaseQueue, _ found: Findings
    ) throws {
        var count = 0
        for (_, number) in pages.sorted(by: { $0.newest > $1.newest }) where count < Self.newestPayments {
            guard let page = file.page(number) else { continue }
            let rows = file.savedRows(of: page)
            try queue.write { database in
                for case .notice(let record) in rows {
                    count += 1
                    guard record.isWaiting ? found.waitingIsWhole && found.isNotHeard(record) : !found.lacksRoom
                    else { continue }
                    try Self.insertWhole(.notice(record), into: database)
                }
            }
        }
    }

    /// Saves ids whose only trace is an entry of the index.
    private func saveIDs(
        _ pages: [Int], of file: DamagedFile, into queue: DatabaseQueue, _ found: Findings
    ) throws {
        for number in pages {
            guard let page = file.page(number) else { continue }
            try queue.write { database in
                for (id, sequence) in file.ids(of: page) {
                    // The index of commands has the same form, and its ids are not those of payments.
                    let isKnown = try Int.fetchOne(
                        database.cachedStatement(
                            sql: """
                                SELECT 1 FROM known WHERE sequence = ?1 UNION ALL SELECT 1 FROM notice WHERE sequence = ?1
                                UNION ALL SELECT 1 FROM notice WHERE payment_id = ?2
                                UNION ALL SELECT 1 FROM known WHERE payment_id = ?2
                                UNION ALL SELECT 1 FROM command WHERE id = ?2 LIMIT 1
                                """), arguments: [sequence, id.key])
                    guard isKnown == nil else { continue }
                    if sequence <= found.lastNotWaiting {
                        try Self.remember(id, sequence, at: max(now, found.latestArrival), in: database)
                    } else {
                        // The payment was not heard, and only its sender still knows its content.
                        try ReceiptRecord.askAgain(for: id, at: now, in: database)
                    }
                }
            }
        }
    }

    /// Inserts a row, unless its number or its id exists.
    private static func insertWhole(_ row: SavedRow, into database: Database) throws {
        switch row {
        case .waiting(let record), .notice(let record):
            try database.cachedStatement(sql: CheckedTable.notice.insertIfNew)
                .execute(arguments: record.arguments(for: .notice))
            guard database.changesCount == 1 else { return }
            try database.cachedStatement(sql: "DELETE FROM known WHERE sequence = ?")
                .execute(arguments: [record.entry.sequence])
            guard record.isWaiting else { return }
            try database.cachedStatement(sql: CheckedTable.waiting.insertIfNew)
                .execute(arguments: record.arguments(for: .waiting))
        case .receipt(let record):
            try database.cachedStatement(sql: CheckedTable.receipt.insertIfNew)
                .execute(arguments: record.arguments(for: .receipt))
        }
    }

    private func freeBytes() -> Int {
        var room = statvfs()
        guard statvfs(FileSwap.unfinished(path), &room) == 0 else { return .max }
        return Int(room.f_bavail) * Int(room.f_frsize)
    }

    /// The last number of each table. Invalid numbers are left out.
    private func numbersGiven(in file: DamagedFile) -> [String: Int64] {
        guard let root = file.root(ofTable: "sqlite_sequence") else { return [:] }
        var given: [String: Int64] = [:]
        let isWhole = file.walk(below: root) { page in
            for row in file.rows(of: page) where row.values.count == 2 {
                guard let name = row.values[0].text, let number = row.values[1].integer else { continue }
                given[name] = 0..<maximumSequence ~= number ? number : nil
            }
            return true
        }
        return isWhole ? given : [:]
    }

    /// Makes numbers continue above all that the damaged file can have used.
    private func setNumbers(_ given: [String: Int64], _ found: Findings, in database: Database) throws {
        let notice = max(given["notice"] ?? found.lastNotice + Self.margin, found.lastNotice)
        // The clock's value counts if it is higher. From the gap in the numbers a reader of receipts sees what is
        // missing.
        let receipt = max(given["receipt"] ?? 0, found.lastReceipt + Self.margin, now.millisecondsSince1970)
        let customMessage = max(given["custom_message"] ?? 0, try CheckedTable.customMessage.lastNumber(in: database))
        for (name, number) in [("notice", notice), ("receipt", receipt), ("custom_message", customMessage)] {
            try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [name])
            try database.execute(
                sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                arguments: [name, min(number, maximumSequence / 2)])
        }
    }
}

extension Timestamp {
    /// For a file's name: `20261121T040000000Z`.
    var stamp: String { description.filter { $0.isNumber || $0 == "T" || $0 == "Z" } }
}

extension String {
    var fileName: String { split(separator: "/").last.map(String.init) ?? self }
}

/// The moments of a salvage between which a kill leaves different files behind. Tests stop it at each of them.
enum SalvageStep: Sendable, CaseIterable {
    /// Nothing was written.
    case begun
    /// Some of the waiting payments are in the new file.
    case partlyWritten
    /// Everything that can be read is in the new file.
    case written
    /// The new file has the name that marks it as complete for the next start.
    case named
    /// The damaged file's log has its new name, the file itself not yet.
    case logMoved
    /// No file has the database's name.
    case databaseMoved
    /// The new file has the database's name.
    case swapped
}
