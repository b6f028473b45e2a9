import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Testing

@testable import SoundboxBox

@Suite("The announcer, with everything at once", .timeLimit(.minutes(20)))
struct AnnouncerSoakTests {
    private static let deposit = KindName("deposit").map(PaymentNotice.Kind.other) ?? .refund

    @Test(
        "For an hour every kind comes: nothing starves, and no payment is held up by two lower sentences",
        arguments: 1...6 as ClosedRange<UInt64>)
    func hour(seed: UInt64) throws {
        // Nobody expires, so that whoever is not heard shows.
        var box = VirtualBox(seed: seed, saysExpireAfter: .seconds(86_400))
        var next: [(interval: ClosedRange<Int64>, at: Int64)] = [
            (1000...8000, 0), (20_000...90_000, 0), (20_000...90_000, 0), (20_000...60_000, 0), (10_000...60_000, 0),
            (10_000...60_000, 0),
        ]
        while box.now < 3_600_000 {
            for index in next.indices where next[index].at <= box.now {
                switch index {
                case 0: try box.arrive(.payment)
                case 1: try box.arrive(.refund)
                case 2: try box.arrive(Self.deposit)
                case 3: try box.say(readyAfter: box.chance(50) ? 400 : 0)
                case 4: box.ask(.requested(.today))
                default: box.ask(.promptRequested(.volumeMaximum))
                }
                next[index].at = box.now + .random(in: next[index].interval, using: &box.random)
            }
            box.pass(100)
        }
        box.settle()
        try box.ledger.close(box.inbox.receipts(after: 0, limit: .max))
        #expect(box.ledger.problems == [], "seed \(seed)")
        #expect(box.ledger.heardAtAll == box.ledger.ids)
        for rank in Rank.allCases { #expect((box.ledger.sentences[rank] ?? 0) >= 40, "\(rank)") }
        // One that is passed over four times goes before all but those that wait as long; there are five lower ranks.
        #expect(box.ledger.mostPassedOver <= Turns.patience + 4)
        // Far from an hour: whoever waits gets a turn.
        for (rank, wait) in box.ledger.longestWait { #expect(wait < 600_000, "\(rank) with seed \(seed)") }
    }

    @Test("Ten thousand mixed commands, with failures, rings and restarts, break no promise", arguments: [15])
    func soak(seed: UInt64) throws {
        print("soak with seed \(seed)")
        var box = VirtualBox(seed: seed)
        box.failures = 2
        for _ in 0..<10_000 {
            try command(&box)
            box.pass(.random(in: 0...8000, using: &box.random))
        }
        box.settle()
        try box.ledger.close(box.inbox.receipts(after: 0, limit: .max))
        let problems = box.ledger.problems
        #expect(problems.isEmpty, "seed \(seed): \(problems.count), the first \(problems.prefix(5))")
        #expect(try box.inbox.counts().waiting == 0)
        #expect(try box.inbox.errands().isEmpty)
        // It did meet what it is about.
        #expect(box.notices > 4000 && box.says > 800 && box.ledger.stopped > 50)
        #expect(box.ledger.cancelledIDs.count > 200 && box.ledger.heardAtAll.count > 2000)
        for rank in Rank.allCases { #expect((box.ledger.sentences[rank] ?? 0) >= 50, "\(rank)") }
    }

    private func command(_ box: inout VirtualBox) throws {
        switch Int.random(in: 0..<100, using: &box.random) {
        case 0..<38: try box.arrive(.payment)
        case 38..<46: try box.arrive(.refund)
        case 46..<54: try box.arrive(Self.deposit)
        case 54..<67: try say(&box)
        case 67..<79: try cancel(&box)
        case 79..<84: box.ask(.promptRequested(box.chance(50) ? .volumeMaximum : .storageFault))
        case 84..<89:
            box.ask(.requested([.last, .beforeLast, .today, .network].randomElement(using: &box.random) ?? .last))
        case 89..<92: box.ring(for: .random(in: 5000...40_000, using: &box.random))
        case 92..<94: box.loseCard(for: .random(in: 500...60_000, using: &box.random))
        case 94..<96: box.loseDisk(for: .random(in: 500...10_000, using: &box.random))
        case 96: box.restart(inGoodOrder: box.chance(50))
        default: box.ask(.lookDue)
        }
    }

    private func say(_ box: inout VirtualBox) throws {
        let id = "S\(box.says + 1)"
        let delay: Int64 = box.chance(60) ? 0 : .random(in: 1...8000, using: &box.random)
        switch Int.random(in: 0..<10, using: &box.random) {
        case 0: try box.say(readyAfter: delay, .failed(reason: "no such host", instead: nil))
        case 1: try box.say(readyAfter: delay, .failed(reason: "no such host", instead: .words("\(id) instead")))
        default: try box.say(readyAfter: delay)
        }
    }

    /// Of what sounds, or of what has just come; at times of what has ended, or has not come.
    private func cancel(_ box: inout VirtualBox) throws {
        if let sounding = box.sounding, box.chance(50) {
            try box.cancel(sounding)
        } else if box.chance(60) {
            let id = box.ids.dropLast(.random(in: 0...6, using: &box.random)).last
            try box.cancel(.payment(id ?? PaymentID("N1")))
        } else {
            let number = max(1, box.says + 1 - .random(in: 0...4, using: &box.random))
            try box.cancel(.errand(CommandID("S\(number)")))
        }
    }
}
