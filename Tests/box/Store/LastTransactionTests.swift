import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("The last transaction of the log, damaged or cut off, loses no payment in silence")
struct LastTransactionTests {
    enum Last: String, CaseIterable {
        case stored, announced
    }

    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private let folder: TemporaryFolder
    private let path: String
    private let incidents = Told()

    private final class Told: Sendable { let all = Mutex<[StorageIncident]>([]) }

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.file("inbox.sqlite")
    }

    /// Files as a kill leaves them, whose log ends with one transaction: five payments that were stored, or the
    /// announcement of the first of them.
    private func files(_ last: Last) throws -> (files: [String: [UInt8]], tail: Range<Int>) {
        let inbox = try SQLiteInbox(path: path)
        func store(_ ids: ClosedRange<Int>) throws {
            _ = try inbox.store(try ids.map { .notice(try DamagedInbox.notice("T\($0)")) }, at: noon)
        }
        try store(20...29)
        for entry in try inbox.waiting(limit: 99) { try inbox.markAnnounced(entry, at: noon) }
        try inbox.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try store(40...41)
        for entry in try inbox.waiting(limit: 99) { try inbox.markAnnounced(entry, at: noon) }
        if last == .announced { try store(50...54) }
        let start = try folder.read("inbox.sqlite-wal").count
        switch last {
        case .stored: try store(50...54)
        case .announced: try inbox.markAnnounced(try #require(try inbox.waiting(limit: 1).first), at: noon)
        }
        let names = ["inbox.sqlite", "inbox.sqlite-wal"]
        let files = try Dictionary(uniqueKeysWithValues: names.map { ($0, try folder.read($0)) })
        try inbox.queue.close()
        return (files, start..<(files["inbox.sqlite-wal"] ?? []).count)
    }

    private struct Found: Equatable {
        var waiting: Set<String> = []
        var unreadable = 0
        var incidents = 0
    }

    private func open(_ files: [String: [UInt8]], _ harm: (inout [UInt8]) -> Void) throws -> Found {
        for name in try folder.names() { try folder.remove(name) }
        for (name, bytes) in files {
            var bytes = bytes
            if name.hasSuffix("-wal") { harm(&bytes) }
            try folder.write(bytes, to: name)
        }
        incidents.all.withLock { $0 = [] }
        let repair = SQLiteInbox.Repair(
            now: { [noon] in noon }, happened: { [incidents] one in incidents.all.withLock { $0.append(one) } },
            reserve: 0, pause: .zero)
        let inbox = try SQLiteInbox.recovering(path: path, isExpected: true, repair)
        defer { try? inbox.queue.close() }
        #expect(try inbox.check() == nil)
        for entry in try inbox.waiting(limit: 99) {
            #expect(entry.notice == (try DamagedInbox.notice(entry.notice.id.key)))
        }
        // What comes next gets a number of its own.
        let next = try inbox.store([.notice(try DamagedInbox.notice("T99"))], at: noon)
        guard case .stored = next.first else { throw TestFailure("\(next)") }
        return Found(
            waiting: Set(try inbox.waiting(limit: 99).map(\.notice.id.key)).subtracting(["T99"]),
            unreadable: try inbox.history(HistoryFilter(), before: nil, limit: 9000).unreadable?.count ?? 0,
            incidents: incidents.all.withLock { $0.count })
    }

    private func expected(_ last: Last) -> Set<String> {
        Set((last == .stored ? 50...54 : 51...54).map { "T\($0)" })
    }

    @Test("One flipped bit: every payment is spoken, and none that was heard", arguments: Last.allCases)
    func flippedBit(last: Last) throws {
        let (files, tail) = try files(last)
        #expect(try open(files) { _ in } == Found(waiting: expected(last)))
        for seed in 1...120 {
            var random = SeededGenerator(seed: UInt64(seed))
            // Every second one in a frame's header.
            var byte = Int.random(in: tail, using: &random)
            if seed % 2 == 0 { byte -= (byte - 32) % 4120 - Int.random(in: 0..<24, using: &random) }
            let found = try open(files) { $0[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
            #expect(found == Found(waiting: expected(last)), "seed \(seed), byte \(byte) of \(tail)")
        }
    }

    @Test("A lost frame: every payment is spoken or counted, and none that was heard", arguments: Last.allCases)
    func lostFrame(last: Last) throws {
        let (files, tail) = try files(last)
        let frames = Array(stride(from: tail.lowerBound, to: tail.upperBound, by: 4120))
        for first in frames {
            for second in frames where second >= first {
                let found = try open(files) { log in
                    for frame in [first, second] { for index in frame + 24..<frame + 4120 { log[index] = 0 } }
                }
                // Where neither the row nor the receipt of an announcement is left, nothing tells that it was heard.
                if first == second { #expect(found.waiting.isSubset(of: expected(last)), "frame \(first)") }
                #expect(
                    found.waiting.intersection(expected(last)).count + found.unreadable >= expected(last).count,
                    "frames \(first) and \(second) of \(frames)")
                #expect((found.unreadable > 0) == (found.incidents > 0))
            }
        }
    }

    @Test("A hundred commits that a power cut ended leave totals certain", arguments: Last.allCases, [false, true])
    func powerCut(last: Last, leavesZeros: Bool) throws {
        let (files, tail) = try files(last)
        for seed in 1...50 {
            var random = SeededGenerator(seed: UInt64(seed))
            let cut = Int.random(in: tail, using: &random)
            let found = try open(files) { log in
                let rest = log.count - cut
                log.removeSubrange(cut...)
                if leavesZeros { log += [UInt8](repeating: 0, count: rest) }
            }
            #expect(found.unreadable == 0 && found.incidents == 0, "seed \(seed), cut at \(cut) of \(tail)")
            #expect(found.waiting.subtracting(["T50"]).isSubset(of: expected(last)))
        }
    }

    @Test("A kill before the rows are taken loses none of them")
    func killed() throws {
        let (files, tail) = try files(.stored)
        _ = try open(files) { _ in }
        for name in try folder.names() { try folder.remove(name) }
        for (name, bytes) in files { try folder.write(bytes, to: name) }
        var log = try folder.read("inbox.sqlite-wal")
        log[tail.lowerBound + 16] ^= 1
        try folder.write(log, to: "inbox.sqlite-wal")
        _ = LastTransaction.examine(path)
        // SQLite opens the database and drops the transaction.
        try SQLiteInbox(path: path).queue.close()
        let inbox = try SQLiteInbox.recovering(
            path: path, isExpected: true, now: { [noon] in noon }, log: { _ in }, happened: { _ in })
        #expect(Set(try inbox.waiting(limit: 99).map(\.notice.id.key)) == expected(.stored))
        #expect(!(try folder.names().contains { $0.hasSuffix("last-log") }))
    }
}

@Suite("After a salvage that may have lost something no total is certain")
struct SalvageLossTests {
    private func unreadable(_ inbox: SQLiteInbox) throws -> Int {
        try inbox.history(HistoryFilter(), before: nil, limit: 9000).unreadable?.count ?? 0
    }

    @Test("Numbers missing between rows count as rows that cannot be read")
    func missing() throws {
        let inbox = try DamagedInbox(ended: 1400, waiting: 103)
        let file = try DamagedFile(path: inbox.path)
        let pages = (1...file.pageCount).compactMap { number in file.page(number).map { (number, $0) } }
        // One page of the history, and the whole index.
        let leaves = pages.filter { file.savedRows(of: $0.1).first?.table == .notice }
        let (lost, page) = leaves[leaves.count / 2]
        let index = pages.filter { !file.ids(of: $0.1).isEmpty }.map(\.0)
        try inbox.change { bytes in
            for page in index + [lost] { for byte in (page - 1) * 4096..<page * 4096 { bytes[byte] = 0 } }
        }
        #expect(try unreadable(try inbox.open()) == page.rowNumbers.count)
    }

    @Test("A duplicate uses no number up, so that it leaves no gap")
    func duplicates() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let inbox = try SQLiteInbox(path: folder.file("inbox.sqlite"))
        let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
        for id in ["T1", "T1", "T1", "T2"] {
            _ = try inbox.store([.notice(try DamagedInbox.notice(id))], at: noon)
        }
        #expect(try inbox.waiting(limit: 9).map(\.sequence) == [1, 2])
    }

    @Test("A salvage that lost nothing leaves totals certain")
    func nothingLost() throws {
        let inbox = try DamagedInbox(ended: 1400, waiting: 103)
        try inbox.change { $0[47] = 5 }
        #expect(try unreadable(try inbox.open()) == 0)
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
    }

    @Test("Where the file is gone or empty, the new one's totals are not certain", arguments: [false, true])
    func gone(isEmpty: Bool) throws {
        let inbox = try DamagedInbox(ended: 20, waiting: 20)
        for name in try inbox.folder.names() { try inbox.folder.remove(name) }
        if isEmpty { try inbox.folder.write([UInt8](), to: "inbox.sqlite") }
        #expect(try unreadable(try inbox.open()) > 0)
    }
}
