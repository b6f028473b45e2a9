import Foundation
import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("The gateway's store")
struct PaymentStoreTests {
    private let folder: TemporaryFolder
    private let store: PaymentStore
    private let now = Moment.start

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        store = try .temporary(folder)
    }

    private func online(epoch: Int = 3) -> KnownBox {
        var box = KnownBox()
        box.onlineSince = .seconds(-100)
        box.sessionEpoch = epoch
        box.seen = .zero
        return box
    }

    private func commit(
        at now: Moment? = nil, boxes: [BoxID: KnownBox] = [:],
        _ change: (inout PaymentStore.Turn) throws -> Void
    ) throws -> PaymentStore.TurnOutcome {
        var turn = PaymentStore.Turn()
        try change(&turn)
        return try store.commit(turn, boxes: boxes, listeningSince: .seconds(-50), at: now ?? self.now)
    }

    private func receipt(
        _ id: String, _ state: Receipt.State, how: String? = nil, reason: String? = nil, sequence: Int? = nil
    ) throws -> (box: BoxID, id: PaymentID, answer: DeliveryRules.Answer) {
        (
            trialBox, try PaymentID(id),
            .init(state: state, how: how, reason: reason, number: sequence.map { .init(epoch: "e", sequence: $0) })
        )
    }

    @Test("The same id again changes nothing, another amount is told, and box, refund and id make another payment")
    func identity() throws {
        let first = try store.accept([(trialBox, notice("A"))], at: now)
        #expect(first == [.accepted])
        let outcomes = try store.accept(
            [
                (trialBox, notice("A")), (trialBox, notice("A", "13")), (trialBox, notice("A", kind: .refund)),
                (otherBox, notice("A")), (trialBox, notice("a")), (trialBox, notice("B")), (trialBox, notice("B")),
            ], at: now)
        #expect(
            outcomes == [
                .known(.accepted), .differs(try Money("12.50", .CNY)), .accepted, .accepted, .accepted, .accepted,
                .known(.accepted),
            ])
        #expect(try store.due(at: .zero, limit: 100).count == 5)
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.notice.money == Money("12.50", .CNY))
    }

    @Test("A payment that the box has refused may be posted again, also with another amount")
    func corrected() throws {
        let number = try store.accept(["A"], at: now)[0]
        _ = try commit {
            $0.acknowledged = [(number, nil)]
            $0.receipts = [try receipt("A", .rejected, reason: "amount: too large", sequence: 2)]
        }
        #expect(try store.state("A") == .failed)
        // Of a second copy.
        _ = try commit { $0.receipts = [try receipt("A", .rejected, reason: "amount: too large", sequence: 3)] }
        #expect(try store.accept([(trialBox, notice("A", "13"))], at: now) == [.accepted])
        #expect(try store.due(at: .zero, limit: 9).map(\.payment.notice.money) == [Money("13", .CNY)])
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.reason == nil)
        // Receipts may come twice.
        func isRejected(by sequence: Int) throws -> Bool {
            _ = try commit { $0.receipts = [try receipt("A", .rejected, reason: "no", sequence: sequence)] }
            return try store.state("A") == .failed
        }
        #expect(try !isRejected(by: 2))
        let corrected = try #require(try store.due(at: .zero, limit: 9).first)
        _ = try commit { $0.acknowledged = [(corrected.number, nil)] }
        #expect(try !isRejected(by: 1) && !isRejected(by: 3))
        #expect(try isRejected(by: 4))
    }

    @Test("A payment that was given up may be posted again, with the same amount")
    func postedAgain() throws {
        let number = try store.accept(["A"], at: now)[0]
        try store.settle(waiting: [], givenUp: [number], at: now.time)
        #expect(try store.accept([(trialBox, notice("A", "13"))], at: now) == [.differs(Money("12.50", .CNY))])
        #expect(try store.accept([(trialBox, notice("A"))], at: now) == [.accepted])
        #expect(try store.due(at: .zero, limit: 9).count == 1)
    }

    @Test("A file that was deleted or moved away takes nothing more, and a link to it is the same file")
    func replaced() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.sqlite"), withDestinationPath: store.path)
        try FileManager.default.linkItem(atPath: store.path, toPath: folder.file("second.sqlite"))
        for name in ["link.sqlite", "second.sqlite"] {
            #expect(throws: StoreError.self) { try PaymentStore(path: folder.file(name)) }
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
            let store = try PaymentStore(path: path)
            try store.accept(["A"])
            try FileManager.default.removeItem(atPath: path + "-wal")
            #expect(throws: StoreError.self) { try store.accept([(trialBox, notice("B"))], at: now) }
        }
        let store = try PaymentStore(path: path)
        #expect(try store.state("A") == .accepted && store.state("B") == nil)
    }

    @Test("The running time goes on from the last commit, whatever the wall clock says")
    func clock() throws {
        #expect(store.clock.now.running < .seconds(3600))
        let path = folder.file("other.sqlite")
        do { _ = try PaymentStore(path: path) }
        try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE clock SET running = 9000000") }
        for _ in 1...2 {
            let store = try PaymentStore(path: path)
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
        let again = try PaymentStore(path: store.path, role: .reader)
        #expect(try again.payment(full.id, of: trialBox)?.notice == NoticeDocument(full, accepted: now.time))
        var second = try notice("B")
        second.paidAt = now.time
        #expect(try again.payment(try PaymentID("B"), of: trialBox)?.notice.text == second.json.text)
    }

    @Test("Acknowledged and stored it is due no more; announced it is told how")
    func life() throws {
        let number = try store.accept(["A"])[0]
        let boxes = [trialBox: online()]
        _ = try commit(boxes: boxes) { $0.acknowledged = [(number, 3)] }
        #expect(try store.state("A") == .published)
        #expect(try store.due(at: .seconds(29), limit: 10).isEmpty)
        #expect(try store.due(at: .seconds(30), limit: 10).map(\.number) == [number])
        _ = try commit(boxes: boxes) { $0.receipts = [try receipt("A", .stored, reason: "channel: too long")] }
        #expect(try store.state("A") == .stored)
        #expect(try store.due(at: .seconds(80 * 3600), limit: 10).isEmpty)
        let outcome = try commit(boxes: boxes) { $0.receipts = [try receipt("A", .announced, how: "muted")] }
        #expect(outcome.announced.map(\.how) == ["muted"])
        #expect(
            try commit(boxes: boxes) { $0.receipts = [try receipt("A", .announced, how: "muted")] }.announced.isEmpty)
        #expect(try store.payment(try PaymentID("A"), of: trialBox)?.reason == "channel: too long")
    }

    @Test("A receipt that is read together with the broker's acknowledgement counts, whichever came first")
    func together() throws {
        let number = try store.accept(["A"])[0]
        _ = try commit {
            $0.receipts = [try receipt("A", .stored), try receipt("A", .announced, how: "aloud")]
            $0.acknowledged = [(number, 3)]
        }
        #expect(try store.state("A") == .announced)
        _ = try commit { $0.acknowledged = [(number, 3)] }
        #expect(try store.state("A") == .announced)
    }

    @Test("A box that comes online with a new session has its open payments due at once, and others wait")
    func awakening() throws {
        let numbers = try store.accept(["A", "B", "C"])
        _ = try commit(boxes: [trialBox: online()]) { $0.acknowledged = numbers.map { ($0, 3) } }
        _ = try commit { $0.receipts = [try receipt("C", .stored)] }
        #expect(try store.due(at: .zero, limit: 10).isEmpty)
        let boxes = [trialBox: online(epoch: 4)]
        _ = try commit(boxes: boxes) {
            $0.awakened = [trialBox]
            $0.changedBoxes = [trialBox]
        }
        #expect(try store.due(at: .zero, limit: 10).map(\.number) == Array(numbers.prefix(2)))
        #expect(try store.boxes()[trialBox]?.sessionEpoch == 4)
        #expect(try !store.isPublishedAgain(trialBox, in: 4))
        let outcome = try commit(boxes: boxes) { $0.acknowledged = numbers.prefix(2).map { ($0, 4) } }
        #expect(outcome.resent == 2)
        #expect(try store.isPublishedAgain(trialBox, in: 4))
    }

    @Test("After a connection everything open is due, and first what was never published")
    func newOnesFirst() throws {
        let published = try store.accept(["A", "B"])
        _ = try commit(boxes: [trialBox: online()]) { $0.acknowledged = published.map { ($0, 3) } }
        let new = try store.accept(["C"])
        try store.awaken()
        #expect(try store.due(at: .seconds(1), limit: 10).map(\.number) == new + published)
    }

    @Test("What the broker refuses is published again later, and the reason is told")
    func refusedByBroker() throws {
        let number = try store.accept(["A"])[0]
        _ = try commit { $0.refused = [(number, "quota exceeded (0x97)")] }
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.state == .accepted)
        #expect(payment.reason == "the broker refuses it: quota exceeded (0x97)")
        #expect(try store.due(at: .seconds(29), limit: 10).isEmpty)
        #expect(try store.due(at: .seconds(31), limit: 10).count == 1)
        // A receipt is then waited for as long as if it had been taken at once.
        _ = try commit(boxes: [trialBox: online()]) { $0.acknowledged = [(number, 3)] }
        #expect(try store.due(at: .seconds(30), limit: 10).count == 1)
    }

    @Test("A duplicate with another amount is stored, and flagged")
    func flagged() throws {
        let number = try store.accept(["A"])[0]
        let reason = "the id is known with another amount: 9 CNY"
        _ = try commit {
            $0.acknowledged = [(number, 3)]
            $0.receipts = [try receipt("A", .duplicate, reason: reason)]
        }
        let payment = try #require(try store.payment(try PaymentID("A"), of: trialBox))
        #expect(payment.state == .stored && payment.reason == reason)
    }

    @Test("Receipts of payments from elsewhere, and of boxes that are not known, change nothing")
    func foreign() throws {
        try store.accept(["A"])
        let outcome = try commit {
            $0.receipts = [
                try receipt("other", .announced), (otherBox, try PaymentID("A"), .init(state: .announced)),
                (trialBox, try PaymentID("A").of(.refund), .init(state: .announced)),
            ]
        }
        #expect(outcome == .init())
        #expect(try store.state("A") == .accepted)
    }

    @Test("Given up after 72 hours it is listed as unheard, with a reason; announced it is not listed")
    func unheard() throws {
        let numbers = try store.accept(["A", "B"])
        try store.settle(waiting: [], givenUp: [numbers[0]], at: now.time)
        _ = try commit { $0.receipts = [try receipt("B", .announced, how: "aloud")] }
        let list = try store.unheard(limit: 10)
        #expect(list.map(\.notice.id.text) == ["A"])
        #expect(list.first?.state == .givenUp)
        #expect(list.first?.reason == "the box has not stored it within 72 hours")
    }

    @Test("Old payments are deleted, and newer ones stay")
    func pruning() throws {
        try store.accept(["old"], at: now + .seconds(-1000))
        try store.accept(["new"], at: now)
        #expect(try store.prune(before: .seconds(-10)) == 0, "it waits still, and the clock may be wrong")
        _ = try commit { $0.receipts = [try receipt("old", .announced, how: "aloud")] }
        #expect(try store.prune(before: .seconds(-10)) == 1)
        #expect(try store.state("old") == nil)
        #expect(try store.state("new") == .accepted)
    }

    @Test("A file of another version is refused and not changed; a second process may read, and not write")
    func opening() throws {
        try store.accept(["A"])
        let reader = try PaymentStore(path: store.path, role: .reader)
        #expect(try reader.unheard(limit: 10).count == 1)
        let second = #expect(throws: StoreError.self) { try PaymentStore(path: store.path) }
        #expect(second?.description == "\(store.path): another gateway runs with it")
        let other = folder.file("other.sqlite")
        try DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t (a); PRAGMA user_version = 7") }
        for role in [PaymentStore.Role.gateway, .reader, .editor] {
            let error = #expect(throws: StoreError.self) { try PaymentStore(path: other, role: role) }
            #expect(
                error?.description
                    == "\(other): it is of another version of soundbox-gateway (7, and not 4), or another program's")
        }
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

    @Test("What is due is found by an index, and so are a box's open payments")
    func indexes() throws {
        try store.read { database in
            for (sql, index) in [
                ("SELECT * FROM payment WHERE due_after <= 5 ORDER BY due_after", "payment_due"),
                ("SELECT * FROM payment WHERE payment.box = 1 AND due_after IS NOT NULL", "payment_open"),
            ] {
                let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
                #expect(plan.contains { $0.contains(index) }, "\(plan)")
            }
        }
    }
}
