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
        try inbox.restore()
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
            let first = try inbox.open { if $0 == step { throw Killed() } }
            // What was killed in the background is not waited for; it ends at the step.
            if [.historyPartlySaved, .historySaved, .finished].contains(step) { try awaitFault(first) }
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

    /// The thread that was ended at a step closes nothing: the gate stays closed.
    private func awaitFault(_ inbox: SQLiteInbox) throws {
        #expect(!inbox.history.wait(.milliseconds(200)))
    }

    @Test("Killed at every moment, one start after the other, it comes to its end")
    func killedAgainAndAgain() throws {
        for step in SalvageStep.allCases {
            // In the middle of a swap nothing can be opened.
            guard let opened = try? inbox.open(step: { if $0 == step { throw Killed() } }) else { continue }
            _ = opened.history.wait(.milliseconds(100))
        }
        let content = try inbox.content(of: try inbox.open())
        #expect(content.waiting == inbox.waiting)
        #expect(content.ended.union(content.known).isSuperset(of: inbox.ended))
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

    @Test("Without room for the history the newest part is known, payments are taken, and the fault says so")
    func noRoomForHistory() throws {
        let opened = try inbox.open(reserve: .max)
        #expect(try opened.waiting(limit: 9999).map(\.notice.id.key) == inbox.waiting)
        guard case .stored = try opened.store([.notice(try DamagedInbox.notice("T9999"))], at: inbox.noon).first else {
            Issue.record("not stored")
            return
        }
        #expect(inbox.told.history.withLock { $0.last??.contains("no room") } == true)
    }
}
