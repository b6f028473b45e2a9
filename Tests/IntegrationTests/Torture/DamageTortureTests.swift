import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

/// `make torture` does as many rounds of this as of the other; the usual run is content with a few.
@Suite("Torture: a card that spoils pages of the inbox", .timeLimit(.minutes(60)))
struct DamageTortureTests {
    private static let seed =
        ProcessInfo.processInfo.environment["SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...999_999)
    private static let rounds = ProcessInfo.processInfo.environment["TORTURE_ROUNDS"].flatMap(Int.init) ?? 6

    @Test("Whatever page is spoilt, what waits is kept, nothing known is taken for new, and what is lost is told")
    func spoiltPages() async throws {
        print("damage: SEED=\(Self.seed), \(Self.rounds) rounds")
        let folder = try TemporaryFolder()
        try await withMosquitto(configuration: ["allow_anonymous true", "max_queued_messages 0"], in: folder) {
            broker in
            var random = SeededGenerator(seed: Self.seed)
            // In real time, so that nearly everything waits.
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            var tally = Tally()
            for number in 1...Self.rounds {
                let round = "SEED=\(Self.seed) round \(number)"
                let box = try await trial.startBox()
                let batch = (1...40).map { "d\(number)-\($0)" }
                try await trial.publish(batch.map { notice($0, "\(number)") })
                try await box.errors.next { $0.contains(" stored ") && $0.hasSuffix("id=d\(number)-40") ? () : nil }
                box.kill9()
                _ = try await box.exitStatus()

                let before = try Contents(reading: trial.inbox)
                let kind = try Damage.allCases.randomElement(using: &random)?.spoil(trial.inbox, &random) ?? ""
                // Killed in the middle of what the start does about it, as often as not.
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let killed = try trial.launchBox()
                    // No event marks the worst moment.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...400, using: &random)))
                    killed.kill9()
                    _ = try await killed.exitStatus()
                }
                let again = try await trial.startBox()
                // A new payment is taken when the box knows again what it knew.
                try await trial.publish([notice("p\(number)", "1")])
                try await again.errors.next { $0.contains(" stored ") && $0.hasSuffix("id=p\(number)") ? () : nil }
                let faults = try await trial.faults()
                #expect(try await again.stop() == 0, "\(round)")

                let after = try Contents(reading: trial.inbox)
                tally.add(before, after)
                if !before.waiting.union(before.ended).isSubset(of: after.known) || after.waitingTwice {
                    #expect(!faults.isEmpty, "\(round), \(kind): lost and not told")
                }
                // Spoken before, and not waiting any more.
                #expect(before.ended.isDisjoint(with: after.waiting), "\(round), \(kind)")
            }
            print("damage: \(tally)")
            #expect(tally.waitingKept >= 0.99, "SEED=\(Self.seed): \(tally)")
            #expect(tally.endedKept >= 0.95 || Self.rounds < 50, "SEED=\(Self.seed): \(tally)")
        }
    }

    /// What was there before the damage, and how much of it after.
    private struct Tally: CustomStringConvertible {
        private var waiting = (before: 0, kept: 0)
        private var ended = (before: 0, kept: 0)

        var waitingKept: Double { Double(waiting.kept) / Double(max(waiting.before, 1)) }
        var endedKept: Double { Double(ended.kept) / Double(max(ended.before, 1)) }

        mutating func add(_ before: Contents, _ after: Contents) {
            waiting.before += before.waiting.count
            // One may have been announced since.
            waiting.kept += before.waiting.intersection(after.known).count
            ended.before += before.ended.count
            ended.kept += before.ended.intersection(after.known).count
        }

        var description: String {
            "\(waiting.kept) of \(waiting.before) waiting payments and \(ended.kept) of \(ended.before) others kept"
        }
    }
}

/// The ids that an inbox holds, read past the box's code.
private struct Contents {
    var waiting: Set<String>
    var ended: Set<String>
    /// Those of the two, and those of which nothing but the id is known.
    var known: Set<String>
    var waitingTwice: Bool

    init(reading path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let (waiting, ended, known) = try queue.read { database in
            func ids(_ sql: String) throws -> [String] { try String.fetchAll(database, sql: sql) }
            return (
                try ids("SELECT payment_id FROM notice WHERE state IN ('received', 'announcing')"),
                try ids("SELECT payment_id FROM notice WHERE state NOT IN ('received', 'announcing')"),
                try ids("SELECT payment_id FROM known")
            )
        }
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
        self.waiting = Set(waiting)
        self.ended = Set(ended)
        self.known = self.waiting.union(ended).union(known)
        waitingTwice = waiting.count != self.waiting.count
    }
}

/// What becomes of a page on a card that wears out.
private enum Damage: CaseIterable {
    case garbled, zeroed, bitFlipped, halfWritten

    /// - Returns: what was done, for a failure's message.
    func spoil(_ path: String, _ random: inout SeededGenerator) throws -> String {
        let size = 4096
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw TestFailure("cannot open \(path)") }
        defer { close(file) }
        let pages = Int(lseek(file, 0, SEEK_END)) / size
        let page = Int.random(in: 0..<pages, using: &random)
        var bytes = [UInt8](repeating: 0, count: size)
        guard pread(file, &bytes, size, off_t(page * size)) == size else {
            throw TestFailure("cannot read page \(page)")
        }
        switch self {
        case .garbled: for index in bytes.indices { bytes[index] = .random(in: 0...255, using: &random) }
        case .zeroed: bytes = [UInt8](repeating: 0, count: size)
        case .bitFlipped: bytes[.random(in: 0..<size, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case .halfWritten: for index in bytes.indices.dropFirst(512) { bytes[index] = 0xFF }
        }
        guard pwrite(file, bytes, size, off_t(page * size)) == size else {
            throw TestFailure("cannot write page \(page)")
        }
        return "page \(page + 1) of \(pages) \(self)"
    }
}
