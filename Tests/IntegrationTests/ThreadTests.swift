import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

/// What `docs/architecture.md` says of the threads is what runs.
@Suite("The threads of a running box", .timeLimit(.minutes(10)))
struct ThreadTests {
    private struct Row {
        /// As the kernel shows it: at most 15 bytes; a trailing `*` stands for anything.
        var name: String
        var isAlwaysThere: Bool

        func fits(_ thread: String) -> Bool {
            name.hasSuffix("*") ? thread.hasPrefix(name.dropLast()) : thread == name
        }
    }

    /// The rows of the page's table, whose first cell is the name and whose second one says when the thread is there.
    private static func rows() throws -> [Row] {
        let page = try String(contentsOfFile: "\(Products.project)/docs/architecture.md", encoding: .utf8)
        return page.matches(of: /(?m)^\| `([^`]+)` \| ([^|]+) \|/).map { match in
            Row(name: String(match.1), isAlwaysThere: match.2 == "always")
        }
    }

    @Test(
        "The sound thread alone runs in real time where the box may have that, and the log says once how it runs",
        .enabled(if: ThreadScheduling.canBeRealTime))
    func scheduling() async throws {
        let folder = try TemporaryFolder()
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([#"{"id":"T-1","amount":"1"}"#, #"{"id":"T-2","amount":"2"}"#])
            let tasks = "/proc/\(box.id)/task"
            var urgent: [String] = []
            for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
                guard case .realTime = ThreadScheduling(of: try #require(Int32(task))) else { continue }
                urgent.append(try String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8))
            }
            #expect(urgent == ["sound\n"])
            #expect(try await box.stop() == 0)
            let lines = box.errors.entries.filter { $0.contains("sound thread") }
            #expect(lines.count == 1 && lines[0].contains("scheduling=\"real time, priority 10\""), "\(lines)")
        }
    }

    @Test("Every thread stands in docs/architecture.md, and every one that is always there runs")
    func threads() async throws {
        let rows = try Self.rows()
        #expect(rows.count { $0.isAlwaysThere } >= 8)
        let folder = try TemporaryFolder()
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([#"{"id":"T-1","amount":"1"}"#])
            let tasks = "/proc/\(box.id)/task"
            let threads = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { task in
                try? String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
            }
            for thread in Set(threads) {
                #expect(rows.contains { $0.fits(thread) }, "\(thread) is missing in docs/architecture.md")
            }
            for row in rows where row.isAlwaysThere {
                #expect(threads.contains { row.fits($0) }, "\(row.name) does not run: \(threads.sorted())")
            }
            #expect(try await box.stop() == 0)
        }
    }

    @Test("An idle box wakes the processor no more than four times a second")
    func idle() async throws {
        func wakings(of box: ChildProcess) throws -> Int {
            let tasks = "/proc/\(box.id)/task"
            return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
                // A thread may have ended meanwhile.
                let status = (try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)) ?? ""
                let count = status.firstMatch(of: /\nvoluntary_ctxt_switches:\s*(\d+)/).flatMap { Int($0.1) }
                return sum + (count ?? 0)
            }
        }
        let folder = try TemporaryFolder()
        try await withMosquitto(in: folder) { broker in
            let trial = try Trial(folder: folder, broker: broker, device: "null")
            let box = try await trial.startBox()
            _ = try await trial.publishAndWait([#"{"id":"T-1","amount":"1"}"#])
            // What is left of the start and of the payment ends within some seconds.
            var rates: [Int] = []
            repeat {
                let before = try wakings(of: box)
                try await Task.sleep(for: .seconds(10))
                rates.append(try wakings(of: box) - before)
            } while try #require(rates.last) > 40 && rates.count < 6
            #expect(try #require(rates.last) <= 40, "\(rates) in ten seconds each")
            #expect(try await box.stop() == 0)
        }
    }
}
