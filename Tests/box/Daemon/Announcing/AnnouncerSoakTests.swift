import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Testing

@testable import SoundboxBox

/// For an hour every kind comes, at intervals of its own.
private struct BusyHour: VirtualScenario {
    let deposit: PaymentNotice.Kind
    private var next: [(interval: ClosedRange<Int64>, at: Int64)] = [
        (1000...8000, 0), (20_000...90_000, 0), (20_000...90_000, 0), (20_000...60_000, 0), (10_000...60_000, 0),
        (10_000...60_000, 0),
    ]

    init(deposit: PaymentNotice.Kind) { self.deposit = deposit }

    mutating func act(on box: isolated VirtualBox) throws -> Int64? {
        guard box.elapsed < 3_600_000 else { return nil }
        for index in next.indices where next[index].at <= box.elapsed {
            switch index {
            case 0: try box.arrive(.payment)
            case 1: try box.arrive(.refund)
            case 2: try box.arrive(deposit)
            case 3: try box.say(readyAfter: box.chance(50) ? 400 : 0)
            case 4: box.request(.today)
            default: box.prompt(.volumeMaximum)
            }
            next[index].at = box.elapsed + .random(in: next[index].interval, using: &box.random)
        }
        return 100
    }
}

/// Mixed commands, with failures, rings and restarts.
private struct MixedCommands: VirtualScenario {
    let deposit: PaymentNotice.Kind
    var left = 10_000

    mutating func act(on box: isolated VirtualBox) throws -> Int64? {
        guard left > 0 else { return nil }
        left -= 1
        try command(box)
        return .random(in: 0...8000, using: &box.random)
    }

    private func command(_ box: isolated VirtualBox) throws {
        switch Int.random(in: 0..<100, using: &box.random) {
        case 0..<38: try box.arrive(.payment)
        case 38..<46: try box.arrive(.refund)
        case 46..<54: try box.arrive(deposit)
        case 54..<67: try say(box)
        case 67..<79: try cancel(box)
        case 79..<84: box.prompt(box.chance(50) ? .volumeMaximum : .storageFault)
        case 84..<89:
            let requests: [Announcer.Request] = [.last, .beforeLast, .today, .network]
            box.request(requests.randomElement(using: &box.random) ?? .last)
        case 89..<92:
            try box.ring(
                timeout: .seconds(.random(in: 5...60, using: &box.random)),
                answeredAfter: .random(in: 5000...80_000, using: &box.random))
        case 92..<94: box.loseCard(for: .random(in: 500...60_000, using: &box.random))
        case 94..<96: box.loseDisk(for: .random(in: 500...10_000, using: &box.random))
        case 96: box.restart(inGoodOrder: box.chance(50))
        default: box.checkCard()
        }
    }

    private func say(_ box: isolated VirtualBox) throws {
        let id = "S\(box.says + 1)"
        let delay: Int64 = box.chance(60) ? 0 : .random(in: 1...8000, using: &box.random)
        switch Int.random(in: 0..<10, using: &box.random) {
        case 0: try box.say(readyAfter: delay, .failed(reason: "no such host", instead: nil))
        case 1: try box.say(readyAfter: delay, .failed(reason: "no such host", instead: .words("\(id) instead")))
        default: try box.say(readyAfter: delay)
        }
    }

    /// Of what sounds, or of what has just come; at times of what has ended, or has not come.
    private func cancel(_ box: isolated VirtualBox) throws {
        if let sounding = box.sounding, box.chance(50) {
            try box.cancel(sounding)
        } else if box.chance(10) {
            try box.cancel(.customMessage(CommandID("R\(max(1, box.rings))")))
        } else if box.chance(60) {
            let id = box.ids.dropLast(.random(in: 0...6, using: &box.random)).last
            try box.cancel(.payment(id ?? PaymentID("N1")))
        } else {
            let number = max(1, box.says + 1 - .random(in: 0...4, using: &box.random))
            try box.cancel(.customMessage(CommandID("S\(number)")))
        }
    }
}

@Suite("The announcer, with everything at once", .timeLimit(.minutes(20)))
struct AnnouncerSoakTests {
    private let deposit: PaymentNotice.Kind

    init() throws { deposit = .other(try #require(KindName("deposit"))) }

    @Test(
        "For an hour every kind comes: nothing starves, and no payment is held up by two lower sentences",
        arguments: 1...6 as ClosedRange<UInt64>)
    func hour(seed: UInt64) async throws {
        // Nobody expires, so that whoever is not heard shows.
        let box = VirtualBox(seed: seed, saysExpireAfter: .seconds(86_400), BusyHour(deposit: deposit))
        await box.live()
        var ledger = await box.ledger
        try ledger.close(box.inbox.receipts(after: 0, limit: .max))
        #expect(ledger.problems == [], "seed \(seed)")
        #expect(ledger.heardAtAll == ledger.ids)
        for rank in Rank.allCases { #expect((ledger.sentences[rank] ?? 0) >= 40, "\(rank)") }
        // One that is passed over four times goes before all but those that wait as long; there are five lower ranks.
        #expect(ledger.mostPassedOver <= Turns.timeout + 4)
        // Far from an hour: whoever waits gets a turn.
        for (rank, wait) in ledger.longestWait { #expect(wait < 600_000, "\(rank) with seed \(seed)") }
    }

    @Test("Ten thousand mixed commands, with failures, rings and restarts, break no promise", arguments: [15])
    func soak(seed: UInt64) async throws {
        print("soak with seed \(seed)")
        let box = VirtualBox(seed: seed, failures: 2, MixedCommands(deposit: deposit))
        await box.live()
        var ledger = await box.ledger
        try ledger.close(box.inbox.receipts(after: 0, limit: .max))
        #expect(ledger.problems.isEmpty, "seed \(seed): \(ledger.problems.count), first \(ledger.problems.prefix(5))")
        #expect(try box.inbox.counts().waiting == 0)
        #expect(try box.inbox.customMessages().isEmpty)
        // It did meet what it is about.
        let (notices, says) = await (box.notices, box.says)
        #expect(notices > 4000 && says > 800 && ledger.stopped > 50)
        #expect(ledger.cancelledIDs.count > 200 && ledger.heardAtAll.count > 2000)
        #expect(ledger.rings.intersection(ledger.heardAtAll).count > 100 && ledger.answeredIDs.count > 50)
        for rank in Rank.allCases { #expect((ledger.sentences[rank] ?? 0) >= 50, "\(rank)") }
    }
}
