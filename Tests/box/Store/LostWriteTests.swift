import Foundation
import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

/// Cards lose writes: a page is then whole, and older than the others. No check of SQLite's finds that.
@Suite("A page that is older than the others, and a log without its beginning")
struct LostWriteTests {
    @Test("What was heard does not wait again, though the page that says what waits is an old one")
    func olderWaiting() throws {
        let inbox = try DamagedInbox(ended: 0, waiting: 3)
        let opened = try inbox.open()
        let first = try #require(try opened.waiting(limit: 1).first)
        let row = try opened.read {
            try Row.fetchOne($0, sql: "SELECT * FROM waiting WHERE sequence = ?", arguments: [first.sequence])
        }
        try opened.markAnnounced(first, at: inbox.noon)
        let marks = try #require(row).map { _ in "?" }.joined(separator: ", ")
        try opened.write {
            try $0.execute(
                sql: "INSERT INTO waiting VALUES (\(marks))",
                arguments: StatementArguments(try #require(row).databaseValues))
        }
        #expect(try opened.waiting(limit: 1).map(\.notice.id.text) == [inbox.waiting[1]])
        #expect(try opened.counts().waiting == 2)
        #expect(inbox.told.lines.withLock { $0.count } == 1)
    }

    @Test("What was not heard waits after the next start, though the page that says what waits is an old one")
    func missingWaiting() throws {
        let inbox = try DamagedInbox(ended: 20, waiting: 3)
        try DatabaseQueue(path: inbox.path).write { try $0.execute(sql: "DELETE FROM waiting") }
        let opened = try inbox.open()
        #expect(try inbox.content(of: opened) == inbox.whole)
        #expect(inbox.told.lines.withLock { $0.contains { $0.contains("3 payments did not wait") } })
    }

    @Test("The same when the database is damaged besides, and what waits is saved from it")
    func missingWaitingOfDamagedDatabase() throws {
        let inbox = try DamagedInbox(ended: 60, waiting: 3)
        try DatabaseQueue(path: inbox.path).writeWithoutTransaction { database in
            try database.execute(sql: "DELETE FROM waiting")
            _ = try database.checkpoint(.truncate)
        }
        try inbox.change { $0[47] = 5 }
        let opened = try inbox.open()
        #expect(try inbox.content(of: opened) == inbox.whole)
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
    }

    @Test("A log whose header is damaged is read nevertheless, and what waits is kept", arguments: 0..<24)
    func header(byte: Int) throws {
        let inbox = try DamagedInbox(ended: 60, waiting: 20, keepsLog: true)
        try inbox.change("inbox.sqlite-wal") { $0[byte] ^= 1 << UInt8(byte % 8) }
        let opened = try inbox.open()
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
    }

    @Test("A log whose database is empty, or gone, is read nevertheless", arguments: [true, false])
    func withoutDatabase(isGone: Bool) throws {
        let inbox = try DamagedInbox(ended: 60, waiting: 20, keepsLog: true)
        try inbox.change { $0 = [] }
        if isGone { try inbox.folder.remove("inbox.sqlite") }
        let opened = try inbox.open()
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
    }

    @Test("A schema format that no version of SQLite knows is damage, and not the end")
    func unknownFormat() throws {
        let inbox = try DamagedInbox(ended: 60, waiting: 20)
        try inbox.change { $0[47] = 5 }
        let opened = try inbox.open()
        #expect(try inbox.content(of: opened) == inbox.whole)
    }

    @Test(
        "A payment of which only the index's entry is left, newer than every row, is asked for and taken when it comes")
    func olderTables() throws {
        let inbox = try DamagedInbox(ended: 0, waiting: 3)
        let tables = try [CheckedTable.notice, .waiting, .receipt].map { table in
            try #require(try DamagedFile(path: inbox.path).root(ofTable: table.rawValue))
        }
        let older = try inbox.folder.read("inbox.sqlite")
        let lost = ["L91", "\(PaymentID.refundMark)L91"]
        do {
            let opened = try SQLiteInbox(path: inbox.path)
            _ = try opened.store(try lost.map { .notice(try DamagedInbox.notice($0)) }, at: inbox.noon)
        }
        try inbox.change { bytes in
            for page in tables {
                let place = (page - 1) * 4096..<page * 4096
                bytes.replaceSubrange(place, with: older[place])
            }
        }
        let opened = try inbox.open()
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
        for outcome in try opened.store(try lost.map { .notice(try DamagedInbox.notice($0)) }, at: inbox.noon) {
            guard case .stored = outcome else { throw TestFailure("it would never be spoken: \(outcome)") }
        }
        #expect(try opened.waiting(limit: 9).map(\.notice.id.key) == inbox.waiting + lost)
        let rejected = try opened.receipts(after: 0, limit: 99).map { try JSONValue(parsing: $0.payload) }
            .filter { $0["state"]?.string == "rejected" }
        // In the order of the index.
        #expect(rejected.compactMap { PaymentID(receipt: $0)?.key } == lost.sorted())
    }
}
