import Foundation
import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("A database of version 4")
struct MigrationFrom4Tests {
    private let folder: TemporaryFolder
    private let path: String

    /// Makes the file from the dump of one that version 4 has written.
    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.file("gateway.sqlite")
        let sql = try String(
            contentsOfFile: #filePath.replacing(/[^\/]+$/, with: "Version4/version-4.sql"), encoding: .utf8)
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
    }

    private func content() throws -> [[Row]] {
        try DatabaseQueue(path: path).read { database in
            let payment = """
                number, box, payment_id, is_refund, notice, accepted_at, accepted_after, state, state_since, how, reason,
                receipt_epoch, receipt_sequence, published_at, published_after, resends, session_epoch, due_after
                """
            return try ["\(payment) FROM payment"].map { try Row.fetchAll(database, sql: "SELECT \($0)") }
                + ["box", "unread", "clock", "sqlite_sequence"].map {
                    try Row.fetchAll(database, sql: "SELECT * FROM \($0)")
                }
        }
    }

    @Test("Everything in it stays; its unread webhooks and payments are read")
    func stays() throws {
        let before = try content()
        do { _ = try SQLitePaymentStore(path: path) }
        #expect(try content() == before)
        #expect(before.map(\.count) == [12, 5, 2, 1, 2])
        let store = try SQLitePaymentStore(path: path)
        #expect(try store.unheard(limit: 99).count == 10)
        #expect(try store.unreadNumbers() == [1, 2])
        #expect(try store.unread(1)?.count == 2)
        #expect(try store.state("new", of: try BoxID(merchant: "M1001", device: "box-05")) == .accepted)
        #expect(try store.callbacks(after: 0, limit: 9).isEmpty)
    }

    @Test("It has the tables of a new file")
    func tables() throws {
        do { _ = try SQLitePaymentStore(path: path) }
        let new = folder.file("new.sqlite")
        do { _ = try SQLitePaymentStore(path: new) }
        let schemas = try [path, new].map { path in
            try DatabaseQueue(path: path).read { database in
                try [Row.fetchAll(database, sql: "PRAGMA user_version")]
                    // SQLite writes an added column behind the last one's line.
                    + [
                        Row.fetchAll(
                            database,
                            sql: """
                                SELECT type, name, tbl_name, replace(replace(sql, ' ', ''), char(10), '')
                                FROM sqlite_master ORDER BY name
                                """)
                    ]
            }
        }
        #expect(schemas[0] == schemas[1])
    }

    @Test("A second program refuses it", arguments: [StoreRole.reader, .editor])
    func second(role: StoreRole) throws {
        let error = #expect(throws: StoreError.self) { try SQLitePaymentStore(path: path, role: role) }
        #expect(error?.description == "\(path): it is of version 4, and not 6: the gateway migrates it as it starts")
    }

    @Test("A disk that is full leaves it as it was")
    func diskFull() throws {
        let before = try content()
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        #expect(throws: DatabaseError.self) { try queue.write(StoreSchema.prepare) }
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 4)
        #expect(try content() == before)
    }
}
