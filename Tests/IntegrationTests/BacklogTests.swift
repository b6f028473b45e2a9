import Foundation
import SoundboxCore
import SoundboxStore
import TestSupport
import Testing

/// `SOUNDBOX_BACKLOG=10000` for what gathers in a day; the usual run is content with less.
@Suite("A backlog at the broker", .timeLimit(.minutes(15)))
struct BacklogTests {
    private static let count =
        ProcessInfo.processInfo.environment["SOUNDBOX_BACKLOG"].flatMap(Int.init) ?? 2000
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Notices that waited at the broker are taken in by group commits while the first is spoken, in flat memory")
    func takenIn() async throws {
        let count = Self.count
        let configuration = ["allow_anonymous true", "max_queued_messages 0"]
        try await withMosquitto(configuration: configuration, in: folder) { broker in
            // In real time: they must all be in long before the first few have been spoken.
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            // Its session stays at the broker when the shop closes.
            let yesterday = try await trial.startBox()
            #expect(try await yesterday.stop() == 0)
            try await trial.publish((1...count).map { notice("b-\($0)", "\($0)") })

            let start = ContinuousClock.now
            let box = try trial.launchBox()
            try await box.logged(" stored ", "id=b-1")
            let before = try privateBytes(of: box)
            try await box.logged(" stored ", "id=b-\(count)")
            let took = ContinuousClock.now - start
            let after = try privateBytes(of: box)
            try await box.logged(" announced ", "id=b-1")
            #expect(try await box.stop() == 0)

            let lines = box.errors.entries
            // The first was being spoken before the last had arrived, and the connection held all the while.
            let firstSpoken = try #require(lines.firstIndex { $0.contains("announcing id=b-1 ") })
            let lastStored = try #require(lines.firstIndex { $0.contains(" stored ") && $0.contains("id=b-\(count)") })
            #expect(firstSpoken < lastStored)
            #expect(!lines.contains { $0.contains("offline") })
            #expect(!broker.log.entries.contains { $0.contains("exceeded timeout") })
            // Twice in all: yesterday and today.
            #expect(broker.log.entries.count { $0.contains("New client connected") && $0.contains("M1001") } == 2)
            // What one batch and SQLite's cache of 2 MiB take, and not what all of them would.
            #expect(after - before < 4 << 20, "\(before) bytes, then \(after)")

            let inbox = try SQLiteInbox(path: trial.inbox)
            let counts = try inbox.counts()
            #expect(counts.waiting + counts.announced == count)
            let waiting = try inbox.waiting(limit: count).map(\.notice.id.text)
            #expect(waiting == (counts.announced + 1...count).map { "b-\($0)" })
            print(
                "backlog: \(count) notices within \(took) of the start; private \(before >> 10) KiB at the first, "
                    + "\(after >> 10) KiB at the last; \(counts.announced) spoken by the end")
        }
    }

    /// Without the program's own code, of which more and more has been used.
    private func privateBytes(of process: ChildProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kibibytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { throw TestFailure("no RssAnon in \(status)") }
        return kibibytes << 10
    }
}
