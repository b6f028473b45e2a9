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
        var faults: [Torture.Fault: Int] = [:]
        for number in 1...Self.rounds {
            let before = (kills: torture.boxKills, again: torture.repetitions.count)
            let fault = try await torture.round(number)
            faults[fault, default: 0] += 1
            // One for each kill at most: the one that was playing.
            let again = torture.repetitions.count - before.again
            #expect(again <= torture.boxKills - before.kills, "SEED=\(Self.seed) round \(number), \(fault)")
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
        #expect(torture.order == ledger.announced.map(\.id), "SEED=\(Self.seed)")
        #expect(torture.repetitions.onlyWhatWasPlaying, "SEED=\(Self.seed)")

        // Each receipt once; what a provider never got, its broker lost: the box had sent every number there is, and
        // the broker had acknowledged it, or the box would have it still.
        let receipts = torture.receiptNumbers
        for state in ["stored", "announced"] {
            let numbers = receipts[state] ?? [:]
            for (id, sequences) in numbers { #expect(sequences.count == 1, "SEED=\(Self.seed) \(id) \(state)") }
            let missing = Set(amounts.keys).subtracting(numbers.keys)
            #expect(missing.isSubset(of: torture.forgettable), "SEED=\(Self.seed) \(state)")
        }
        // They begin at the clock's time.
        let onTheWire = torture.numbersOnTheWire
        let first = try #require(onTheWire.min())
        #expect(onTheWire == Set(first...(onTheWire.max() ?? first)), "SEED=\(Self.seed)")
        #expect(onTheWire.count >= 2 * ledger.announced.count, "SEED=\(Self.seed)")
        #expect(ledger.receiptsWaiting == 0, "SEED=\(Self.seed)")
        #expect(ledger.lastReceipt == onTheWire.max(), "SEED=\(Self.seed)")
        let got = receipts.values.flatMap(\.values).reduce(into: Set()) { $0.formUnion($1) }
        print(
            "torture: \(torture.sent.count) payments, \(torture.boxKills) kills of the box, \(torture.brokerKills) of "
                + "the broker, \(torture.cuts) cuts; \(torture.repetitions.count) spoken again; \(onTheWire.count) "
                + "receipts sent, of which brokers that were killed or forgot lost \(onTheWire.count - got.count)")
        print("torture: rounds: " + faults.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))
    }
}
