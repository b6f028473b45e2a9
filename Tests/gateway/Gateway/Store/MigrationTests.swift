import Foundation
import GRDB
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("A database of version 3")
struct MigrationTests {
    private let folder: TemporaryFolder
    private let path: String

    /// Makes the file from the dump of one that version 3 has written.
    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.file("gateway.sqlite")
        let sql = try Self.recorded("version-3.sql")
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }

    /// A file in `Version3/`.
    private static func recorded(_ name: String) throws -> String {
        let folder = #filePath.replacing(/[^\/]+$/, with: "Version3")
        return try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    private static func lines(_ name: String) throws -> [String] {
        try recorded(name).split(whereSeparator: \.isNewline).map(String.init)
    }

    private func open() throws -> SQLitePaymentStore { try SQLitePaymentStore(path: path) }

    /// The box and id of a line of `answers.txt`.
    private func subject(_ answer: String) throws -> (box: BoxID, id: PaymentID) {
        let json = try JSONValue(parsing: Array(answer.utf8))
        let box = try BoxID(merchant: json["merchant"]?.string ?? "", device: json["device"]?.string ?? "")
        let id = try PaymentID(json["id"]?.string ?? "")
        return (box, json["kind"]?.string == "refund" ? id.of(.refund) : id)
    }

    /// Everything in the file.
    private func dump() throws -> [String] {
        try DatabaseQueue(path: path).read { database in
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            return try ["version \(version)"]
                + String.fetchAll(database, sql: "SELECT coalesce(sql, name) FROM sqlite_master ORDER BY name")
                + tables.flatMap { table in try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\($0)" } }
        }
    }

    @Test("Every payment is answered as version 3 has answered it, and listed in the same order")
    func answers() throws {
        let store = try open()
        let answers = try Self.lines("answers.txt")
        #expect(answers.count == 11)
        for answer in answers {
            let (box, id) = try subject(answer)
            #expect(try store.payment(id, of: box)?.json.text == answer)
        }
        let unheard = try store.unheard(limit: 99).map(\.json.text)
        let listed = ["announced", "cancelled"].map { #""state":"\#($0)""# }
        #expect(unheard == answers.filter { answer in !listed.contains { answer.contains($0) } })
        #expect(unheard.count == 9)
    }

    @Test("Every notice is byte for byte what version 3 has published, signed where the box has a key")
    func published() throws {
        try SmallFile.createFolders(folder.file("keys/M1001"))
        try folder.write("0123456789abcdef0123456789abcdef\n", to: "keys/M1001/box-02.key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("keys/M1001/box-02.key"))
        let keys = SigningKeys(path: folder.file("keys"))
        let store = try open()
        let published = try Self.lines("published.txt")
        let answers = try Self.lines("answers.txt")
        func line(_ topic: String, _ payload: [UInt8]) -> String {
            "\(topic) \(String(decoding: payload, as: UTF8.self))"
        }
        var lines: [String] = []
        for answer in answers {
            let (box, id) = try subject(answer)
            let payment = try #require(try store.payment(id, of: box))
            let topic = box.topic(.payments)
            lines.append(line(topic, try keys.payload(payment.notice.members, of: box, on: topic)))
        }
        #expect(lines.sorted() == published.sorted())
        #expect(published.count == 11)

        // Those that were never published are due at once, and the others when they were.
        var outgoing = try Outgoing(
            store: store, keys: folder.file("keys"), reconciles: false, keep: .seconds(86_400 * 7),
            metrics: GatewayMetrics(), logger: silence)
        #expect(outgoing.publications(limit: 99).map { line($0.topic, $0.payload) } == Array(published.suffix(3)))
    }

    @Test(
        "All but the columns of the notice stays as it was: states, times, receipts, boxes, the clock, the next number")
    func everythingElse() throws {
        func content() throws -> [[Row]] {
            try DatabaseQueue(path: path).read { database in
                try [
                    """
                    SELECT number, box, payment_id, is_refund, accepted_at, accepted_after, state, state_since, how, reason,
                        receipt_epoch, receipt_sequence, published_at, published_after, resends, session_epoch, due_after
                    FROM payment ORDER BY number
                    """,
                    "SELECT * FROM box", "SELECT running FROM clock", "SELECT * FROM sqlite_sequence",
                ].map { try Row.fetchAll(database, sql: $0) }
            }
        }
        let before = try content()
        do { _ = try open() }
        #expect(try content() == before)
        #expect(before.map(\.count) == [11, 4, 1, 1])
        let store = try open()
        // Number 12 was of a payment that was deleted.
        try store.accept(["new"], of: otherBox)
        #expect(try store.read { try Int64.fetchOne($0, sql: "SELECT max(number) FROM payment") } == 13)
    }

    @Test("It has the tables of a new file, and is opened again")
    func tables() throws {
        do { _ = try open() }
        let new = folder.file("new.sqlite")
        do { _ = try SQLitePaymentStore(path: new) }
        let schemas = try [path, new].map { path in
            try DatabaseQueue(path: path).read { database in
                (
                    try Int.fetchOne(database, sql: "PRAGMA user_version"),
                    try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
                )
            }
        }
        #expect(schemas[0].0 == StoreSchema.version && schemas[1].0 == StoreSchema.version)
        #expect(schemas[0].1 == schemas[1].1)
        #expect(try open().unheard(limit: 99).count == 9)
        #expect(try SQLitePaymentStore(path: path, role: .reader).unheard(limit: 99).count == 9)
    }

    @Test("The same payment posted again is known, one with another amount differs, one that has ended is taken again")
    func postedAgain() throws {
        let store = try open()
        func post(_ id: String, _ amount: String) throws -> Acceptance? {
            try store.accept([(trialBox, notice(id, amount))], at: store.clock.now).first
        }
        #expect(try post("announced", "123.450") == .known(.announced))
        #expect(try post("accepted", "0.01") == .known(.accepted))
        #expect(try post("stored", "1.2340") == .known(.stored))
        #expect(try post("stored", "1234") == .differs(try Money("1.234", .CNY)))
        #expect(try post("published", "1.5") == .differs(try Money("1.5", try #require(Currency("KWD")))))
        #expect(try post("given-up", "98") == .differs(try Money("99", .CNY)))
        #expect(try post("given-up", "99") == .accepted)
        #expect(try post("failed", "7") == .accepted)
        // The receipt that has refused the first one does not refuse the correction.
        var turn = DeliveryTurn()
        turn.receipts = [
            (trialBox, try PaymentID("failed"), .init(state: .rejected, number: .init(epoch: "e1", sequence: 5)))
        ]
        _ = try store.commit(turn, boxes: [:], listeningSince: .zero, at: store.clock.now)
        #expect(try store.state("failed") == .accepted)
    }

    @Test(
        "A second program refuses it, and leaves it to the gateway",
        arguments: [StoreRole.reader, .editor])
    func second(role: StoreRole) throws {
        let before = try dump()
        let error = #expect(throws: StoreError.self) { try SQLitePaymentStore(path: path, role: role) }
        #expect(error?.description == "\(path): it is of version 3, and not 6: the gateway migrates it as it starts")
        #expect(try dump() == before)
    }

    @Test(
        "A row that cannot be read is told with the file, its number and its column; nothing changes until it is repaired",
        arguments: [
            ("currency", "XYZ"), ("amount", "1,50"), ("kind", "Refund!"), ("kind", "refund"), ("payment_id", ""),
            ("payment_id", "a\u{7}"),
        ])
    func damagedRow(column: String, value: String) throws {
        let sql = "UPDATE payment SET \(column) = ? WHERE number = 9"
        let good = try DatabaseQueue(path: path).write { database in
            let good = try String.fetchOne(database, sql: "SELECT \(column) FROM payment WHERE number = 9")
            try database.execute(sql: sql, arguments: [value])
            return good
        }
        let before = try dump()
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(
            error?.description
                == "\(path): it stays of version 3, since it cannot be migrated: the \(column) of payment number 9 cannot be read"
        )
        #expect(try dump() == before)
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql, arguments: [good]) }
        #expect(try open().unheard(limit: 99).count == 9)
    }

    @Test("A disk that is full at any page of it leaves the file as it was")
    func diskFull() throws {
        let before = try dump()
        var failures = 0
        for spare in 0... {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(pages + spare)")
            }
            do { try queue.write(StoreSchema.prepare) } catch {
                failures += 1
                #expect(StoreError(path: path, error).description.hasPrefix("\(path): "))
                #expect(StoreError(path: path, error).description.hasSuffix("database or disk is full"))
                #expect(try dump() == before)
                continue
            }
            break
        }
        #expect(failures > 1)
        #expect(try open().unheard(limit: 99).count == 9)
    }

    @Test("Another program's file that has its number is refused, and not changed")
    func anotherProgram() throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: "ALTER TABLE payment RENAME COLUMN channel TO x") }
        let before = try dump()
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.description.hasSuffix("cannot be migrated: no such column: channel") == true)
        #expect(try dump() == before)
    }
}
