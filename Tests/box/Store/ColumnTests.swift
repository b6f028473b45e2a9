import GRDB
import SoundboxCore
import Testing

@testable import SoundboxStore

@Suite("The columns of the tables whose rows carry a checksum")
struct ColumnTests {
    private static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    @Test("They are those of the table, in its order: a salvage reads rows as they are in the file")
    func order() throws {
        let queue = try DatabaseQueue()
        try Schema.create(in: queue)
        for table in CheckedTable.allCases {
            let names = try queue.read { try $0.columns(in: table.rawValue).map(\.name) }
            #expect(table.columns.all == names)
        }
    }

    /// The checksums come from another program.
    @Test("Rows are as 0.2.0 wrote them: a change of the checksum would make every stored row a damaged one")
    func frozen() throws {
        let noon = Self.noon
        let refund = PaymentNotice(
            id: try PaymentID("R5"), money: try Money("12.5", .CNY), kind: .refund, channel: "alipay",
            paidAt: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 - 1000), text: "thanks")
        let ended = NoticeRecord(
            InboxEntry(sequence: 5, notice: refund, receivedAt: noon, state: .announced),
            endedAt: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 2000), announcedNumber: 7,
            audibility: .muted)
        try expect(ended, in: .notice, checksum: 811_577_494)
        let payment = PaymentNotice(id: try PaymentID("T5"), money: try Money("12.5", .CNY))
        let waiting = NoticeRecord(
            InboxEntry(sequence: 5, notice: payment, receivedAt: noon, clock: .unconfirmed, state: .received))
        try expect(waiting, in: .waiting, checksum: 3_387_204_274)
        let expired = Receipt(
            id: try PaymentID("T5"), state: .expired, at: noon, reason: "late", summary: "sum-1", audibility: .aloud)
        try expect(
            ReceiptRecord(sequence: 9, epoch: "e1", receipt: expired), in: .receipt, checksum: 2_041_090_247)
        let reply = Receipt(.command(try CommandID("c1")), state: .ok, at: noon)
        try expect(ReceiptRecord(sequence: 9, epoch: "e1", receipt: reply), in: .receipt, checksum: 3_052_888_608)
        let sentence = CustomMessage(id: try CommandID("c1"), purpose: .say, content: .text("hi"), at: noon)
        let entry = CustomMessageEntry(
            sequence: 3, customMessage: sentence, receivedAt: noon, clock: .unconfirmed)
        try expect(CustomMessageRecord(entry), in: .customMessage, checksum: 3_621_818_155)
    }

    private func expect<Record: CheckedRecord & Equatable>(
        _ record: Record, in table: CheckedTable, checksum: Int64
    ) throws {
        let cells = record.cells(of: table)
        let place = try #require(table.columns.all.firstIndex(of: "checksum"))
        #expect(cells[place] == .integer(checksum))
        #expect(try Record(cells, of: table) == record)
        // As 0.2.0 wrote it, without the columns that came later.
        #expect(try Record(Array(cells[...place]), of: table) == record)
    }

    private struct Row: CheckedRecord, Equatable {
        var sequence: Int64 = 7
        var text: String?

        init(text: String?) { self.text = text }

        init?(parts cells: [Cell]) { self.init(text: nil) }

        static let columns: Columns<Row> = [.sequence(\.sequence), .field("text", \.text), .checksum]
    }

    /// The same table after two migrations.
    private struct LongerRow: CheckedRecord, Equatable {
        var sequence: Int64 = 7
        var text: String?
        var second: String?
        var third: String?

        init(text: String?, second: String? = nil, third: String? = nil) {
            (self.text, self.second, self.third) = (text, second, third)
        }

        init?(parts cells: [Cell]) { self.init(text: nil) }

        static let columns: Columns<LongerRow> = [
            .sequence(\.sequence), .field("text", \.text), .checksum, .field("second", \.second),
            .field("third", \.third),
        ]
    }

    static let textsBefore: [String?] = [nil, "a"]

    @Test(
        "A row from before a migration stays valid behind it, in the file and through SQLite",
        arguments: ColumnTests.textsBefore)
    func added(text: String?) throws {
        let old = Row(text: text).cells(of: .notice)
        #expect(try LongerRow(old, of: .notice) == LongerRow(text: text))
        #expect(LongerRow(text: text).cells(of: .notice) == old + [.null, .null])
        #expect(try LongerRow(old + [.null, .null], of: .notice) == LongerRow(text: text))
        #expect(throws: DamagedRow.self) { try LongerRow(old + [.null, .null, .null], of: .notice) }
        #expect(throws: DamagedRow.self) { try LongerRow(old.dropLast(), of: .notice) }
    }

    static let valuesAdded: [(String?, String?)] = [(nil, "b"), ("b", nil), ("b", "c")]

    @Test("A value in an added column is covered by the checksum", arguments: ColumnTests.valuesAdded)
    func covered(second: String?, third: String?) throws {
        let row = LongerRow(text: "a", second: second, third: third)
        let cells = row.cells(of: .notice)
        #expect(try LongerRow(cells, of: .notice) == row)
        let damaged: [[Cell]] = [
            Array(cells[..<3]), Array(cells[..<3]) + [cells[4], cells[3]].map { $0 == .text("c") ? .null : $0 },
            Array(cells[..<3]) + [.text("d"), cells[4]], Array(cells[..<3]) + [cells[3], .integer(1)],
        ]
        for cells in damaged {
            #expect(throws: DamagedRow.self) { try LongerRow(cells, of: .notice) }
        }
    }
}
