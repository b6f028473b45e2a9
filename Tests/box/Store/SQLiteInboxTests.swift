import Foundation
import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("The inbox in an SQLite file")
struct SQLiteInboxTests {
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/inbox.sqlite"
    }

    private func notices(_ ids: ClosedRange<Int>) throws -> [Arrival] {
        try ids.map { .notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("\($0).50", .CNY))) }
    }

    @Test("An inbox that is lost, or is put back from a backup, never gives a second receipt the name of another")
    func epochs() throws {
        func names(_ ids: ClosedRange<Int>) throws -> [String] {
            let inbox = try SQLiteInbox(path: path)
            _ = try inbox.store(try notices(ids), at: noon)
            return try inbox.receipts(after: 0, limit: 100).map { receipt in
                let json = try JSONValue(parsing: receipt.payload)
                return "\(json["epoch"]?.string ?? "none") \(receipt.sequence)"
            }
        }
        let first = try names(1...2)
        #expect(first.allSatisfy { !$0.hasPrefix("none") })
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("backup"))
        let second = try names(3...4)
        // A receipt keeps its name for as long as it waits.
        #expect(Array(second.prefix(2)) == first)
        try folder.remove("inbox.sqlite")
        try FileManager.default.copyItem(atPath: folder.file("backup"), toPath: path)
        let restored = try names(5...6)
        #expect(Set(restored).intersection(second) == Set(first))
        try folder.remove("inbox.sqlite")
        #expect(Set(try names(7...8)).intersection(restored + second).isEmpty)
    }

    @Test("Commits are on the disk when they return: WAL with synchronous FULL, also when opened again")
    func durability() throws {
        for _ in 0..<2 {
            let durability = try SQLiteInbox(path: path).durability()
            #expect(durability.journalMode == "wal")
            #expect(durability.synchronous == 2)
        }
    }

    @Test("Everything survives being opened again")
    func reopening() throws {
        var before: [InboxEntry] = []
        var receipts: [OutgoingReceipt] = []
        do {
            let inbox = try SQLiteInbox(path: path)
            _ = try inbox.store(try notices(1...3), at: noon)
            let entries = try inbox.waiting(limit: 10)
            try inbox.markAnnounced(entries[0], at: noon)
            before = try inbox.waiting(limit: 10)
            receipts = try inbox.receipts(after: 0, limit: 10)
        }
        let inbox = try SQLiteInbox(path: path)
        #expect(try inbox.waiting(limit: 10) == before)
        #expect(try inbox.lastAnnounced()?.notice.id.text == "T1")
        #expect(try inbox.receipts(after: 0, limit: 10) == receipts)
        #expect(try inbox.counts() == InboxCounts(waiting: 2, announced: 1, receiptsWaiting: 4))
        guard case .duplicate = try inbox.store(try notices(1...1), at: noon).first else {
            Issue.record("a known id was stored again after opening")
            return
        }
    }

    @Test("Sequences are never given again, not even when every row is gone and the file is opened again")
    func sequences() throws {
        var highest: Int64 = 0
        do {
            let inbox = try SQLiteInbox(path: path)
            _ = try inbox.store(try notices(1...3), at: noon)
            let receipts = try inbox.receipts(after: 0, limit: 10).map(\.sequence)
            highest = try #require(receipts.max())
            try inbox.removeReceipts(receipts)
            try inbox.settle()
        }
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DELETE FROM notice; DELETE FROM waiting") }
        let inbox = try SQLiteInbox(path: path)
        _ = try inbox.store(try notices(4...4), at: noon)
        #expect(try inbox.receipts(after: 0, limit: 10).map(\.sequence) == [highest + 1])
        #expect(try inbox.waiting(limit: 10).map(\.sequence) == [4])
    }

    @Test("A batch that fails halfway leaves neither notices nor receipts, and can be stored again")
    func atomicBatch() throws {
        let inbox = try SQLiteInbox(path: path)
        let other = try DatabaseQueue(path: path)
        try other.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON notice WHEN new.payment_id = 'T2'
                    BEGIN SELECT RAISE(ABORT, 'no room'); END
                    """)
        }
        #expect(throws: InboxError.failed(path: path, reason: "no room")) {
            try inbox.store(try notices(1...3), at: noon)
        }
        #expect(try inbox.counts() == InboxCounts(waiting: 0, announced: 0, receiptsWaiting: 0))
        try other.write { try $0.execute(sql: "DROP TRIGGER full") }
        _ = try inbox.store(try notices(1...3), at: noon)
        #expect(try inbox.counts() == InboxCounts(waiting: 3, announced: 0, receiptsWaiting: 3))
    }

    @Test("A receipt that cannot be written undoes the state it belongs to")
    func atomicRecord() throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try inbox.store(try notices(1...2), at: noon)
        let entries = try inbox.waiting(limit: 10)
        let other = try DatabaseQueue(path: path)
        try other.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON receipt WHEN new.payment_id = 'T2'
                    BEGIN SELECT RAISE(ABORT, 'no room'); END
                    """)
        }
        #expect(throws: InboxError.self) { try inbox.markExpired(entries, at: noon) }
        #expect(throws: InboxError.self) { try inbox.markAnnounced(entries[1], at: noon) }
        #expect(try inbox.waiting(limit: 10) == entries)
        #expect(try inbox.counts().receiptsWaiting == 2)
    }

    @Test("Several threads storing the same ids store each exactly once")
    func severalThreads() async throws {
        let inbox = try SQLiteInbox(path: path)
        let batch = try notices(1...20)
        let stored = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var stored = 0
                    for arrival in batch {
                        if case .stored = try inbox.store([arrival], at: noon)[0] { stored += 1 }
                    }
                    return stored
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(stored == 20)
        #expect(try inbox.counts() == InboxCounts(waiting: 20, announced: 0, receiptsWaiting: 80))
    }

    @Test("Ids are compared byte by byte, and text keeps its bytes")
    func bytes() throws {
        let inbox = try SQLiteInbox(path: path)
        let ids = ["caf\u{E9}", "cafe\u{301}", "CAF\u{C9}", "caf\u{E9} "]
        _ = try inbox.store(
            try ids.map { .notice(PaymentNotice(id: try PaymentID($0), money: try Money("1", .CNY), channel: $0)) },
            at: noon)
        let entries = try inbox.waiting(limit: 10)
        #expect(entries.map { Array($0.notice.id.text.utf8) } == ids.map { Array($0.utf8) })
        #expect(entries.map { Array(($0.notice.channel ?? "").utf8) } == ids.map { Array($0.utf8) })
    }
}
