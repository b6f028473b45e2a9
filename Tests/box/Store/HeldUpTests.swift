import GRDB
import SoundboxCore
import SoundboxTesting
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

/// A row that is given again and again, and refused each time, would silence a box for ever, and nobody would know why.
@Suite("No row holds up the others", .timeLimit(.minutes(10)))
struct HeldUpTests {
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("inbox.sqlite")
    }

    private func notice(_ id: String) throws -> PaymentNotice {
        PaymentNotice(id: try PaymentID(id), money: try Money("1", .CNY))
    }

    private func store(_ ids: [String], in inbox: SQLiteInbox) throws -> [ArrivalOutcome] {
        try inbox.store(try ids.map { .notice(try notice($0)) }, at: noon)
    }

    /// What a card does to a page, as far as SQL can.
    private func change(_ sql: String) throws { try DatabaseQueue(path: path).write { try $0.execute(sql: sql) } }

    /// Opens it as a box does whose check at the start was given up: damage is salvaged when it is met.
    private func openUnchecked() throws -> SQLiteInbox {
        let inbox = try SQLiteInbox(path: path)
        inbox.connection.withLock {
            $0.repair = SQLiteInbox.Repair(
                now: { [noon] in noon }, happened: { _ in }, reserve: 0, pause: .zero)
        }
        return inbox
    }

    /// Makes the first number that divides the leaves of a table smaller. Whoever walks through the table still comes to
    /// every row; whoever looks for one of the rows above that number goes to the wrong leaf.
    private func damageDivider(of table: CheckedTable) throws {
        let root = try #require(try DamagedFile(path: path).root(ofTable: table.rawValue))
        var bytes = try folder.read("inbox.sqlite")
        let page = (root - 1) * 4096
        try #require(bytes[page] == 5, "the table needs more than one leaf")
        let cell = page + Int(bytes[page + 12]) << 8 + Int(bytes[page + 13])
        // The number has seven bits in a byte, and its last byte is the first below 128.
        let last = try #require((cell + 4..<cell + 13).first { bytes[$0] < 128 })
        try #require(bytes[last] >= 10)
        bytes[last] -= 5
        try folder.write(bytes, to: "inbox.sqlite")
    }

    private static let ids = (1...200).map { "T\($0)" }

    @Test("Payments that a damaged page gives and does not find again are all told, once each")
    func unreachablePayments() throws {
        do { _ = try store(Self.ids, in: try SQLiteInbox(path: path)) }
        try damageDivider(of: .waiting)
        let inbox = try openUnchecked()
        var heard: [String] = []
        for _ in 0..<20 {
            // All at once, as for a summary: SQLite mends the page when enough rows around it change.
            let noted = try inbox.stillWaiting(try inbox.waiting(limit: 1000))
            try inbox.markExpired(noted, at: noon)
            heard += noted.map(\.notice.id.text)
        }
        #expect(heard == Self.ids)
        #expect(try inbox.counts().waiting == 0)
    }

    @Test("Receipts that a damaged page gives and does not find again are all removed once they are confirmed")
    func unreachableReceipts() throws {
        do { _ = try store(Self.ids, in: try SQLiteInbox(path: path)) }
        try damageDivider(of: .receipt)
        let inbox = try openUnchecked()
        for _ in 0..<20 { try inbox.removeReceipts(try inbox.receipts(after: 0, limit: 50).map(\.sequence)) }
        #expect(try inbox.counts().receiptsWaiting == 0)
    }

    @Test("A number that has become smaller ends the walk through the waiting payments, and not the box")
    func numberThatGoesBack() throws {
        let arrivals = try (1...600).map { Arrival.notice(try notice("T\($0)")) }
        do { _ = try SQLiteInbox(path: path).store(arrivals, at: noon, clock: .unconfirmed) }
        // The varint of 500 becomes one of 3.
        let file = try DamagedFile(path: path)
        let root = try #require(file.root(ofTable: "waiting"))
        var leaf: Int?
        _ = file.walk(below: root) { page in
            if page.kind == .leafTable, page.rowNumbers.contains(500) { leaf = page.rowNumbers.count }
            return leaf == nil
        }
        #expect(leaf != nil)
        var bytes = try folder.read("inbox.sqlite")
        let text = Array("T500".utf8)
        // The row's number stands before its header, which stands before the id.
        for start in bytes.indices.dropLast(64) where Array(bytes[start..<start + 4]) == text {
            for position in start - 20..<start where bytes[position] == 0x83 && bytes[position + 1] == 0x74 {
                (bytes[position], bytes[position + 1]) = (0x80, 0x03)
            }
        }
        try folder.write(bytes, to: "inbox.sqlite")
        let inbox = try openUnchecked()
        try inbox.distrustArrivalTimes()
        let waiting = try inbox.waiting(limit: 1000)
        #expect(waiting.count >= 599)
        #expect(waiting.allSatisfy { $0.clock == .none })
    }

    @Test("A payment that lost its row and came again is spoken once, and recorded", arguments: [true, false])
    func twoNumbers(isFetchedBefore: Bool) throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try store(["1", "2"], in: inbox)
        try change("DELETE FROM notice WHERE payment_id = '1'")
        var entries = isFetchedBefore ? try inbox.waiting(limit: 1) : []
        _ = try store(["1"], in: inbox)
        if !isFetchedBefore { entries = try inbox.waiting(limit: 9) }
        for entry in entries { try inbox.markAnnounced(entry, at: noon) }
        for entry in try inbox.waiting(limit: 9) { try inbox.markAnnounced(entry, at: noon) }
        #expect(try inbox.waiting(limit: 9).isEmpty)
        let receipts = try inbox.receipts(after: 0, limit: 99).map { try JSONValue(parsing: $0.payload) }
        let announced = receipts.filter { $0["state"]?.string == "announced" }.compactMap { $0["id"]?.string }
        #expect(announced.sorted() == ["1", "2"])
        #expect(try inbox.counts().announced == 2)
    }

    @Test("A summary that holds such a payment is recorded as well")
    func twoNumbersInSummary() throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try store(["1", "2"], in: inbox)
        try change("DELETE FROM notice WHERE payment_id = '1'")
        let entries = try inbox.waiting(limit: 9)
        _ = try store(["1"], in: inbox)
        try inbox.markExpired(entries, at: noon)
        #expect(try inbox.waiting(limit: 9).isEmpty)
    }

    @Test("A number that a waiting payment has is not given to another one, whatever the other pages have forgotten")
    func numbers() throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try store(["1"], in: inbox)
        try change("DELETE FROM notice; DELETE FROM sqlite_sequence WHERE name = 'notice'")
        _ = try store(["2"], in: inbox)
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["1", "2"])
    }

    @Test("A waiting payment that lost its row in the history has it again after a start, so that it stays a duplicate")
    func missingHistory() throws {
        do { _ = try store(["1"], in: try SQLiteInbox(path: path)) }
        try change("DELETE FROM notice")
        let inbox = try SQLiteInbox.recovering(path: path, now: { [noon] in noon }, log: { _ in }) {
            Issue.record("\($0)")
        }
        #expect(try store(["1"], in: inbox) == [.duplicate(try notice("1"), differs: nil)])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["1"])
    }

    @Test(
        "A page of the index that names another payment takes no payment for a known one, and cancels none",
        arguments: [true, false])
    func wrongIndex(isCancelled: Bool) throws {
        do {
            let inbox = try SQLiteInbox(path: path)
            _ = try store(["T1", "T5-known", "T9"], in: inbox)
            for entry in try inbox.waiting(limit: isCancelled ? 0 : 9) { try inbox.markAnnounced(entry, at: noon) }
        }
        var bytes = try folder.read("inbox.sqlite")
        for page in stride(from: 0, to: bytes.count, by: 4096) where bytes[page] == 10 {
            guard let found = bytes[page..<page + 4096].firstRange(of: Array("T5-known".utf8)) else { continue }
            bytes[found.upperBound - 1] = UInt8(ascii: "m")
        }
        try folder.write(bytes, to: "inbox.sqlite")
        let inbox = try openUnchecked()
        if isCancelled {
            let id = try PaymentID("T5-knowm")
            #expect(try inbox.cancel(id, at: noon) == .unknown(.payment(id)))
            #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["T1", "T5-known", "T9"])
        } else if case .stored = try store(["T5-knowm"], in: inbox).first {
        } else {
            Issue.record("a new payment was taken for a known one")
        }
    }
}
