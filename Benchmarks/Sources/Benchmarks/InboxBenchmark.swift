import BenchmarkSupport
import GRDB
import Glibc
import SoundboxCore
import SoundboxStore
import SoundboxSystem

/// What taking payments in costs, beside what SQLite takes to store the same rows as durably on the same disk in the
/// same run; and what a long history costs. In the folder that TMPDIR names, which should be on a real disk.
let inbox = Benchmark(name: "inbox") {
    let folder = try BenchmarkFolder()
    defer { folder.remove() }
    return try intake(in: folder) + history(in: folder)
}

/// As many as gather at a broker in a day, in batches as one read from the broker brings them.
private let intakeCount = 10_000
private let batchCount = 20

private func intake(in folder: BenchmarkFolder) throws -> [Figure] {
    let notices = try notices(0..<intakeCount)
    var ours: [Double] = []
    var raw: [Double] = []
    var growth: [Int] = []
    // In turns, so that whatever else the disk has to do meets both; the best of each.
    for round in 1...3 {
        let store = try SQLiteInbox(path: folder.file("ours-\(round).sqlite"))
        Heap.trim()
        let heap = HeapUse.bytes
        ours.append(
            try elapsed {
                for batch in batches(notices) { _ = try store.store(batch.map { .notice($0) }, at: noon) }
            })
        growth.append(HeapUse.bytes - heap)
        let plain = try PlainTable(path: folder.file("raw-\(round).sqlite"))
        raw.append(try elapsed { for batch in batches(notices) { try plain.insert(batch) } })
    }
    let (best, bestRaw) = (ours.min() ?? 0, raw.min() ?? 0)
    return [
        Figure("intake of \(intakeCount) in commits of \(batchCount)", "\(text(Double(intakeCount) / best)) a second"),
        Figure("of SQLite's bulk insert, same commits", "\(text(bestRaw / best * 100)) %"),
        Figure("heap growth", "\(growth.min() ?? 0) bytes"),
    ]
}

private func history(in folder: BenchmarkFolder) throws -> [Figure] {
    let million = 1_000_000
    let path = folder.file("history.sqlite")
    let store = try SQLiteInbox(path: path)
    for start in stride(from: 0, to: million, by: 20_000) {
        _ = try store.store(try notices(start..<start + 20_000).map { .notice($0) }, at: noon)
    }
    // Every id is known: the look-up, its receipt and a commit; the commit alone for comparison.
    var random = SystemRandomNumberGenerator()
    let plain = try PlainTable(path: folder.file("commits.sqlite"))
    var duplicates: [Double] = []
    var commits: [Double] = []
    for _ in 0..<500 {
        let number = Int.random(in: 0..<million, using: &random)
        let known = try notices(number..<number + 1)
        duplicates.append(try elapsed { _ = try store.store([.notice(known[0])], at: noon) })
        commits.append(try elapsed { try plain.insert(known) })
    }
    // The look-up without a commit.
    let reader = try DatabaseQueue(path: path)
    var lookups: [Double] = []
    for _ in 0..<2000 {
        let id = "T\(Int.random(in: 0..<million, using: &random))"
        lookups.append(
            try elapsed {
                try reader.read { database in
                    let statement = try database.cachedStatement(
                        sql: "SELECT sequence FROM notice WHERE payment_id = ?")
                    guard try Int64.fetchOne(statement, arguments: [id]) != nil else {
                        throw BenchmarkError(description: "\(id) is unknown")
                    }
                }
            })
    }
    return [
        Figure("look-up of an id among a million, median", "\(text(median(lookups) * 1e6)) µs"),
        Figure("slowest of 2,000", "\(text((lookups.max() ?? 0) * 1e6)) µs"),
        Figure("a duplicate among a million, commit included, median", "\(text(median(duplicates) * 1e6)) µs"),
        Figure("a commit of one row to an empty table, median", "\(text(median(commits) * 1e6)) µs"),
    ]
}

private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

private func notices(_ numbers: Range<Int>) throws -> [PaymentNotice] {
    try numbers.map { number in
        PaymentNotice(
            id: try PaymentID("T\(number)"), money: try Money("\(number % 1000 + 1).5", .CNY), channel: "alipay",
            paidAt: noon)
    }
}

private func batches(_ notices: [PaymentNotice]) -> [[PaymentNotice]] {
    stride(from: 0, to: notices.count, by: batchCount).map { Array(notices[$0..<min($0 + batchCount, notices.count)]) }
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Seconds by the wall clock: waiting for the disk is what storing mostly is.
private func elapsed(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start).seconds
}

/// The same columns and the same durability, and nothing else: one prepared insert per row.
private struct PlainTable {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(
                sql: """
                    CREATE TABLE notice (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT, payment_id TEXT NOT NULL UNIQUE, amount TEXT NOT NULL,
                        currency TEXT NOT NULL, kind TEXT NOT NULL, channel TEXT, paid_at INTEGER,
                        received_at INTEGER NOT NULL, state TEXT NOT NULL) STRICT
                    """)
        }
    }

    func insert(_ notices: [PaymentNotice]) throws {
        try queue.write { database in
            let insertion = try database.cachedStatement(
                sql: """
                    INSERT INTO notice (payment_id, amount, currency, kind, channel, paid_at, received_at, state)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            for notice in notices {
                try insertion.execute(arguments: [
                    notice.id.text, notice.money.amount.description, notice.money.currency.code, notice.kind.rawValue,
                    notice.channel, notice.paidAt?.millisecondsSince1970, noon.millisecondsSince1970, "received",
                ])
            }
        }
    }
}

/// A folder of this run's own.
private struct BenchmarkFolder {
    private let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = "\(parent)/soundbox-benchmark-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { throw BenchmarkError(description: "cannot make \(path): error \(errno)") }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func remove() {
        for name in ["ours-1", "ours-2", "ours-3", "raw-1", "raw-2", "raw-3", "history", "commits"] {
            for suffix in ["", "-wal", "-shm"] { unlink(file("\(name).sqlite\(suffix)")) }
        }
        rmdir(path)
    }
}
