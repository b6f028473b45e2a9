import Foundation
import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("What a damaged page does not hold is saved")
struct SalvageTests {
    enum Damage: String, CaseIterable {
        case garbled, zeroed, bitFlipped = "one bit flipped"

        func apply(to page: inout ArraySlice<UInt8>, _ random: inout SeededGenerator) {
            switch self {
            case .garbled: for index in page.indices { page[index] = UInt8.random(in: .min ... .max, using: &random) }
            case .zeroed: for index in page.indices { page[index] = 0 }
            case .bitFlipped:
                let index = Int.random(in: page.indices, using: &random)
                page[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
    }

    /// Shares of all payments over many damages.
    private struct Figures {
        var damages = 0
        var found = 0
        var waiting = 0.0
        var rows = 0.0
        var ids = 0.0
        var spokenAgain = 0
        var worstWaiting = 1.0

        mutating func note(_ content: DamagedInbox.Content, of inbox: DamagedInbox, wasFound: Bool) {
            damages += 1
            found += wasFound ? 1 : 0
            let kept = Set(content.waiting)
            let share = Double(inbox.waiting.count { kept.contains($0) }) / Double(inbox.waiting.count)
            waiting += share
            worstWaiting = min(worstWaiting, share)
            rows += Double(inbox.ended.count { content.ended.contains($0) }) / Double(inbox.ended.count)
            let ids = content.ended.union(content.known)
            self.ids += Double(inbox.ended.count { ids.contains($0) }) / Double(inbox.ended.count)
            spokenAgain += kept.subtracting(inbox.waiting).count
        }

        func line(_ name: String) -> String {
            func percent(_ sum: Double) -> String { String(format: "%.2f %%", 100 * sum / Double(max(damages, 1))) }
            return "salvage: \(name): \(damages) damages, \(found) found; kept: waiting \(percent(waiting)) (worst "
                + "\(String(format: "%.2f %%", 100 * worstWaiting))), others \(percent(rows)), ids of others "
                + "\(percent(ids)); spoken again \(spokenAgain)"
        }
    }

    /// `DAMAGES=500` for the figure of the decision; a run of the suite takes fewer.
    private static let count = ProcessInfo.processInfo.environment["DAMAGES"].flatMap(Int.init) ?? 60

    @Test("Any page of the file: nothing that waits is lost, others are known by their ids, nothing is spoken again")
    func pages() throws {
        let inbox = try DamagedInbox(ended: 1400, waiting: 103)
        try check(inbox) { random, damage in
            try inbox.change { bytes in
                let page = Int.random(in: 0..<bytes.count / 4096, using: &random)
                damage.apply(to: &bytes[page * 4096..<page * 4096 + 4096], &random)
            }
        }
    }

    @Test("Any page of the write-ahead log: the same")
    func log() throws {
        let inbox = try DamagedInbox(ended: 300, waiting: 20, keepsLog: true)
        #expect(inbox.logBytes > 1 << 20)
        // All but the last transactions, whose loss cannot be told from a commit that never came to its end. Behind them
        // there may be remnants of an earlier use of the file.
        let commits = inbox.logFrames.indices.filter { inbox.logFrames[$0] }
        let last = try #require(commits.dropLast(2).last)
        try check(inbox, count: Self.count / 4) { random, damage in
            try inbox.change("inbox.sqlite-wal") { bytes in
                let frame = Int.random(in: 0...last, using: &random)
                damage.apply(to: &bytes[32 + frame * 4120..<32 + frame * 4120 + 4120], &random)
            }
        }
    }

    @Test(
        "A frame near the end of the log costs nothing that waits, if two transactions stand behind it",
        arguments: 0..<8)
    func endOfLog(distance: Int) throws {
        let inbox = try DamagedInbox(ended: 20, waiting: 20, keepsLog: true)
        let commits = inbox.logFrames.indices.filter { inbox.logFrames[$0] }
        let frame = try #require(commits.dropLast(2).last) - distance
        try inbox.change("inbox.sqlite-wal") { bytes in
            for index in 32 + frame * 4120..<32 + (frame + 1) * 4120 { bytes[index] = 0 }
        }
        let opened = try inbox.open()
        #expect(try inbox.content(of: opened).waiting == inbox.waiting)
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
    }

    private func check(
        _ inbox: DamagedInbox, count: Int = count, _ harm: (inout SeededGenerator, Damage) throws -> Void
    ) throws {
        var figures: [Damage: Figures] = [:]
        for seed in 1...max(count, 3) {
            var random = SeededGenerator(seed: UInt64(seed))
            let damage = Damage.allCases[seed % 3]
            try inbox.restore()
            try harm(&random, damage)
            let opened = try inbox.open()
            defer { try? opened.queue.close() }
            let content = try inbox.content(of: opened)
            let wasFound = inbox.told.incidents.withLock { !$0.isEmpty }
            figures[damage, default: Figures()].note(content, of: inbox, wasFound: wasFound)
            if !wasFound { #expect(content == inbox.whole, "seed \(seed), \(damage)") }
            #expect(Set(content.waiting).isSubset(of: inbox.waiting), "seed \(seed), \(damage)")
        }
        for (damage, figures) in figures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            print(figures.line(damage.rawValue))
            let count = Double(figures.damages)
            #expect(figures.waiting / count >= 0.99)
            #expect(figures.rows / count >= 0.95)
            #expect(figures.spokenAgain == 0)
        }
    }
}
