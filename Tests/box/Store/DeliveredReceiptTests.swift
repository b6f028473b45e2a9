import Foundation
import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("What a payment writes, and receipts that go along")
struct DeliveredReceiptTests {
    private let folder: TemporaryFolder
    private let path: String
    private let inbox: SQLiteInbox
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("inbox.sqlite")
        inbox = try SQLiteInbox(path: path)
    }

    private func store(_ ids: ClosedRange<Int>) throws {
        _ = try inbox.store(
            try ids.map { .notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("\($0).50", .CNY))) },
            at: noon)
    }

    /// The broker confirms all there are.
    private func confirm() throws {
        try inbox.removeReceipts(try inbox.receipts(after: 0, limit: 999).map(\.sequence))
    }

    /// As another process sees it.
    private func countOnDisk() throws -> Int {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM receipt") ?? 0 }
    }

    @Test("A payment that comes alone writes nine pages in two commits")
    func pages() throws {
        for id in 1...3 {
            if id == 3 {
                try inbox.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            }
            try store(id...id)
            try confirm()
            let entry = try #require(try inbox.waiting(limit: 1).first)
            try inbox.markAnnounced(entry, at: noon)
            try confirm()
        }
        let log = try folder.read("inbox.sqlite-wal")
        #expect((log.count - 32) / 4120 == 9)
        let commits = stride(from: 32, to: log.count, by: 4120).count { log[$0 + 4..<$0 + 8] != [0, 0, 0, 0] }
        #expect(commits == 2)
    }

    @Test("A confirmed receipt is gone at once, and from the disk with the next payment")
    func nextCommit() throws {
        try store(1...2)
        try confirm()
        #expect(try inbox.receipts(after: 0, limit: 9).isEmpty)
        #expect(try inbox.counts().receiptsWaiting == 0)
        #expect(try countOnDisk() == 2)
        try store(3...3)
        #expect(try countOnDisk() == 1)
        #expect(try inbox.receipts(after: 0, limit: 9).count == 1)
        #expect(try inbox.counts().receiptsWaiting == 1)
    }

    @Test("Confirmed receipts between others are left out, and none of the others is")
    func between() throws {
        try store(1...20)
        let all = try inbox.receipts(after: 0, limit: 99)
        try inbox.removeReceipts(all.indices.filter { $0 % 4 != 3 }.map { all[$0].sequence })
        let rest = all.indices.filter { $0 % 4 == 3 }.map { all[$0] }
        #expect(try inbox.receipts(after: 0, limit: 3) == Array(rest.prefix(3)))
        #expect(try inbox.receipts(after: rest[0].sequence, limit: 99) == Array(rest.dropFirst()))
    }

    @Test("After a kill confirmed receipts come once more, as they were; after a stop they do not")
    func kill() throws {
        try store(1...3)
        let sent = try inbox.receipts(after: 0, limit: 9)
        try confirm()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file("killed") + suffix)
        }
        #expect(try SQLiteInbox(path: folder.file("killed")).receipts(after: 0, limit: 9) == sent)
        try inbox.settle()
        #expect(try countOnDisk() == 0)
    }

    @Test("More than a window of them does not wait for a payment")
    func many() throws {
        try store(1...40)
        try confirm()
        #expect(try countOnDisk() == 0)
    }

    @Test("A batch that fails takes none of them along")
    func failure() throws {
        try store(1...2)
        try confirm()
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON notice WHEN new.payment_id = 'T3'
                    BEGIN SELECT RAISE(ABORT, 'no room'); END
                    """)
        }
        #expect(throws: InboxError.failed(path: path, reason: "no room")) { try store(3...3) }
        #expect(try countOnDisk() == 2)
        #expect(try inbox.receipts(after: 0, limit: 9).isEmpty)
        try store(4...4)
        #expect(try countOnDisk() == 1)
    }
}
