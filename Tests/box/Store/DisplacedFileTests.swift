import Foundation
import GRDB
import Glibc
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite(
    "A database that is deleted, moved or replaced under the running box is written anew before anything is acknowledged"
)
struct DisplacedFileTests {
    private let inbox: DamagedInbox

    init() throws {
        inbox = try DamagedInbox(ended: 30, waiting: 5)
    }

    enum Harm: String, CaseIterable {
        case deleted, movedAway, replaced, logDeleted, indexDeleted, everythingDeleted

        func apply(_ path: String) throws {
            switch self {
            case .deleted: unlink(path)
            case .movedAway: rename(path, path + ".away")
            case .replaced:
                rename(path, path + ".away")
                _ = try SQLiteInbox(path: path)
            case .logDeleted: unlink(path + "-wal")
            case .indexDeleted: unlink(path + "-shm")
            case .everythingDeleted: for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
        }
    }

    private var displacements: [StorageIncident] {
        inbox.told.incidents.withLock { $0.filter { if case .displaced = $0 { true } else { false } } }
    }

    @Test(
        "The next payment is stored at the path with all that was there before, and it is told",
        arguments: Harm.allCases)
    func payment(harm: Harm) throws {
        do {
            let opened = try inbox.open()
            try harm.apply(inbox.path)
            guard case .stored = try opened.store([.notice(try DamagedInbox.notice("T99"))], at: inbox.noon).first
            else {
                Issue.record("not stored")
                return
            }
            #expect(displacements.count == 1)
            // From here on everything is as ever.
            try opened.markAnnounced(try opened.waiting(limit: 1)[0], at: inbox.noon)
            #expect(displacements.count == 1)
            #expect(try opened.durability().synchronous == 2)
        }
        // What stands at the path now is what a start finds.
        let content = try inbox.content(of: try inbox.open())
        #expect(content.waiting == inbox.waiting.dropFirst() + ["T99"])
        #expect(content.ended == Set(inbox.ended + inbox.waiting.prefix(1)))
        if harm == .replaced {
            #expect(try inbox.folder.names().contains { $0.hasPrefix("inbox.sqlite.found-") })
        }
    }

    @Test("Whatever is committed meanwhile is not told as done before it stands at the path", arguments: Harm.allCases)
    func announced(harm: Harm) throws {
        let opened = try inbox.open()
        let entry = try opened.waiting(limit: 1)[0]
        try harm.apply(inbox.path)
        try opened.markAnnounced(entry, at: inbox.noon)
        #expect(try SQLiteInbox(path: inbox.path).lastAnnounced() == opened.lastAnnounced())
        #expect(try opened.lastAnnounced()?.notice == entry.notice)
    }

    @Test("Without room for the new file payments are refused with the reason, and taken when there is room")
    func noRoom() throws {
        let opened = try inbox.open()
        try Harm.deleted.apply(inbox.path)
        // A folder in the place of the file that is being written.
        let obstacle = "\(inbox.path).new"
        try FileManager.default.createDirectory(atPath: "\(obstacle)/x", withIntermediateDirectories: true)
        let arrival = Arrival.notice(try DamagedInbox.notice("T99"))
        for _ in 1...2 {
            let error = try #require(throws: InboxError.self) { try opened.store([arrival], at: inbox.noon) }
            #expect(error.description.contains("deleted or moved away"))
        }
        #expect(try opened.waiting(limit: 9).count == 5)
        try FileManager.default.removeItem(atPath: obstacle)
        guard case .stored = try opened.store([arrival], at: inbox.noon).first else {
            Issue.record("not stored")
            return
        }
    }

    private struct Killed: Error {}

    @Test(
        "Killed while it is written anew: the next start has everything",
        arguments: [SalvageStep.logMoved, .databaseMoved])
    func killed(step: SalvageStep) throws {
        do {
            let opened = try inbox.open { if $0 == step { throw Killed() } }
            try Harm.deleted.apply(inbox.path)
            #expect(throws: InboxError.self) {
                try opened.store([.notice(try DamagedInbox.notice("T99"))], at: inbox.noon)
            }
        }
        #expect(try inbox.content(of: try inbox.open()) == inbox.whole)
    }
}
