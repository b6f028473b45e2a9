import Foundation
import GRDB
import SoundboxCore
import TestSupport
import Testing

extension VirtualBoardTests {
    @Suite("Power cuts", .timeLimit(.minutes(30)))
    struct PowerCutTests {
        /// How often the power is cut; `make power-cut` cuts it more often.
        private static let cycles = ProcessInfo.processInfo.environment["POWER_CUT_CYCLES"].flatMap { Int($0) } ?? 3

        @Test("The power is cut during traffic, again and again: what the box confirmed is there after the next start")
        func duringTraffic() async throws {
            let folder = try TemporaryFolder()
            try await withMosquitto(configuration: ["allow_anonymous true", "max_queued_messages 0"], in: folder) {
                broker in
                let disk = try await Disk()
                let receipts = try ReceiptListener(port: broker.port)
                var published: Set<String> = []
                var announced: Set<String> = []
                for cycle in 1...Self.cycles {
                    let board = try await VirtualBoard(folder: try TemporaryFolder(), disk: disk.path)
                    let box = try BoxOnBoard(
                        on: board, port: broker.port, state: "box", device: "null", logOutlivesBoard: true)
                    let found = try await box.inbox()
                    #expect(found.integrity == "ok" || cycle == 1)
                    #expect(
                        receipts.ids(in: "stored").subtracting(found.ids) == [],
                        "confirmed, and lost by cut \(cycle - 1)")
                    #expect(receipts.ids(in: "announced").subtracting(found.announced) == [])
                    announced = receipts.ids(in: "announced")
                    try await box.start()

                    // Traffic from all sides of the cut: it comes somewhere among these, after so many confirmations.
                    let batch = (1...60).map { "C\(cycle)-\($0)" }
                    published.formUnion(batch)
                    try await box.publish(batch.map { ($0, "\($0.count).5") })
                    try await receipts.wait(forStored: 3 + 11 * (cycle % 5), among: Set(batch))
                    try await board.cutPower()
                    let spokenAgain = Set(try await box.begunAnnouncements).intersection(announced)
                    #expect(spokenAgain == [], "announced, confirmed, and spoken again after cut \(cycle - 1)")
                }

                let board = try await VirtualBoard(folder: try TemporaryFolder(), disk: disk.path)
                let box = try BoxOnBoard(
                    on: board, port: broker.port, state: "box", device: "null", logOutlivesBoard: true)
                #expect(receipts.ids(in: "stored").subtracting(try await box.inbox().ids) == [])
                // What the box had not confirmed, the broker still has: in the end, nothing is missing.
                try await box.start()
                try await receipts.wait(forStored: published.count, among: published)
                try await box.stop()
                let end = try await box.inbox()
                #expect(end.integrity == "ok")
                #expect(end.ids == published)
                try await board.cutPower()
            }
        }
    }
}

/// Hears every receipt of every box on a broker, as a payment service does.
private final class ReceiptListener: Sendable {
    private let process: ChildProcess

    init(port: Int) throws {
        process = try ChildProcess(["mosquitto_sub", "-p", "\(port)", "-q", "1", "-t", "soundbox/v1/+/+/receipts"])
    }

    deinit { process.terminate() }

    /// The payments that have had such a receipt so far.
    func ids(in state: String) -> Set<String> {
        Set(process.output.entries.compactMap { Self.id(in: $0, state: state) })
    }

    /// Waits until so many of these payments are confirmed as stored.
    func wait(forStored count: Int, among ids: Set<String>) async throws {
        var stored = self.ids(in: "stored").intersection(ids)
        while stored.count < count {
            stored.insert(
                try await process.output.next {
                    Self.id(in: $0, state: "stored").flatMap { ids.contains($0) ? $0 : nil }
                })
        }
    }

    private static func id(in receipt: String, state: String) -> String? {
        let json = try? JSONValue(parsing: Array(receipt.utf8))
        return json?["state"]?.string == state ? json?["id"]?.string : nil
    }
}

extension BoxOnBoard {
    fileprivate struct InboxContents {
        var integrity = "none yet"
        var ids: Set<String> = []
        var announced: Set<String> = []
    }

    /// What the inbox on the board's disk holds. The box must not run.
    fileprivate func inbox() async throws -> InboxContents {
        // Opening it replays the write-ahead log, so a copy is opened, and the box still finds what the cut left.
        try await board.run(
            "rm -f /host/inbox.sqlite*; for f in /state/box/inbox.sqlite*; do [ -e $f ] && cp $f /host/; done; true")
        let path = board.folder.file("inbox.sqlite")
        guard FileManager.default.fileExists(atPath: path) else { return InboxContents() }
        return try await DatabaseQueue(path: path).read { database in
            InboxContents(
                integrity: try String.fetchOne(database, sql: "PRAGMA integrity_check") ?? "",
                ids: Set(try String.fetchAll(database, sql: "SELECT payment_id FROM notice")),
                announced: Set(
                    try String.fetchAll(database, sql: "SELECT payment_id FROM notice WHERE state = 'announced'")))
        }
    }
}
