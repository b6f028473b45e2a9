import Foundation
import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The store in SQLite")
struct SQLitePaymentStoreTests {
    private let folder: TemporaryFolder
    private let store: SQLitePaymentStore
    private let now = Moment.start

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
    }

    @Test("A file that was deleted or moved away takes nothing more, and a link to it is the same file")
    func replaced() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.sqlite"), withDestinationPath: store.path)
        try FileManager.default.linkItem(atPath: store.path, toPath: folder.file("second.sqlite"))
        for name in ["link.sqlite", "second.sqlite"] {
            #expect(throws: StoreError.self) { try SQLitePaymentStore(path: folder.file(name)) }
        }
        try FileManager.default.moveItem(atPath: folder.file("gateway.sqlite"), toPath: folder.file("elsewhere.sqlite"))
        let error = try #require(throws: StoreError.self) { try store.accept([(trialBox, notice("A"))], at: now) }
        #expect(error.description.contains("was deleted or moved away"))
        try FileManager.default.moveItem(atPath: folder.file("elsewhere.sqlite"), toPath: folder.file("gateway.sqlite"))
        #expect(try store.accept([(trialBox, notice("A"))], at: now) == [.accepted])
    }

    @Test("A log that is deleted under the gateway costs no payment")
    func logDeleted() throws {
        let path = folder.file("other.sqlite")
        do {
            let store = try SQLitePaymentStore(path: path)
            try store.accept(["A"])
            try FileManager.default.removeItem(atPath: path + "-wal")
            #expect(throws: StoreError.self) { try store.accept([(trialBox, notice("B"))], at: now) }
        }
        let store = try SQLitePaymentStore(path: path)
        #expect(try store.state("A") == .accepted && store.state("B") == nil)
    }

    @Test("The running time goes on from the last commit, whatever the wall clock says")
    func clock() throws {
        #expect(store.clock.now.running < .seconds(3600))
        let path = folder.file("other.sqlite")
        do { _ = try SQLitePaymentStore(path: path) }
        try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE clock SET running = 9000000") }
        for _ in 1...2 {
            let store = try SQLitePaymentStore(path: path)
            let running = store.clock.now.running
            #expect(running >= .seconds(9000) && running < .seconds(12_000))
            try store.saveTime()
        }
    }

    @Test("A payment comes back from the file as it was given, with the time of acceptance where none was given")
    func roundTrip() throws {
        let full = PaymentNotice(
            id: try PaymentID("ü/%2F \u{1F600}"), money: try Money("0.01", Currency("JPY") ?? .CNY),
            kind: .other(try #require(KindName("deposit"))), channel: "wechat",
            paidAt: Timestamp(millisecondsSince1970: 1), text: "a\"b")
        _ = try store.accept([(trialBox, full), (trialBox, notice("B"))], at: now)
        let again = try SQLitePaymentStore(path: store.path, role: .reader)
        #expect(try again.payment(full.id, of: trialBox)?.notice == NoticeDocument(full, accepted: now.time))
        var second = try notice("B")
        second.paidAt = now.time
        #expect(try again.payment(try PaymentID("B"), of: trialBox)?.notice.text == second.json.text)
    }

    @Test("A file of another version is refused and not changed; a second process may read, and not write")
    func opening() throws {
        try store.accept(["A"])
        let reader = try SQLitePaymentStore(path: store.path, role: .reader)
        #expect(try reader.unheard(limit: 10).count == 1)
        let second = #expect(throws: StoreError.self) { try SQLitePaymentStore(path: store.path) }
        #expect(second?.description == "\(store.path): another gateway runs with it")
        let other = folder.file("other.sqlite")
        try DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t (a); PRAGMA user_version = 7") }
        for role in [StoreRole.gateway, .reader, .editor] {
            let error = #expect(throws: StoreError.self) { try SQLitePaymentStore(path: other, role: role) }
            #expect(
                error?.description
                    == "\(other): it is of another version of soundbox-gateway (7, and not 6), or another program's")
        }
    }

    @Test("A receipt that says nothing new writes nothing")
    func nothingNew() throws {
        try store.accept(["A"])
        func receive(_ id: String) throws -> DeliveryTurnOutcome {
            var turn = DeliveryTurn()
            turn.receipts = [
                (trialBox, try PaymentID(id), .init(state: .stored, number: .init(epoch: "e", sequence: 1)))
            ]
            return try store.commit(turn, boxes: [:], listeningSince: .zero, at: now)
        }
        // It counts the commits of others.
        let watcher = try DatabaseQueue(path: store.path)
        func version() throws -> Int? { try watcher.read { try Int.fetchOne($0, sql: "PRAGMA data_version") } }
        let before = try version()
        _ = try receive("foreign")
        #expect(try version() == before)
        _ = try receive("A")
        let after = try version()
        #expect(after != before)
        _ = try receive("A")
        #expect(try version() == after && store.state("A") == .stored)
    }

    @Test("A file of version 5 stays as it is, and learns who posts")
    func version5() throws {
        let path = folder.file("five.sqlite")
        do { try SQLitePaymentStore(path: path).accept(["A"]) }
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "ALTER TABLE payment DROP COLUMN token; PRAGMA user_version = 5")
        }
        let store = try SQLitePaymentStore(path: path)
        #expect(try store.state("A") == .accepted)
        _ = try store.accept([Submission([(trialBox, try notice("B"))], token: "shop")], at: now)
        #expect(try store.payment(try PaymentID("B"), of: trialBox)?.sender == .token("shop"))
    }

    @Test("Every commit is on the disk when it returns: WAL with synchronous FULL")
    func durability() throws {
        try store.read { database in
            let (mode, synchronous) = (
                try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(database, sql: "PRAGMA synchronous")
            )
            #expect(mode == "wal" && synchronous == 2)
        }
    }

    @Test("What is due is found by an index, and so are a box's open payments, and what waits for a receiver")
    func indexes() throws {
        try store.read { database in
            for (sql, index) in [
                ("SELECT * FROM payment WHERE due_after <= 5 ORDER BY due_after", "payment_due"),
                ("SELECT * FROM payment WHERE payment.box = 1 AND due_after IS NOT NULL", "payment_open"),
                (
                    "SELECT * FROM callback WHERE receiver = 'a' AND due_after <= 5 ORDER BY due_after, created_after, number LIMIT 1",
                    "callback_due"
                ),
                (
                    "SELECT number FROM callback WHERE due_after IS NOT NULL AND created_after < 5 LIMIT 5",
                    "callback_waiting"
                ),
                ("SELECT 1 FROM unread WHERE came_after < 5", "unread_came"),
                (
                    "SELECT receiver, count(*), min(created_after) FROM callback WHERE due_after IS NOT NULL GROUP BY receiver",
                    "COVERING INDEX callback_due"
                ),
            ] {
                let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
                #expect(plan.contains { $0.contains(index) }, "\(plan)")
            }
        }
    }
}
