import GRDB
import SoundboxCore
import SoundboxSystem

/// Saves what the box cannot go on without from a damaged database into a new one: payments that nobody has heard, and
/// receipts that nobody has received. The history follows later (``HistoryTransfer``), so that announcing goes on at once
/// however long that takes.
///
/// The file is read page by page, without SQLite. If the tables of what cannot wait are undamaged, nothing else is read;
/// otherwise every page is. Each row is judged by its own checksum.
struct Salvage {
    let path: String
    /// Why the file is replaced.
    let reason: String
    let now: Timestamp
    let step: @Sendable (SalvageStep) throws -> Void
    /// Called before each page is read.
    let willRead: @Sendable (Int) -> Void

    /// Small tables that are seldom read. They are copied row by row, as far as SQLite can read them: a damaged page may
    /// cost rings and sentences that have not ended, of which ``SQLiteInbox/endLostErrands(at:)`` tells then, and cancels
    /// that came before them. It never costs a payment.
    static let copiedAsTheyAre = ["damaged", "salvage", "command", "errand", "cancelled_before"]
    /// Few enough rows that a transaction takes little memory.
    static let batch = 500
    /// How many numbers are skipped when the last one is unknown: more than a page of rows, since no number may be given
    /// twice.
    private static let margin: Int64 = 10_000
    /// A payment that comes twice uses up a number without a row. If the newest row is further than this below the last
    /// number, a newer row may be missing.
    private static let numbersUnused: Int64 = 1_000

    /// Builds the new file beside the damaged one. Returns once it is complete and has a name that says so. After an error
    /// or a kill the damaged file is as it was. Blocks while it reads the waiting payments or, if those are damaged, the
    /// whole file.
    func build() throws -> FileSwap {
        try step(.begun)
        let swap = FileSwap.new(path: path, purpose: .salvaged, stamp: now.stamp)
        FileSwap.removeUnfinished(path)
        do {
            let queue = try DatabaseQueue(path: FileSwap.unfinished(path), configuration: Configuration())
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                // After a kill nobody uses this file, and fsync comes at the end.
                try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
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
        var others: [(table: String, row: Row)] = []
        let isOurs = !isOfAnotherVersion()
        if isOurs {
            try saveWhatCannotWait(of: file, into: queue, given, &found)
            others = self.others(in: path)
        }
        try queue.write { database in
            if let last = found.lastAnnounced { try Self.insert(.notice(last), into: database) }
            for (table, row) in others { try Self.copy(row, into: table, of: database) }
            try setNumbers(given, found, in: database)
            let waiting = try Int.fetchOne(database, sql: "SELECT count(*) FROM waiting") ?? 0
            try database.execute(
                sql: """
                    INSERT INTO salvage (at, source, reason, waiting, last_ended, waiting_is_whole, next_page)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    now.millisecondsSince1970, swap.kept.fileName, reason, waiting, found.lastNotWaiting,
                    found.waitingIsWhole, isOurs ? file.pageCount : nil,
                ])
        }
    }

    /// Nothing is read from such a file: its columns may mean something else.
    private func isOfAnotherVersion() -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        let version = try? DatabaseQueue(path: path, configuration: configuration).read(Schema.otherVersion)
        return version != nil
    }

    private func saveWhatCannotWait(
        of file: DamagedFile, into queue: DatabaseQueue, _ given: [String: Int64], _ found: inout Findings
    ) throws {
        found.waitingIsWhole = try save(.waiting, of: file, into: queue, &found)
        try step(.partlyWritten)
        // If everything that cannot wait is whole, the box goes on before the history is read.
        var isComplete = found.waitingIsWhole
        if isComplete { isComplete = try save(.receipt, of: file, into: queue, &found) }
        if isComplete { isComplete = try saveNewest(of: file, into: queue, given: given["notice"], &found) }
        if !isComplete { try saveFromEveryPage(of: file, into: queue, &found) }
    }

    /// What the rows have shown so far.
    private struct Findings {
        var waitingIsWhole = false
        /// A row waits, or the end of the history could be read: nothing that the tables know is newer than ``lastNotice``.
        var newestIsCertain = false
        var lastNotice: Int64 = 0
        var lastReceipt: Int64 = 0
        /// Payments are announced in order, so none below this number waits.
        var lastEnded: Int64 = 0
        /// The newest payment that was announced one by one.
        var lastHeard: Int64 = 0
        /// For replay, and for the count of all announcements.
        var lastAnnounced: NoticeRecord?

        mutating func note(_ row: SavedRow) {
            switch row {
            case .waiting(let record):
                lastNotice = max(lastNotice, record.entry.sequence)
                newestIsCertain = true
            case .receipt(let record): lastReceipt = max(lastReceipt, record.sequence)
            case .notice(let record):
                let sequence = record.entry.sequence
                lastNotice = max(lastNotice, sequence)
                let isPayment = record.entry.notice.kind == .payment
                if isPayment, record.entry.state == .announced || record.entry.state == .expired {
                    lastEnded = max(lastEnded, sequence)
                }
                guard record.entry.state == .announced else { return }
                if isPayment { lastHeard = max(lastHeard, sequence) }
                let last = (lastAnnounced?.announcedNumber ?? 0, lastAnnounced?.entry.sequence ?? 0)
                if (record.announcedNumber ?? 0, sequence) > last { lastAnnounced = record }
            }
        }

        /// Nothing up to this number waits, unless it was saved with the waiting payments.
        ///
        /// If the table `waiting` is whole, that is everything it knows of. But on a card that loses writes its page may be
        /// an old one: an id that the index alone has, and that is newer than every row, was never heard by anybody.
        var lastNotWaiting: Int64 {
            guard waitingIsWhole else { return lastEnded }
            return newestIsCertain ? max(lastNotice, lastEnded) : maximumSequence
        }

        /// Whether the row says that it waits and nothing says that it was heard: payments are announced in their order.
        func isNotHeard(_ row: SavedRow) -> Bool {
            guard case .notice(let record) = row else { return false }
            return record.isWaiting && (record.entry.notice.kind != .payment || record.entry.sequence > lastHeard)
        }

        /// If the table `waiting` is whole, everything else has ended, whatever an old page says.
        func isSavedAtOnce(_ row: SavedRow) -> Bool {
            switch row {
            case .receipt: true
            case .waiting: !waitingIsWhole
            case .notice(let record): record.isWaiting && !waitingIsWhole
            }
        }
    }

    /// - Returns: whether every row of the table could be read.
    private func save(
        _ table: CheckedTable, of file: DamagedFile, into queue: DatabaseQueue, _ found: inout Findings
    ) throws -> Bool {
        guard let root = file.root(ofTable: table.rawValue) else { return false }
        var isReadable = true
        let isWhole = try file.walk(below: root) { page in
            let rows = file.savedRows(of: page).filter { $0.table == table }
            if rows.count != page.cellCount { isReadable = false }
            for row in rows { found.note(row) }
            try save(rows, into: queue)
            return true
        }
        return isWhole && isReadable
    }

    /// Reads the history from its end back to the last announcement, which replay and the count of all announcements need.
    /// Newer payments that wait are saved even if the table `waiting` does not hold them: on a card that loses writes, a
    /// page of that table may be whole and older than the others.
    ///
    /// - Returns: whether no newer payment can be missing.
    private func saveNewest(
        of file: DamagedFile, into queue: DatabaseQueue, given: Int64?, _ found: inout Findings
    ) throws -> Bool {
        guard let given, let root = file.root(ofTable: CheckedTable.notice.rawValue) else { return false }
        var isReadable = true
        var newest: Int64 = 0
        let isWhole = try file.walk(below: root) { page in
            let rows = file.savedRows(of: page).filter { $0.table == .notice }
            isReadable = isReadable && rows.count == page.cellCount
            newest = max(newest, page.rowNumbers.last ?? 0)
            for row in rows { found.note(row) }
            try save(rows.filter(found.isNotHeard), into: queue)
            return isReadable && found.lastAnnounced == nil
        }
        if isReadable, newest > 0 || isWhole { found.newestIsCertain = true }
        return isWhole && isReadable && (0...Self.numbersUnused).contains(given - newest)
    }

    private func saveFromEveryPage(of file: DamagedFile, into queue: DatabaseQueue, _ found: inout Findings) throws {
        for number in stride(from: 2, through: file.pageCount, by: 1) {
            guard let page = file.page(number), page.kind == .leafTable else { continue }
            let rows = file.savedRows(of: page)
            for row in rows { found.note(row) }
            try save(rows.filter(found.isSavedAtOnce), into: queue)
        }
    }

    private func save(_ rows: [SavedRow], into queue: DatabaseQueue) throws {
        guard !rows.isEmpty else { return }
        try queue.write { database in for row in rows { try Self.insert(row, into: database) } }
    }

    private static func insert(_ row: SavedRow, into database: Database) throws {
        switch row {
        case .waiting(let record), .notice(let record):
            let statement = try database.cachedStatement(sql: CheckedTable.notice.insertIfNew)
            try statement.execute(arguments: record.arguments(for: .notice))
            guard database.changesCount == 1, record.isWaiting else { return }
            try database.cachedStatement(sql: CheckedTable.waiting.insertIfNew)
                .execute(arguments: record.arguments(for: .waiting))
        case .receipt(let record):
            try database.cachedStatement(sql: CheckedTable.receipt.insertIfNew).execute(arguments: record.arguments)
        }
    }

    /// The last number of each table. Numbers that make no sense are left out.
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

    /// Makes numbers go on above all that the damaged file can have given.
    private func setNumbers(_ given: [String: Int64], _ found: Findings, in database: Database) throws {
        let notice = max(given["notice"] ?? found.lastNotice + Self.margin, found.lastNotice)
        // The clock's value counts if it is higher. A receipt's number tells its reader what is missing.
        let receipt = max(given["receipt"] ?? 0, found.lastReceipt + Self.margin, now.millisecondsSince1970)
        let errand = max(given["errand"] ?? 0, try CheckedTable.errand.lastNumber(in: database))
        for (name, number) in [("notice", notice), ("receipt", receipt), ("errand", errand)] {
            try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [name])
            try database.execute(
                sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                arguments: [name, min(number, maximumSequence / 2)])
        }
    }

    private func others(in path: String) -> [(table: String, row: Row)] {
        // SQLite deletes the log of an empty database.
        guard FileIdentity.size(path) > 0 else { return [] }
        var configuration = Configuration()
        configuration.label = "damaged inbox"
        configuration.readonly = true
        guard let source = try? DatabaseQueue(path: path, configuration: configuration) else { return [] }
        defer { try? source.close() }
        var rows: [(String, Row)] = []
        for table in Self.copiedAsTheyAre {
            // Without a transaction: SQLite cannot end one in which it has met a damaged page, and GRDB would then return
            // nothing.
            source.inDatabase { database in
                guard let cursor = try? Row.fetchCursor(database, sql: Self.selection(of: table)) else {
                    return
                }
                while let row = try? cursor.next() { rows.append((table, row.copy())) }
            }
        }
        return rows
    }

    private static func selection(of table: String) -> String {
        let columns = table == "errand" ? CheckedTable.errand.columnList : "*"
        return "SELECT \(columns) FROM \(table) LIMIT 10000"
    }

    private static func copy(_ row: Row, into table: String, of database: Database) throws {
        if table == "errand" {
            guard let record = try? ErrandRecord(row.cells) else { return }
            return try database.execute(sql: CheckedTable.errand.upsert, arguments: record.arguments)
        }
        // Commands and cancels get new numbers: one beyond every range would damage the new file as well.
        let isRenumbered = table == "command" || table == "cancelled_before"
        let columns = Array(row).filter { !isRenumbered || $0.0 != "number" }
        let names = columns.map(\.0).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        // A row that the table refuses is damaged itself.
        try? database.execute(
            sql: "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(marks))",
            arguments: StatementArguments(columns.map(\.1)))
    }
}

extension Timestamp {
    /// For a file's name: `20261121T040000000Z`.
    var stamp: String { description.filter { $0.isNumber || $0 == "T" || $0 == "Z" } }
}

extension String {
    var fileName: String { split(separator: "/").last.map(String.init) ?? self }
}
