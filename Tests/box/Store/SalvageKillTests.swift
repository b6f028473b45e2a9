import Foundation
import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("A salvage that is killed goes on at the next start")
struct SalvageKillTests {
    private struct Killed: Error {}

    private let inbox: DamagedInbox

    init() throws {
        inbox = try DamagedInbox(ended: 250, waiting: 23)
        // A leaf of the history, and the file's own header.
        try inbox.change { bytes in
            for page in [0, 6] {
                bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: repeatElement(0xA5, count: 4096))
            }
        }
    }

    @Test(
        "Killed at any moment: the next start saves everything, tells of it, and never begins empty in silence",
        arguments: SalvageStep.allCases)
    func killed(at step: SalvageStep) throws {
        do {
            _ = try inbox.open { if $0 == step { throw Killed() } }
        }
        inbox.told.incidents.withLock { $0 = [] }
        let second = try inbox.open()
        let content = try inbox.content(of: second)
        #expect(content.waiting == inbox.waiting)
        #expect(content.ended.union(content.known).isSuperset(of: inbox.ended))
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
        let names = try inbox.folder.names()
        #expect(names.filter { $0.contains(".corrupt-") && !$0.contains("-wal") && !$0.contains("-shm") }.count == 1)
        #expect(!names.contains { $0.contains(".new") || $0.contains(".salvaged") })
    }

    @Test("Killed at every moment, one start after the other, it comes to its end")
    func killedAgainAndAgain() throws {
        for step in SalvageStep.allCases {
            // In the middle of a swap nothing can be opened.
            _ = try? inbox.open(step: { if $0 == step { throw Killed() } })
        }
        let content = try inbox.content(of: try inbox.open())
        #expect(content.waiting == inbox.waiting)
        #expect(content.ended.union(content.known).isSuperset(of: inbox.ended))
    }

    @Test("A new file that has the path is opened, however often that fails, and is never salvaged itself")
    func inPlace() throws {
        let isFirst = Atomic(true)
        let opened = try inbox.open { step in
            guard step == .swapped, isFirst.exchange(false, ordering: .relaxed) else { return }
            throw Killed()
        }
        let content = try inbox.content(of: opened)
        #expect(content.waiting == inbox.waiting)
        #expect(content.ended.union(content.known).isSuperset(of: inbox.ended))
        #expect(
            try inbox.folder.names().filter { $0.hasPrefix("inbox.sqlite.corrupt-") && !$0.contains("-wal") }.count == 1
        )
    }

    @Test(
        "Where there was an inbox, none and a file of no bytes, or of one, are damage that is told, and no new inbox",
        arguments: [nil, [], [0x53], [0]] as [[UInt8]?])
    func gone(left: [UInt8]?) throws {
        let reason = left == nil ? "the payment database is missing, though this box had one" : "the database is empty"
        try leave(left)
        do {
            let opened = try inbox.open()
            #expect(try inbox.content(of: opened).waiting.isEmpty)
        }
        #expect(inbox.told.incidents.withLock { $0.first?.description.contains(reason) } == true)
        // The next start tells it again, until somebody had the time to read it.
        inbox.told.incidents.withLock { $0 = [] }
        _ = try inbox.content(of: try inbox.open())
        #expect(inbox.told.incidents.withLock { $0.map { $0.description.contains(reason) } } == [true])
    }

    @Test("Killed at any step, a start without the file goes on at the next one, which tells it")
    func goneAndKilled() throws {
        for step in SalvageStep.allCases {
            try leave(nil)
            _ = try? inbox.open { if $0 == step { throw Killed() } }.counts()
            inbox.told.incidents.withLock { $0 = [] }
            #expect(try inbox.content(of: try inbox.open()).waiting.isEmpty)
            #expect(inbox.told.incidents.withLock { $0.count } == 1, "\(step)")
        }
    }

    @Test("A file of no bytes where there never was an inbox is what a first start left that was cut off: no damage")
    func cutOffAtFirst() throws {
        for left: [UInt8]? in [nil, [], [0x53]] {
            try leave(left)
            #expect(try inbox.content(of: try inbox.open(isExpected: false)).waiting.isEmpty)
            #expect(inbox.told.incidents.withLock { $0.isEmpty })
        }
    }

    private func leave(_ bytes: [UInt8]?) throws {
        try inbox.restore()
        for name in try inbox.folder.names() { try inbox.folder.remove(name) }
        if let bytes { try inbox.folder.write(bytes, to: "inbox.sqlite") }
    }

    @Test("It is told of until somebody had the time to read it")
    func toldOnce() throws {
        _ = try inbox.content(of: try inbox.open())
        inbox.told.incidents.withLock { $0 = [] }
        let second = try inbox.open()
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
        try second.salvageWasTold()
        inbox.told.incidents.withLock { $0 = [] }
        _ = try inbox.open()
        #expect(inbox.told.incidents.withLock { $0.isEmpty })
    }

    @Test("Without room for earlier payments, what waits is saved, payments are taken, and the fault says so")
    func noRoom() throws {
        let opened = try inbox.open(reserve: .max)
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
        guard case .stored = try opened.store([.notice(try DamagedInbox.notice("T9999"))], at: inbox.noon).first else {
            Issue.record("not stored")
            return
        }
        #expect(inbox.told.incidents.withLock { $0.last?.description.contains("no room") } == true)
    }

    @Test("Before a salvage at a start people can be told: until then the file is as it was")
    func toldBefore() throws {
        let before = try inbox.folder.read("inbox.sqlite")
        let error = try #require(throws: InboxError.self) {
            try SQLiteInbox.recovering(path: inbox.path, now: { [inbox] in inbox.noon }, log: { _ in }) {
                Issue.record("\($0)")
            } beforeSalvage: { reason throws(InboxError) in
                throw .failed(path: "", reason: "first the words: \(reason)")
            }
        }
        #expect(error.description.contains("first the words: "))
        #expect(try inbox.folder.read("inbox.sqlite") == before)
        #expect(try inbox.content(of: try inbox.open()).waiting == inbox.waiting)
    }
}
