import GRDB
import SoundboxCore
import SoundboxSystem

/// Saves from a damaged database what the box cannot go on without, into a new one: payments that nobody has heard, and
/// receipts that nobody has got. The history follows later (``HistoryTransfer``), so that announcing goes on at once
/// however long that takes.
///
/// The file is read page by page and past SQLite: where what cannot wait is undamaged, nothing else, or else all of it; every row is judged by its own checksum.
struct Salvage {
    let path: String
    /// Why the file is given up.
    let reason: String
    let now: Timestamp
    let step: @Sendable (SalvageStep) throws -> Void
    /// Told of every page before it is read.
    let willRead: @Sendable (Int) -> Void

    /// Tables that are copied row by row, as far as SQLite reads them: small ones that hold what is asked for seldom.
    static let copiedAsTheyAre = ["damaged", "salvage", "command"]
    /// So few that a transaction takes little memory.
    static let batch = 500
    /// Where the last number is unknown, more than a page's rows are left out: numbers must never be given again.
    private static let margin: Int64 = 10_000
    /// A payment that comes twice takes a number that no row gets. Where the newest row lacks more of them to the last
    /// number, a newer row may be missing.
    private static let numbersUnused: Int64 = 1_000

    /// Builds the new file beside the damaged one, and returns once it is complete and has a name that says so. After
    /// an error or a kill the damaged file is as it was. Blocks for as long as it takes to read what waits, or, where that is damaged, the file.
    func build() throws -> FileSwap {
        try step(.begun)
        let swap = FileSwap.new(path: path, purpose: .salvaged, stamp: now.stamp)
        FileSwap.removeUnfinished(path)
        do {
            let queue = try DatabaseQueue(path: FileSwap.unfinished(path), configuration: Configuration())
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                // A kill leaves nothing that would be used, and fsync comes at the end.
                try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            }
            try Migrations.all.migrate(queue)
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
        found.waitingIsWhole = try save(.waiting, of: file, into: queue, &found)
        try step(.partlyWritten)
        // Where what cannot wait is whole, the history is not read before the box goes on.
        var isComplete = found.waitingIsWhole
        if isComplete { isComplete = try save(.receipt, of: file, into: queue, &found) }
        if isComplete { isComplete = try saveNewest(of: file, into: queue, given: given["notice"], &found) }
        if !isComplete { try saveFromEveryPage(of: file, into: queue, &found) }
        let others = others(in: path)
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
                    now.millisecondsSince1970, swap.kept.fileName, reason, waiting, found.lastEnded,
                    found.waitingIsWhole, file.pageCount,
                ])
        }
    }

    /// What a look at the rows has shown.
    private struct Findings {
        var waitingIsWhole = false
        var lastNotice: Int64 = 0
        var lastReceipt: Int64 = 0
        /// What is announced is announced in order: nothing below it waits.
        var lastEnded: Int64 = 0
        /// For replay, and for the count of all announcements.
        var lastAnnounced: NoticeRecord?

        mutating func note(_ row: SavedRow) {
            switch row {
            case .waiting(let record): lastNotice = max(lastNotice, record.entry.sequence)
            case .receipt(let record): lastReceipt = max(lastReceipt, record.sequence)
            case .notice(let record):
                let sequence = record.entry.sequence
                lastNotice = max(lastNotice, sequence)
                if record.entry.state == .announced || record.entry.state == .expired {
                    lastEnded = max(lastEnded, sequence)
                }
                if record.entry.state == .announced, sequence > lastAnnounced?.entry.sequence ?? 0 {
                    lastAnnounced = record
                }
            }
        }

        /// It says that it waits, and is newer than what was announced last.
        func isNotHeard(_ row: SavedRow) -> Bool {
            guard case .notice(let record) = row else { return false }
            return record.isWaiting && record.entry.sequence > lastAnnounced?.entry.sequence ?? 0
        }

        /// Where the table of what waits is whole, what it does not hold has ended, whatever an old page says.
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

    /// Looks at the history from its end to the last announcement, which is for replay and for the count of all. What
    /// stands behind that and waits is saved, should the table of what waits not know it: a page of that may be whole
    /// and older than the others, on a card that loses writes.
    ///
    /// - Returns: whether nothing newer can be missing.
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

    /// The last number of each table; none that makes no sense.
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

    /// Numbers go on above all that the damaged file can have given out.
    private func setNumbers(_ given: [String: Int64], _ found: Findings, in database: Database) throws {
        let notice = max(given["notice"] ?? found.lastNotice + Self.margin, found.lastNotice)
        // By the clock, where it is ahead: a receipt's number tells its reader what is missing.
        let receipt = max(given["receipt"] ?? 0, found.lastReceipt + Self.margin, now.millisecondsSince1970)
        for (name, number) in [("notice", notice), ("receipt", receipt)] {
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
            // Without a transaction: SQLite ends none in which it has met a damaged page, and GRDB then gives nothing.
            source.inDatabase { database in
                guard let cursor = try? Row.fetchCursor(database, sql: Self.selection(of: table)) else {
                    return
                }
                while let row = try? cursor.next() { rows.append((table, row.copy())) }
            }
        }
        return rows
    }

    /// Commands are numbered anew: a number beyond every range would make the new file a damaged one.
    private static func selection(of table: String) -> String {
        "SELECT \(table == "command" ? "id, expiry" : "*") FROM \(table) LIMIT 10000"
    }

    private static func copy(_ row: Row, into table: String, of database: Database) throws {
        let marks = row.columnNames.map { _ in "?" }.joined(separator: ", ")
        // One that the table refuses is damaged itself.
        try? database.execute(
            sql: "INSERT OR IGNORE INTO \(table) (\(row.columnNames.joined(separator: ", "))) VALUES (\(marks))",
            arguments: StatementArguments(row.databaseValues))
    }
}

extension Timestamp {
    /// For a file's name: `20261121T040000000Z`.
    var stamp: String { description.filter { $0.isNumber || $0 == "T" || $0 == "Z" } }
}

extension String {
    var fileName: String { split(separator: "/").last.map(String.init) ?? self }
}
