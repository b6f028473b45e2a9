import GRDB
import SoundboxCore
import SoundboxSystem
import Synchronization
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

    @Test("The tables stay as 0.2.0 has them: a migration changes them, or an upgrade would put every inbox aside")
    func frozen() {
        #expect(
            SHA256.hash(of: Array(Schema.sql.utf8)).hexadecimal
                == "c760931899200ff9aaf933c92acf9040a16852f1f238159b7ab9895a4730a7ea")
    }

    static let otherVersions = [
        "CREATE TABLE notice (x); INSERT INTO notice VALUES (5)",
        Schema.sql.replacing("how TEXT", with: "manner TEXT") + "PRAGMA user_version = 1",
        Schema.sql.replacing("amount TEXT", with: "amount_minor INTEGER") + "PRAGMA user_version = 77",
    ]

    @Test(
        "A file of another version or program is put aside as it is, and said with its version and place; a new one begins",
        arguments: otherVersions)
    func otherVersion(sql: String) throws {
        let other = try DatabaseQueue(path: path)
        try other.write { try $0.execute(sql: sql) }
        let version = try other.read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
        try other.close()
        let content = try folder.read("inbox.sqlite")
        guard case .corrupt(path, let reason) = try openingError(path) else {
            Issue.record("expected corrupt with the path")
            return
        }
        #expect(reason.contains("another version of soundbox") && reason.contains("version \(version),"))
        let inspected = try #require(throws: InboxError.self) { try InboxInspection(path: path) }
        #expect(inspected.description.contains(reason))
        #expect(try folder.read("inbox.sqlite") == content)

        let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
        let incidents = Mutex<[StorageIncident]>([])
        let inbox = try SQLiteInbox.recovering(path: path, now: { noon }, log: { _ in }) { incident in
            incidents.withLock { $0.append(incident) }
        }
        let kept = "inbox.sqlite.corrupt-\(noon.stamp)"
        #expect(try folder.read(kept) == content)
        let line = try #require(incidents.withLock { $0 }.first?.description)
        #expect(line.contains(reason) && line.contains(folder.file(kept)))
        let notice = PaymentNotice(id: try PaymentID("T1"), money: try Money("1", .CNY))
        _ = try inbox.store([.notice(notice)], at: noon)
        #expect(try inbox.waiting(limit: 9).map(\.notice) == [notice])
        #expect(try SQLiteInbox(path: path).waiting(limit: 9).map(\.notice) == [notice])
    }

    @Test("A flipped bit in the number of the version is damage, and costs no payment")
    func flippedVersion() throws {
        let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
        let notice = PaymentNotice(id: try PaymentID("T1"), money: try Money("1", .CNY))
        _ = try SQLiteInbox(path: path).store([.notice(notice)], at: noon)
        try DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = \(Schema.version ^ 4)") }
        let inbox = try SQLiteInbox.recovering(path: path, now: { noon }, log: { _ in }, happened: { _ in })
        #expect(try folder.names().contains("inbox.sqlite.corrupt-\(noon.stamp)"))
        #expect(try inbox.waiting(limit: 9).map(\.notice) == [notice])
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
            now: { Timestamp(millisecondsSince1970: 0) }, happened: { _ in })
        weak var connection: DatabaseQueue?
        do {
            let inbox = try SQLiteInbox.recovering(path: path, repair)
            connection = inbox.queue
        }
        #expect(connection == nil)
        #expect(try folder.names() == ["inbox.sqlite"])
    }
}
