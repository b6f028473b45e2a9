import GRDB
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("Opening the inbox")
struct OpeningTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/inbox.sqlite"
    }

    private func openingError(_ path: String) throws -> InboxError {
        try #require(throws: InboxError.self) { try SQLiteInbox(path: path) }
    }

    @Test("A file that is no database is left as it is, and the error names it")
    func noDatabase() throws {
        let text = Array(String(repeating: "this is no database\n", count: 400).utf8)
        try folder.write(text, to: "inbox.sqlite")
        guard case .corrupt(path, let reason) = try openingError(path) else {
            Issue.record("expected corrupt with the path")
            return
        }
        #expect(reason.contains("not a database"))
        #expect(!reason.contains("SELECT") && !reason.contains("PRAGMA"))
        #expect(try folder.read("inbox.sqlite") == text)
    }

    @Test("A folder that does not exist, and a folder in the file's place, are reported with the path")
    func noFile() throws {
        for path in ["\(folder.path)/missing/inbox.sqlite", folder.path] {
            guard case .cannotOpen(path, let reason) = try openingError(path) else {
                Issue.record("expected cannotOpen with \(path)")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("Opening again and again applies each migration once")
    func migrations() throws {
        for _ in 0..<3 { _ = try SQLiteInbox(path: path) }
        let queue = try DatabaseQueue(path: path)
        let applied = try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations") }
        #expect(applied.contains("1: notices and receipts"))
        #expect(Set(applied).count == applied.count)
    }

    @Test("A table of another program under our name is reported, not overwritten")
    func foreignSchema() throws {
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "CREATE TABLE notice (x); INSERT INTO notice VALUES (5)")
        }
        guard case .cannotOpen(path, _) = try openingError(path) else {
            Issue.record("expected cannotOpen with the path")
            return
        }
        #expect(try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT x FROM notice") } == 5)
    }

    @Test("A table that vanishes is a failure with the path, and not a crash")
    func vanishedTable() throws {
        let inbox = try SQLiteInbox(path: path)
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TABLE receipt") }
        let error = try #require(throws: InboxError.self) { try inbox.counts() }
        guard case .failed(path, let reason) = error else {
            Issue.record("expected failed with the path, found \(error)")
            return
        }
        #expect(reason.contains("receipt"))
    }

    @Test("An inbox that nobody has any more has closed its files: a late end would delete the log of the next one")
    func released() throws {
        let repair = SQLiteInbox.Repair(
            now: { Timestamp(millisecondsSince1970: 0) }, happened: { _ in }, historyChanged: { _ in })
        weak var connection: DatabaseQueue?
        do {
            let inbox = try SQLiteInbox.recovering(path: path, repair)
            connection = inbox.queue
        }
        #expect(connection == nil)
        #expect(try folder.names() == ["inbox.sqlite"])
    }
}
