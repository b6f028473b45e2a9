import Foundation
import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("Who is heard before whom")
struct PrecedenceTests {
    /// An idle announcer in which just these wait, and what it does first.
    private static func first(_ ranks: Set<Rank>) throws -> Rank? {
        var announcer = Announcer.plain
        var asked = Announcer.Asked()
        if ranks.contains(.request) { asked.request = .today }
        if ranks.contains(.prompt) { asked.prompts.put(.volumeMaximum) }
        let reading = Announcer.Reading(queue: try queue(ranks), limit: 1, moment: Entries.moment)
        switch announcer.next(reading, &asked, at: .zero) {
        case .answer: return .request
        case .say: return .prompt
        case .announce(let announcement): return announcement.job.rank
        default: return nil
        }
    }

    private static func queue(_ ranks: Set<Rank>) throws -> Announcer.Queue {
        let kinds: [(Rank, PaymentNotice.Kind)] = [
            (.payment, .payment), (.refund, .refund), (.other, .other(try #require(KindName("deposit")))),
        ]
        // What is lower came first, which must make no difference.
        let entries = try kinds.filter { ranks.contains($0.0) }.map { rank, kind in
            try Entries.entry(Int64(10 - rank.rawValue), kind: kind)
        }
        return .of(entries, says: ranks.contains(.text) ? [try .ready(1)] : [])
    }

    @Test("Of two that wait the higher one goes first, whichever came first", arguments: Rank.allCases)
    func pairs(higher: Rank) throws {
        #expect(try Self.first([higher]) == higher)
        for lower in Rank.allCases where lower > higher { #expect(try Self.first([higher, lower]) == higher) }
        #expect(try Self.first(Set(Rank.allCases.filter { $0 >= higher })) == higher)
    }

    @Test("The contract with providers prints the order")
    func printed() throws {
        let page = #filePath.replacing(/\/Tests\/.*$/, with: "/docs/integration.md")
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(
            text.matches(of: /(?m)^\| \d\. (\w+) \|/).map { String($0.1) }
                == ["cancel", "ring"] + Rank.allCases.map { "\($0)" })
    }
}

@Suite("Whose turn it is")
struct TurnsTests {
    private var turns = Turns()

    private func queue(_ payments: ClosedRange<Int64>?) throws -> NoticeQueue {
        guard let payments else { return NoticeQueue() }
        return NoticeQueue(payments: [try Entries.entry(payments.lowerBound)], lastPayment: payments.upperBound)
    }

    /// Lets one sentence sound, after the queue was read.
    private mutating func step(_ payments: ClosedRange<Int64>?, _ lower: Set<Rank>) throws -> Rank? {
        turns.observe(try queue(payments))
        let waiting = payments == nil ? lower : lower.union([.payment])
        guard let rank = turns.next(of: waiting, oldestPayment: payments?.lowerBound) else { return nil }
        turns.choose(rank, of: waiting)
        if rank == .payment { turns.paymentWasHeard() } else { turns.lowerSounds() }
        return rank
    }

    @Test("A lower sentence is let in after a payment, and the next one when all that it held up have been heard")
    mutating func letIn() throws {
        #expect(try step(1...3, [.text]) == .payment)
        #expect(try step(2...3, [.text]) == .text)
        // 2 to 4 waited when it ended, 5 came later.
        #expect(try step(2...4, [.text]) == .payment)
        #expect(try step(3...5, [.text]) == .payment)
        #expect(try step(4...5, [.text]) == .payment)
        #expect(try step(5...5, [.text]) == .text)
        #expect(try step(5...5, [.text]) == .payment)
        #expect(try step(nil, [.text]) == .text)
    }

    @Test("What comes together into a quiet box goes by rank, whatever was heard before")
    mutating func quiet() throws {
        #expect(try step(1...1, []) == .payment)
        #expect(try step(nil, []) == nil)
        #expect(try step(2...2, [.refund]) == .payment)
    }

    @Test("A payment that comes while a lower sentence sounds is next")
    mutating func arrival() throws {
        #expect(try step(nil, [.refund, .text]) == .refund)
        #expect(try step(1...1, [.text]) == .payment)
        #expect(try step(nil, [.text]) == .text)
    }

    @Test("A rank that was passed over four times goes first, the highest of those first")
    mutating func timeout() throws {
        let all = Set(Rank.allCases).subtracting([.payment])
        var order: [Rank] = []
        for _ in 1...9 { order.append(try #require(try step(nil, all))) }
        #expect(
            order == [.refund, .refund, .refund, .refund, .other, .request, .prompt, .text, .refund])
        #expect(try step(nil, [.refund, .text]) == .refund)
    }

    @Test("A rank that waits no more is not owed anything")
    mutating func forgotten() throws {
        for _ in 1...4 { #expect(try step(nil, [.refund, .text]) == .refund) }
        #expect(try step(nil, [.refund]) == .refund)
        #expect(try step(nil, [.refund, .text]) == .refund)
    }
}
