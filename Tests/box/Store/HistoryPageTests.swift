import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("The history says what of it cannot be read")
struct HistoryPageTests {
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
            try ids.map { .notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("1", .CNY))) }, at: noon)
    }

    private func change(_ sql: String) throws { try DatabaseQueue(path: path).write { try $0.execute(sql: sql) } }

    private func page(before: Int64? = nil, limit: Int = 10) throws -> HistoryPage {
        try inbox.history(HistoryFilter(), before: before, limit: limit)
    }

    @Test("A damaged row is read from its other copy while it waits, and counted when there is none")
    func damaged() throws {
        try store(1...4)
        try inbox.markAnnounced(try inbox.waiting(limit: 1)[0], at: noon)
        try change("UPDATE notice SET amount = '7' WHERE sequence <= 2")
        let page = try page()
        #expect(page.entries.map(\.entry.sequence) == [4, 3, 2])
        #expect(page.entries.allSatisfy { $0.entry.notice.money.amount.description == "1" })
        #expect(page.unreadable == UnreadableRows(count: 1, first: 1))
        #expect(page.examined == 4)
        #expect(try self.page(limit: 2).unreadable == nil)
        #expect(try self.page(before: 3, limit: 2).unreadable == UnreadableRows(count: 1, first: 1))
    }

    @Test("A row that was set aside is counted until its payment has come again")
    func setAside() throws {
        try store(1...3)
        try change(
            "UPDATE notice SET amount = 'x' WHERE sequence = 2; UPDATE waiting SET amount = 'x' WHERE sequence = 2")
        #expect(try inbox.waiting(limit: 9).count == 2)
        #expect(try page().unreadable == UnreadableRows(count: 1, first: 2))
        #expect(try page().entries.map(\.entry.sequence) == [3, 1])
        try store(2...2)
        #expect(try page().unreadable == nil)
        #expect(try page().entries.count == 3)
    }

    @Test("Payments of which a salvage saved the id alone are counted")
    func known() throws {
        try store(1...3)
        try change("DELETE FROM notice WHERE sequence = 2; DELETE FROM waiting; INSERT INTO known VALUES (2, 9, 'T2')")
        #expect(try page().unreadable == UnreadableRows(count: 1, first: 2))
        #expect(try page(limit: 1).unreadable == nil)
    }

    @Test("A page of no rows or before the first one is the end")
    func ends() throws {
        #expect(try page() == HistoryPage())
        try store(1...2)
        #expect(try page(limit: 2).next == 1)
        #expect(try page(before: 1) == HistoryPage())
        #expect(try page(before: -5) == HistoryPage())
        #expect(try page(limit: 0).examined == 1)
    }
}
