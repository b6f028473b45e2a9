import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("An inbox of an earlier version keeps everything in today's tables")
struct MigrationTests {
    private let folder: TemporaryFolder
    private let path: String
    private let now = Timestamp(millisecondsSince1970: 1_795_233_700_000)

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/inbox.sqlite"
    }

    private func makeFile(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// Every row of a table, without columns that a later version has added.
    private func rows(_ table: String, _ columns: [String]) throws -> [[DatabaseValue]] {
        let queue = try DatabaseQueue(path: path)
        return try queue.read { database in
            let list = columns.joined(separator: ", ")
            return try Row.fetchAll(database, sql: "SELECT \(list) FROM \(table) ORDER BY 1").map {
                Array($0.databaseValues)
            }
        }
    }

    private func columns(_ table: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        return try queue.read { try $0.columns(in: table).map(\.name) }
    }

    /// What SQLite knows of the tables, in one line each: an ALTER TABLE leaves other blanks than a CREATE TABLE.
    private func schema() throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        return try queue.read { database in
            try String.fetchAll(
                database,
                sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'grdb_migrations' ORDER BY name"
            ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        }
    }

    @Test("There is a file of every version that was released")
    func complete() { #expect(ReleasedSchemas.all.map(\.name) == Migrations.all.migrations) }

    @Test("The file of a version has the tables that this version made", arguments: ReleasedSchemas.all)
    func faithful(name: String, sql: String) throws {
        try makeFile(sql)
        let fixture = try schema()
        try folder.remove("inbox.sqlite")
        let queue = try DatabaseQueue(path: path)
        try Migrations.all.migrate(queue, upTo: name)
        try queue.close()
        #expect(try schema() == fixture)
    }

    @Test("Every row stays as it was, in whatever state; the tables become today's", arguments: ReleasedSchemas.all)
    func rowsStay(name: String, sql: String) throws {
        try makeFile(sql)
        // Those that migrations compute are looked at below.
        let names = try ["notice", "receipt"].map {
            let names = try columns($0).filter { $0 != "announced_number" && $0 != "checksum" }
            return ($0, names.map { $0 == "payment_id" ? "replace(payment_id, char(1), '')" : $0 })
        }
        let before = try names.map { try rows($0.0, $0.1) }
        _ = try SQLiteInbox(path: path)
        #expect(try names.map { try rows($0.0, $0.1) } == before)
        #expect(before.map(\.count) == [6, 2])

        let migrated = try schema()
        try folder.remove("inbox.sqlite")
        _ = try SQLiteInbox(path: path)
        #expect(try schema() == migrated)
    }

    @Test("What waited is spoken, what was spoken is not, and new payments come behind", arguments: ReleasedSchemas.all)
    func states(name: String, sql: String) throws {
        try makeFile(sql)
        let inbox = try SQLiteInbox.recovering(path: path, now: { [now] in now }) { _ in
        } happened: {
            Issue.record("found damaged: \($0)")
        }
        #expect(try inbox.counts() == InboxCounts(waiting: 2, announced: 2, receiptsWaiting: 2))

        let waiting = try inbox.waiting(limit: 10)
        #expect(waiting.map(\.notice.id.text) == ["P-announcing", "P-received"])
        #expect(waiting.map(\.state) == [.announcing, .received])
        #expect(waiting.map(\.sequence) == [7, 8])
        #expect(
            waiting.map(\.notice.money) == [try Money("0.06", .CNY), try Money("1005", try #require(Currency("JPY")))])
        #expect(waiting[1].notice.kind == .refund)
        #expect(waiting[1].notice.channel == "unionpay")
        #expect(waiting[1].notice.paidAt == Timestamp(millisecondsSince1970: 1_795_233_609_000))
        #expect(waiting.map(\.clock) == [.unconfirmed, .unconfirmed])
        #expect(try inbox.lastAnnounced(skipping: 0)?.notice.id.text == "P-announced-2")

        let receipts = try inbox.receipts(after: 0, limit: 10).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(receipts[0].contains(#""state":"announced""#) && receipts[0].contains(#""sequence":15"#))
        #expect(receipts[1].contains(#""id":null"#) && receipts[1].contains("id: missing"))

        // Whatever its state, a known id is a duplicate.
        let ids = ["P-announced-1", "P-announced-2", "P-expired", "P-cancelled", "P-announcing", "P-received", "P-new"]
        let outcomes = try inbox.store(try ids.map { .notice(try notice($0)) }, at: now)
        for outcome in outcomes.dropLast() {
            guard case .duplicate = outcome else {
                Issue.record("expected a duplicate, found \(outcome)")
                continue
            }
        }
        guard case .stored(let entry)? = outcomes.last else {
            Issue.record("the new payment was not stored")
            return
        }
        #expect(entry.sequence > 11)
        #expect(try inbox.receipts(after: 16, limit: 1).first?.sequence == 21)

        try inbox.markAnnounced(waiting[0], at: now)
        #expect(try inbox.counts().announced == 3)
        #expect(try SQLiteInbox(path: path).counts().announced == 3)
    }

    @Test(
        "A refund keeps its id apart from payments, also where the file is damaged before it is opened, and as a duplicate",
        arguments: ReleasedSchemas.all, [false, true])
    func refunds(version: (name: String, sql: String), isDamaged: Bool) throws {
        try makeFile(version.sql)
        if isDamaged {
            var bytes = try folder.read("inbox.sqlite")
            bytes[47] = 5
            try folder.write(bytes, to: "inbox.sqlite")
        }
        let inbox = try SQLiteInbox.recovering(path: path, now: { [now] in now }, log: { _ in }, happened: { _ in })
        let refunds = try ["P-cancelled", "P-received"].map { try notice($0) }
        #expect(refunds.map(\.kind) == [.refund, .refund])
        let payments = refunds.map { PaymentNotice(id: $0.id, money: $0.money) }
        let outcomes = try inbox.store((refunds + payments).map { .notice($0) }, at: now)
        #expect(
            outcomes.map { if case .stored(let entry) = $0 { entry.notice.id.key } else { "duplicate" } }
                == ["duplicate", "duplicate", "P-cancelled", "P-received"])
        #expect(
            try inbox.waiting(limit: 9).map(\.notice.id.key)
                == ["P-announcing", "\u{1}P-received", "P-cancelled", "P-received"])
        #expect(try inbox.cancel(refunds[1].id, at: now) != .unknown)
    }

    @Test("A refund that an earlier version left damaged stays damaged and is asked for again, apart from its payment")
    func damagedRefund() throws {
        try makeFile(ReleasedSchemas.all[6].sql)
        try makeFile("UPDATE notice SET amount = '9'; UPDATE waiting SET amount = '9'")
        let inbox = try SQLiteInbox(path: path)
        #expect(try inbox.waiting(limit: 9).isEmpty)
        let last = try #require(try inbox.receipts(after: 0, limit: 9).last)
        #expect(PaymentID(receipt: try JSONValue(parsing: last.payload))?.key == "\u{1}P-received")
        guard case .stored = try inbox.store([.notice(try notice("P-received"))], at: now).first else {
            Issue.record("not stored")
            return
        }
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.key) == ["\u{1}P-received"])
    }

    /// As of the files of earlier versions.
    private func notice(_ id: String) throws -> PaymentNotice {
        PaymentNotice(
            id: try PaymentID(id), money: try Money("9", .CNY),
            kind: ["P-cancelled", "P-received"].contains(id) ? .refund : .payment)
    }

    @Test("A newer version's file is refused with what to do, and stays as it is to the byte")
    func newer() throws {
        _ = try SQLiteInbox(path: path)
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO grdb_migrations VALUES ('9: from the future');
                    ALTER TABLE notice RENAME COLUMN amount TO amount_minor;
                    INSERT INTO damaged (number, found_at, origin, content) VALUES (1, 1, 'notice', 'x');
                    """)
        }
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
        let before = try folder.read("inbox.sqlite")

        let opened = try #require(throws: InboxError.self) {
            try SQLiteInbox.recovering(path: path, now: { [now] in now }, log: { _ in }, happened: { _ in })
        }
        #expect(try folder.names() == ["inbox.sqlite"])
        let inspected = try #require(throws: InboxError.self) { try InboxInspection(path: path) }
        for error in [opened, inspected] {
            guard case .cannotOpen(path, let reason) = error else {
                Issue.record("expected cannotOpen with the path, found \(error)")
                continue
            }
            #expect(reason.contains("newer version of soundbox") && reason.contains("backup"))
            #expect(!error.description.contains("\n"))
        }
        #expect(try folder.read("inbox.sqlite") == before)
    }
}
