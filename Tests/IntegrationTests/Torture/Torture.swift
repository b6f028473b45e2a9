import Glibc
import SoundboxCore
import SoundboxStore
import TestSupport

/// Breaks a box, its broker and the network between them at random, while a provider sends.
struct Torture {
    enum Fault: CaseIterable {
        case boxKilled, brokerKilled, bothKilled, brokerRestarted, networkCut, duplicatesSent
    }

    private let folder: TemporaryFolder
    private let trial: Trial
    private let proxy: CuttingProxy
    private let configuration: [String]
    private var random: SeededGenerator
    private var broker: MosquittoBroker
    private var box: ChildProcess
    /// A subscriber with a session of its own, as a provider has: it misses no receipt that the broker keeps.
    private let receipts: ChildProcess
    /// Ids whose receipts a killed broker may have forgotten after it had acknowledged them.
    private(set) var forgettable: Set<String> = []
    /// What the provider sent and the broker acknowledged: id and amount, in order.
    private(set) var sent: [(id: String, amount: String)] = []
    private(set) var boxKills = 0
    private(set) var brokerKills = 0
    /// The ids in the order in which they began to be spoken, over all lives of the box.
    private(set) var spoken: [String] = []

    var cuts: Int { proxy.cuts }

    init(seed: UInt64, folder: TemporaryFolder) async throws {
        self.folder = folder
        random = SeededGenerator(seed: seed)
        // Saved after every change: a broker that is killed loses at most what it acknowledged in its last moment.
        configuration =
            ["allow_anonymous true", "max_queued_messages 0", "autosave_on_changes true", "autosave_interval 1"]
            + MosquittoBroker.persistence(in: folder)
        broker = try await MosquittoBroker.start(in: folder, configuration: configuration)
        proxy = try CuttingProxy(target: broker.port)
        trial = try Trial(folder: folder, broker: broker, port: proxy.port)
        receipts = try ChildProcess([
            "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-i", "provider", "-c", "-q", "1", "-t",
            "soundbox/v1/M1001/box-01/receipts",
        ])
        box = try await trial.startBox()
    }

    /// Sends some payments, lets something break meanwhile, and waits until everything has been spoken.
    mutating func round(_ number: Int) async throws {
        let fault = Fault.allCases.randomElement(using: &random) ?? .boxKilled
        let batch = (1...Int.random(in: 1...12, using: &random)).map { index in
            (id: "r\(number)-\(index)", amount: "\(Int.random(in: 1...99_999, using: &random)).\(index)")
        }
        // Some arrive before the fault, some while it lasts.
        let early = Int.random(in: 0...batch.count, using: &random)
        try await send(Array(batch.prefix(early)))
        switch fault {
        case .boxKilled:
            for _ in 1...Int.random(in: 1...3, using: &random) {
                try await killBox()
                box = try trial.launchBox()
            }
            try await send(Array(batch.dropFirst(early)))
        case .brokerKilled:
            await randomMoment()
            try await killBroker()
            try await startBroker()
            // A provider whose broker crashed sends again what it has no receipt for.
            try await send(Array(batch.dropFirst(early)) + batch)
        case .bothKilled:
            try await killBox()
            try await killBroker()
            try await startBroker()
            box = try trial.launchBox()
            try await send(batch.shuffled(using: &random))
        case .brokerRestarted:
            await randomMoment()
            try await broker.stop()
            try await startBroker()
            try await send(Array(batch.dropFirst(early)))
        case .networkCut:
            for _ in 1...Int.random(in: 1...3, using: &random) {
                proxy.cut(afterBytes: Int.random(in: 0...600, using: &random))
                try await send(batch.shuffled(using: &random))
            }
        case .duplicatesSent:
            try await send(Array(batch.dropFirst(early)))
            try await send((batch + sent.suffix(20)).shuffled(using: &random))
        }
        // Receipts of the round before may still be on their way through the broker.
        if fault == .brokerKilled || fault == .bothKilled {
            forgettable.formUnion(batch.map(\.id) + sent.suffix(12).map(\.id))
        }
        sent += batch
        try await settle()
    }

    /// Stops the box in good order.
    mutating func finish() async throws {
        while !allReceiptsAreHere { _ = try await receipts.output.next() }
        receipts.terminate()
        _ = try await receipts.exitStatus()
        guard try await box.stop() == 0 else { throw TestFailure("the box did not stop in good order") }
        try await noteSpoken()
        try await broker.stop()
    }

    /// The sequences of each payment's `announced` receipts; the same sequence twice is the same receipt.
    var announcedReceipts: [String: Set<Int>] {
        var sequences: [String: Set<Int>] = [:]
        for receipt in receipts.output.entries.map({ ReceiptRecord(Array($0.utf8)) }) where receipt.state == "announced"
        {
            sequences[receipt.id ?? "", default: []].insert(receipt.sequence)
        }
        return sequences
    }

    private var allReceiptsAreHere: Bool {
        let ids = Set(sent.map(\.id)).subtracting(forgettable)
        return ids.isSubset(of: announcedReceipts.keys)
    }

    // MARK: Breaking

    private mutating func killBox() async throws {
        await randomMoment()
        box.kill9()
        _ = try await box.exitStatus()
        boxKills += 1
        try await noteSpoken()
    }

    private mutating func killBroker() async throws {
        try await broker.kill()
        brokerKills += 1
    }

    private mutating func startBroker() async throws {
        broker = try await MosquittoBroker.start(in: folder, port: broker.port, configuration: configuration)
    }

    /// No event marks the worst moment, so it is left to chance: up to 200 ms.
    private mutating func randomMoment() async {
        try? await Task.sleep(for: .microseconds(Int.random(in: 0...200_000, using: &random)))
    }

    // MARK: Sending and waiting

    private func send(_ payments: [(id: String, amount: String)]) async throws {
        guard !payments.isEmpty else { return }
        try await trial.publish(payments.map { notice($0.id, $0.amount) })
    }

    private mutating func noteSpoken() async throws { spoken += try await box.errors.all().compactMap(spokenID) }

    private func spokenID(_ line: String) -> String? {
        guard line.contains(" announcing ") else { return nil }
        return line.split(separator: " ").first { $0.hasPrefix("id=") }.map { String($0.dropFirst(3)) }
    }

    /// Returns when the inbox holds everything that was sent and nothing waits. The box's log cannot tell: it may have
    /// been killed between a commit and its line.
    private mutating func settle() async throws {
        let end = ContinuousClock.now + .seconds(90)
        while true {
            let ledger = try Ledger(reading: trial.inbox)
            if ledger.announced.count == sent.count, ledger.waiting == 0 { return }
            guard ContinuousClock.now < end else {
                let missing = Set(sent.map(\.id)).subtracting(ledger.announced.map(\.id)).sorted()
                throw TestFailure("not announced: \(missing); the box said: \(box.errors.entries.suffix(12))")
            }
            try await Task.sleep(for: .milliseconds(25))
        }
    }

    func ledger() throws -> Ledger { try Ledger(reading: trial.inbox) }
}
