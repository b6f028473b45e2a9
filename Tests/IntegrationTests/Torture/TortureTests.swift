import Foundation
import SoundboxCore
import TestSupport
import Testing

@Suite("Torture: killed, cut off and sent everything twice", .timeLimit(.minutes(60)))
struct TortureTests {
    /// `make torture` sets these; a failure is repeated with the seed that it printed.
    private static let seed =
        ProcessInfo.processInfo.environment["SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...999_999)
    private static let rounds = ProcessInfo.processInfo.environment["TORTURE_ROUNDS"].flatMap(Int.init) ?? 8

    @Test("Every payment that the broker took is announced exactly once, in order of arrival, with its amount")
    func everyPaymentOnce() async throws {
        print("torture: SEED=\(Self.seed), \(Self.rounds) rounds")
        let folder = try TemporaryFolder()
        var torture = try await Torture(seed: Self.seed, folder: folder)
        for number in 1...Self.rounds {
            try await torture.round(number)
            // Minutes of sound would fill the disk; the box has it open, or opens it anew after a kill.
            truncate(folder.file("sound.wav"), 0)
        }
        try await torture.finish()

        let ledger = try torture.ledger()
        // Once each, and with the amount that was sent.
        let amounts = Dictionary(uniqueKeysWithValues: torture.sent.map { ($0.id, $0.amount) })
        #expect(ledger.announced.count == torture.sent.count, "SEED=\(Self.seed)")
        for entry in ledger.announced {
            let amount = try Money(try #require(amounts[entry.id]), .CNY).amount.description
            #expect(entry.amount == amount, "SEED=\(Self.seed) \(entry.id)")
        }
        #expect(ledger.numbers == Array(1...ledger.announced.count), "SEED=\(Self.seed)")
        #expect(ledger.waiting == 0, "SEED=\(Self.seed)")

        // In order of arrival; again only what was playing at a kill.
        var order: [String] = []
        for id in torture.spoken where id != order.last { order.append(id) }
        #expect(order == ledger.announced.map(\.id), "SEED=\(Self.seed)")
        #expect(torture.spoken.count - order.count <= torture.boxKills, "SEED=\(Self.seed)")
        // A receipt for each, and never two.
        let receipts = torture.announcedReceipts
        for (id, sequences) in receipts { #expect(sequences.count == 1, "SEED=\(Self.seed) \(id)") }
        let expected = Set(amounts.keys)
        #expect(expected.subtracting(receipts.keys).isSubset(of: torture.forgettable), "SEED=\(Self.seed)")
        print(
            "torture: \(torture.sent.count) payments, \(torture.boxKills) kills of the box, \(torture.brokerKills) of "
                + "the broker, \(torture.cuts) cuts; \(torture.spoken.count - order.count) spoken again")
    }
}
