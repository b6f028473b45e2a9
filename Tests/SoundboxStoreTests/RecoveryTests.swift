import Foundation
import GRDB
import SoundboxCore
import SoundboxStore
import TestSupport
import Testing

@Suite("A damaged database is set aside at start, and what can be read is saved")
struct RecoveryTests {
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/inbox.sqlite"
    }

    private func recover() throws -> (inbox: SQLiteInbox, setAside: SetAsideDatabase?) {
        try SQLiteInbox.recovering(path: path, now: noon) { _ in }
    }

    private func fill(_ count: Int) throws {
        let inbox = try SQLiteInbox(path: path)
        let notices = try (1...count).map {
            Arrival.notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("\($0).5", .CNY)))
        }
        _ = try inbox.store(notices, at: noon)
        try inbox.markAnnounced(try inbox.waiting(limit: 1)[0], at: noon)
        // Everything into the main file, where the damage is done.
        try DatabaseQueue(path: path).writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    @Test("A sound database is opened as it is")
    func sound() throws {
        try fill(10)
        let (inbox, setAside) = try recover()
        #expect(setAside == nil)
        #expect(try inbox.counts().waiting == 9)
    }

    @Test("A file that is no database gives way to a fresh one and is kept to the byte")
    func noDatabase() throws {
        let text = Array(String(repeating: "this is no database\n", count: 400).utf8)
        try folder.write(text, to: "inbox.sqlite")
        let (inbox, setAside) = try recover()
        let kept = try #require(setAside)
        #expect(kept.path == "\(path).corrupt-20261121T040000000Z")
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: kept.path))) == text)
        #expect(kept.savedNotices == 0)
        let notice = PaymentNotice(id: try PaymentID("T1"), money: try Money("1", .CNY))
        _ = try inbox.store([.notice(notice)], at: noon)
        // Above every receipt that the lost file can have numbered.
        #expect(try #require(inbox.receipts(after: 0, limit: 1).first).sequence > noon.millisecondsSince1970)
    }

    @Test("With a page in the middle destroyed, the payments on the other pages are saved, waiting or spoken")
    func brokenPage() throws {
        try fill(2000)
        var bytes = try folder.read("inbox.sqlite")
        let middle = bytes.count / 4096 / 2 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: repeatElement(0xA5, count: 4096))
        try folder.write(bytes, to: "inbox.sqlite")
        let (inbox, setAside) = try recover()
        let kept = try #require(setAside)
        #expect(FileManager.default.fileExists(atPath: kept.path))
        #expect(kept.savedNotices > 100)
        let waiting = try inbox.waiting(limit: 9999)
        #expect(waiting.count + 1 >= kept.savedNotices)
        #expect(waiting.allSatisfy { "T\($0.sequence)" == $0.notice.id.text })
        let again = try #require(waiting.last).notice
        #expect(try inbox.store([.notice(again)], at: noon) == [.duplicate(again, differs: nil)])
    }

    @Test("A folder without the right to it is no damage and is reported")
    func noFolder() {
        #expect(throws: InboxError.self) {
            try SQLiteInbox.recovering(path: "\(folder.path)/missing/inbox.sqlite", now: noon) { _ in }
        }
    }
}
