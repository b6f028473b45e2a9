import Foundation
import Glibc
import SoundboxCore
import SoundboxStore
import TestSupport

/// Breaks a box, its broker and the network between them at random, while a provider sends.
struct Torture {
    enum Fault: CaseIterable {
        case boxKilled, brokerKilled, bothKilled, brokerRestarted, networkCut
        /// The broker comes back with an empty memory, as one without persistence does.
        case brokerForgot
        /// Payments of this round and of earlier ones, some twice, in any order.
        case sentAgainOutOfOrder
        /// Another client comes with the box's client id, as a second box with a copied setup does.
        case takenOver
        /// A thousand commands, nonsense, and a message that is larger than any notice, between the payments.
        case flooded
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
    /// For each life of the box that has ended, the ids in the order in which they began to be spoken.
    private(set) var lives: [[String]] = []
    /// Whether the present box has ended and is among ``lives``.
    private var noted = false

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
    mutating func round(_ number: Int) async throws -> Fault {
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
                try launchBox()
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
            try launchBox()
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
        case .brokerForgot:
            try await broker.stop()
            try FileManager.default.removeItem(atPath: folder.file("mosquitto.db"))
            let before = onlineCount
            try await startBroker()
            // What is sent before the box has subscribed anew is nobody's: the provider sends again what has no receipt.
            while onlineCount == before { try await Task.sleep(for: .milliseconds(25)) }
            try await send(batch)
        case .sentAgainOutOfOrder:
            try await send(Array(batch.dropFirst(early)))
            try await send((batch + sent.suffix(20)).shuffled(using: &random))
        case .takenOver:
            let intruder = try intrude()
            await randomMoment()
            try await send(Array(batch.dropFirst(early)))
            await randomMoment()
            intruder.kill9()
            _ = try await intruder.exitStatus()
            try await awaitOnline()
            // What the broker handed to the other is gone: a provider sends again what has no receipt.
            try await send(batch)
        case .flooded:
            async let nonsense: Void = flood()
            try await send(Array(batch.dropFirst(early)))
            try await nonsense
        }
        // Receipts of the round before may still be on their way through the broker.
        if [.brokerKilled, .bothKilled, .brokerForgot].contains(fault) {
            forgettable.formUnion(batch.map(\.id) + sent.suffix(12).map(\.id))
        }
        sent += batch
        try await settle()
        try await awaitReceipts()
        return fault
    }

    /// Stops the box in good order, once the broker has its last receipts: a flood leaves one for each message.
    mutating func finish() async throws {
        let end = ContinuousClock.now + .seconds(90)
        while try ledger().receiptsWaiting > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(25))
        }
        receipts.terminate()
        _ = try await receipts.exitStatus()
        guard try await box.stop() == 0 else { throw TestFailure("the box did not stop in good order") }
        try await noteSpoken()
        try await broker.stop()
    }

    /// How often a payment has been spoken again so far, and whether each was the one that was being spoken when the box
    /// was killed.
    var repetitions: (count: Int, onlyWhatWasPlaying: Bool) {
        var order: [String] = []
        var count = 0
        for life in lives + [spokenSoFar] {
            var rest = life[...]
            if let last = order.last, rest.first == last {
                count += 1
                rest = rest.dropFirst()
            }
            order += rest
        }
        return (count, Set(order).count == order.count)
    }

    /// The ids in the order in which they were first spoken.
    var order: [String] {
        var known: Set<String> = []
        return (lives + [spokenSoFar]).joined().filter { known.insert($0).inserted }
    }

    /// The receipts that the provider got, by state and payment: their numbers. The same number twice is the same receipt.
    var receiptNumbers: [String: [String: Set<Int>]] {
        var numbers: [String: [String: Set<Int>]] = [:]
        for receipt in receipts.output.entries.map({ ReceiptRecord(Array($0.utf8)) }) {
            numbers[receipt.state, default: [:]][receipt.id ?? "", default: []].insert(receipt.sequence)
        }
        return numbers
    }

    /// The numbers of the receipts that the box sent on its way to the broker, read from the wire.
    var numbersOnTheWire: Set<Int> {
        var numbers: Set<Int> = []
        for connection in proxy.sentToTarget {
            for match in String(decoding: connection, as: UTF8.self).matches(of: /"sequence":([0-9]+)[,}]/) {
                if let number = Int(match.1) { numbers.insert(number) }
            }
        }
        return numbers
    }

    /// Waits for each payment's `stored` and `announced`, but those that a broker forgot after it had acknowledged them.
    private func awaitReceipts() async throws {
        let ids = Set(sent.map(\.id)).subtracting(forgettable)
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let numbers = receiptNumbers
            let missing = ["stored", "announced"].flatMap { state in
                ids.subtracting((numbers[state] ?? [:]).keys).map { "\($0) \(state)" }
            }
            if missing.isEmpty { return }
            guard ContinuousClock.now < end else { throw TestFailure("no receipt: \(missing.sorted())") }
            try await Task.sleep(for: .milliseconds(25))
        }
    }

    // MARK: Breaking

    private mutating func killBox() async throws {
        await randomMoment()
        box.kill9()
        _ = try await box.exitStatus()
        boxKills += 1
        try await noteSpoken()
    }

    private mutating func launchBox() throws {
        box = try trial.launchBox()
        noted = false
    }

    private mutating func killBroker() async throws {
        try await broker.kill()
        brokerKills += 1
    }

    private mutating func startBroker() async throws {
        broker = try await MosquittoBroker.start(in: folder, port: broker.port, configuration: configuration)
        // A broker that has forgotten the provider keeps nothing for it, until it has subscribed again.
        try await broker.log.next { $0.contains("Received SUBSCRIBE from provider") ? () : nil }
    }

    /// No event marks the worst moment, so it is left to chance: up to 200 ms.
    private mutating func randomMoment() async {
        try? await Task.sleep(for: .microseconds(Int.random(in: 0...200_000, using: &random)))
    }

    /// A client with the box's id and subscription, which comes back as often as it is sent away.
    private func intrude() throws -> ChildProcess {
        try ChildProcess([
            "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-i", "soundbox-M1001-box-01", "-c", "-q", "1",
            "-t", "soundbox/v1/M1001/box-01/payments",
        ])
    }

    /// Published by clients of their own, beside the payments.
    private func flood() async throws {
        let oversized = folder.file("oversized")
        try Data(repeating: 0x7B, count: 8 << 20).write(to: URL(fileURLWithPath: oversized))
        let commands = (1...1000).map { #"{"id":"v\#($0)","type":"volume","volume":\#($0 % 100 + 1)}"# }
        let nonsense = (1...100).map { #"{"id":"bad-\#($0)","amount":"\#($0)x"}"# }
        for (topic, what, input) in [
            ("commands", ["-l"], commands.joined(separator: "\n")),
            ("payments", ["-l"], nonsense.joined(separator: "\n")),
            ("payments", ["-f", oversized], ""),
        ] {
            let publisher = try ChildProcess(
                [
                    "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t",
                    "soundbox/v1/M1001/box-01/\(topic)",
                ] + what, input: input)
            guard try await publisher.exitStatus() == 0 else {
                throw TestFailure("the flood was not published: \(publisher.errors.entries)")
            }
        }
    }

    // MARK: Sending and waiting

    private func send(_ payments: [(id: String, amount: String)]) async throws {
        guard !payments.isEmpty else { return }
        try await trial.publish(payments.map { notice($0.id, $0.amount) })
    }

    private mutating func noteSpoken() async throws {
        lives.append(try await box.errors.all().compactMap(spokenID))
        noted = true
    }

    /// What the living box has begun to speak.
    private var spokenSoFar: [String] { noted ? [] : box.errors.entries.compactMap(spokenID) }

    private var onlineCount: Int { box.errors.entries.count { $0.contains(" info online") } }

    /// Returns when the box is online, whatever was before.
    private func awaitOnline() async throws {
        let end = ContinuousClock.now + .seconds(90)
        while true {
            let last = box.errors.entries.last { $0.contains(" info online") || $0.contains(" warning offline") }
            if last?.contains(" info online") == true { return }
            guard ContinuousClock.now < end else {
                throw TestFailure("not online again; the box said: \(box.errors.entries.suffix(12))")
            }
            try await Task.sleep(for: .milliseconds(25))
        }
    }

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
