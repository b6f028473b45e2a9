import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Testing

@testable import SoundboxBox

/// Notices, cancels, requests and prompts, with gaps of up to two minutes.
private struct RandomScenario: VirtualScenario {
    var left = 200

    mutating func act(on box: isolated VirtualBox) throws -> Int64? {
        guard left > 0 else { return nil }
        left -= 1
        switch Int.random(in: 0..<10, using: &box.random) {
        case 0..<5: try box.arrive(box.chance(20) ? .refund : .payment)
        case 5:
            if let id = box.ids.suffix(5).randomElement(using: &box.random) { try box.cancel(.payment(id)) }
        case 6: box.request(box.chance(50) ? .last : .today)
        case 7: box.prompt(box.chance(50) ? .volumeMaximum : .volumeMinimum)
        case 8: box.checkCard()
        // Seldom so long that payments are told in a summary.
        default: box.loseCard(for: .random(in: 500...(box.chance(10) ? 900_000 : 60_000), using: &box.random))
        }
        return .random(in: 0...(box.chance(80) ? 5000 : 120_000), using: &box.random)
    }
}

@Suite("The announcer under random events", .timeLimit(.minutes(10)))
struct AnnouncerRandomTests {
    @Test(
        "Every notice that is not cancelled is heard exactly once, payments in order and refunds in order",
        arguments: 1...40 as ClosedRange<UInt64>)
    func everyNoticeOnce(seed: UInt64) async throws {
        let box = VirtualBox(seed: seed, failures: 10, RandomScenario())
        await box.live()
        let counts = try box.inbox.counts()
        var ledger = await box.ledger
        try ledger.close(box.inbox.receipts(after: 0, limit: .max))
        #expect(ledger.problems == [])
        #expect(ledger.ids.count > 50 && !ledger.cancelledIDs.isEmpty)
        #expect(ledger.heardAtAll.union(ledger.cancelledIDs) == ledger.ids)
        #expect(counts.waiting == 0)
    }
}
