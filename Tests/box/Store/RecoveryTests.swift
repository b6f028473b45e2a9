import Foundation
import GRDB
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("A damaged database is set aside, and what can be read is saved")
struct RecoveryTests {
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/inbox.sqlite"
    }

    private final class Told: Sendable { let files = Mutex<[SetAsideDatabase]>([]) }
    private let told = Told()

    private func recover(
        step: @escaping @Sendable (SalvageStep) throws -> Void = { _ in }
    ) throws -> (inbox: SQLiteInbox, setAside: SetAsideDatabase?) {
        let repair = SQLiteInbox.Repair(
            now: { [noon] in noon },
            happened: { [told] incident in
                guard case .damaged(let damaged) = incident else { return }
                told.files.withLock { $0.append(damaged) }
            }, step: step, pause: .zero)
        let inbox = try SQLiteInbox.recovering(path: path, repair)
        return (inbox, told.files.withLock { $0.last })
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
        #expect(kept.savedWaiting == 0)
        let notice = PaymentNotice(id: try PaymentID("T1"), money: try Money("1", .CNY))
        _ = try inbox.store([.notice(notice)], at: noon)
        // Above every receipt that the lost file can have numbered.
        #expect(try #require(inbox.receipts(after: 0, limit: 1).first).sequence > noon.millisecondsSince1970)
    }

    @Test(
        "Receipts come out of a damaged file as they were, and new ones are numbered above them in an epoch of their own"
    )
    func receipts() throws {
        let before: [OutgoingReceipt]
        do {
            let inbox = try SQLiteInbox(path: path)
            let notices = try (1...9).map {
                Arrival.notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("\($0)", .CNY)))
            }
            _ = try inbox.store(notices, at: noon)
            for (entry, audibility) in zip(try inbox.waiting(limit: 9), Audibility.allCases) {
                try inbox.markAnnounced(entry, as: audibility, at: noon)
            }
            before = try inbox.receipts(after: 0, limit: 99)
        }
        var bytes = try folder.read("inbox.sqlite")
        // The schema: nothing is read through SQLite.
        bytes.replaceSubrange(100..<4096, with: repeatElement(0xA5, count: 3996))
        try folder.write(bytes, to: "inbox.sqlite")
        let (inbox, setAside) = try recover()
        #expect(setAside != nil)
        #expect(try inbox.receipts(after: 0, limit: 99) == before)
        let notice = PaymentNotice(id: try PaymentID("new"), money: try Money("1", .CNY))
        _ = try inbox.store([.notice(notice)], at: noon)
        let newest = try #require(inbox.receipts(after: before[before.count - 1].sequence, limit: 9).first)
        let epochs = try [newest, before[1]].map { try JSONValue(parsing: $0.payload)["epoch"]?.string }
        #expect(epochs[0] != nil && epochs[0] != epochs[1])
    }

    @Test("With a page in the middle destroyed, every payment that waits is saved, and every id is known")
    func brokenPage() throws {
        try fill(2000)
        var bytes = try folder.read("inbox.sqlite")
        let middle = bytes.count / 4096 / 2 * 4096
        bytes.replaceSubrange(middle..<middle + 4096, with: repeatElement(0xA5, count: 4096))
        try folder.write(bytes, to: "inbox.sqlite")
        let (inbox, setAside) = try recover()
        let kept = try #require(setAside)
        #expect(FileManager.default.fileExists(atPath: kept.path))
        #expect(kept.savedWaiting == 1999)
        #expect(!StorageIncident.damaged(kept).description.contains("\n"))
        let waiting = try inbox.waiting(limit: 9999)
        #expect(waiting.map(\.notice.id.text) == (2...2000).map { "T\($0)" })
        let all = try (1...2000).map { PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("\($0).5", .CNY)) }
        #expect(try inbox.store(all.map { .notice($0) }, at: noon) == all.map { .duplicate($0, differs: nil) })
    }

    /// Destroys every page but the first while the file is open, and has the open inbox forget what it remembers of it.
    private func destroy(under inbox: SQLiteInbox) throws {
        var bytes = try folder.read("inbox.sqlite")
        bytes.replaceSubrange(4096..., with: repeatElement(0xA5, count: bytes.count - 4096))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: bytes)
        try file.close()
        inbox.queue.releaseMemory()
    }

    @Test("Damage that shows while the box runs is set aside at once: what comes in is stored, nothing is refused")
    func whileRunning() throws {
        try fill(2000)
        let (inbox, setAside) = try recover()
        #expect(setAside == nil)
        try destroy(under: inbox)
        let notice = PaymentNotice(id: try PaymentID("new"), money: try Money("1", .CNY))
        guard case .stored = try inbox.store([.notice(notice)], at: noon).first else {
            Issue.record("not stored")
            return
        }
        let kept = told.files.withLock { $0 }
        #expect(kept.count == 1)
        #expect(kept.first.map { FileManager.default.fileExists(atPath: $0.path) } == true)
        #expect(try inbox.waiting(limit: 9).last?.notice == notice)
        #expect(try inbox.receipts(after: noon.millisecondsSince1970, limit: 9).count == 1)
        #expect(try inbox.durability().synchronous == 2)
    }

    @Test("A damaged file that cannot be moved is refused, and set aside as soon as it can be")
    func cannotBeMoved() throws {
        final class Obstacle: Sendable { let stands = Atomic(true) }
        let obstacle = Obstacle()
        try fill(2000)
        let (inbox, _) = try recover { step in
            if step == .logMoved && obstacle.stands.load(ordering: .relaxed) {
                throw TestFailure("it stands in the way")
            }
        }
        try destroy(under: inbox)
        let notice = PaymentNotice(id: try PaymentID("new"), money: try Money("1", .CNY))
        for _ in 1...2 {
            #expect(throws: InboxError.self) { try inbox.store([.notice(notice)], at: noon) }
        }
        #expect(told.files.withLock { $0 }.isEmpty)
        obstacle.stands.store(false, ordering: .relaxed)
        guard case .stored = try inbox.store([.notice(notice)], at: noon).first else {
            Issue.record("not stored")
            return
        }
        #expect(told.files.withLock { $0.count } == 1)
    }

    @Test("Threads that come upon the damage together set one file aside")
    func severalThreads() async throws {
        try fill(2000)
        let (inbox, _) = try recover()
        try destroy(under: inbox)
        try await withThrowingTaskGroup { group in
            for number in 1...4 {
                group.addTask {
                    try await onOwnThread(named: "store") {
                        let notice = PaymentNotice(id: try PaymentID("N\(number)"), money: try Money("1", .CNY))
                        _ = try inbox.store([.notice(notice)], at: noon)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(told.files.withLock { $0.count } == 1)
        #expect(try inbox.waiting(limit: 9999).suffix(4).allSatisfy { $0.notice.id.text.hasPrefix("N") })
    }

    @Test("A folder without the right to it is no damage and is reported")
    func noFolder() {
        #expect(throws: InboxError.self) {
            try SQLiteInbox.recovering(
                path: "\(folder.path)/missing/inbox.sqlite", now: { noon }, log: { _ in }, happened: { _ in })
        }
    }
}
