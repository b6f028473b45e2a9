import GRDB
import Logging
import SoundboxCore
import SoundboxLogging
import SoundboxStore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The housekeeping of the inbox", .timeLimit(.minutes(10)))
struct InboxHousekeepingTests {
    private let folder: TemporaryFolder
    private let inbox: SQLiteInbox
    private let log = Journal<String>()
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private let days = Duration.seconds(86_400)

    init() throws {
        folder = try TemporaryFolder()
        inbox = try SQLiteInbox(path: folder.file("inbox.sqlite"))
    }

    private func spoken(_ ids: ClosedRange<Int>) throws {
        _ = try inbox.store(
            try ids.map { .notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("1", .CNY))) }, at: noon)
        for entry in try inbox.waiting(limit: 9999) { try inbox.markAnnounced(entry, at: noon) }
    }

    private let machine = TestMachine(isSynchronised: true)

    /// Keeps house all the time while `body` runs.
    private func keepHouse(
        _ retention: Retention, daysLater: Int = 0, _ body: () async throws -> Void
    ) async throws {
        machine.pass(.days(daysLater))
        let housekeeping = InboxHousekeeping(
            inbox: inbox, retention: retention, clock: machine.clock(),
            logger: Logger(label: "test") { [log] _ in
                LineLogHandler(level: .info, style: .journal) { log.append($0) }
            }, interval: .milliseconds(1))
        let running = Task { await housekeeping.run() }
        defer { running.cancel() }
        try await body()
    }

    private func logged(_ words: String) async throws {
        _ = try await log.next { $0.contains(words) ? $0 : nil }
    }

    @Test("It forgets what is old in small steps, and says how much")
    func old() async throws {
        try spoken(1...450)
        try await keepHouse(Retention(keep: days * 90, maximumBytes: 1 << 30), daysLater: 91) {
            // All but the one announced last.
            try await logged("<6>old payments forgotten count=449")
        }
        #expect(try inbox.counts().announced == 450)
        #expect(try inbox.lastAnnounced()?.notice.id.text == "T450")
    }

    @Test("Payments that are forgotten before their time are a warning")
    func full() async throws {
        try spoken(1...450)
        try await keepHouse(Retention(keep: days * 90, maximumBytes: 4096)) {
            try await logged("<4>payments forgotten before their time")
        }
    }

    @Test("What it cannot do is a warning and no end of it: it goes on when the disk does")
    func failing() async throws {
        try spoken(1...10)
        let other = try DatabaseQueue(path: folder.file("inbox.sqlite"))
        try await other.write { try $0.execute(sql: "ALTER TABLE notice RENAME TO gone") }
        try await keepHouse(Retention(keep: days, maximumBytes: 1 << 30), daysLater: 3) {
            try await logged("<4>old payments are not forgotten")
            try await other.write { try $0.execute(sql: "ALTER TABLE gone RENAME TO notice") }
            try await logged("<6>old payments forgotten count=9")
        }
    }

    @Test("By a clock that nobody has confirmed, nothing is old", arguments: [0, 99, 365])
    func unconfirmed(daysAhead: Int) async throws {
        machine.set(error: .days(daysAhead), byServer: false)
        try spoken(1...450)
        try await keepHouse(Retention(keep: days, maximumBytes: 4096), daysLater: 99) {
            // The limit of bytes alone makes it forget, early.
            try await logged("payments forgotten before their time")
        }
        #expect(!log.entries.contains { $0.contains("old payments forgotten") })
    }

    @Test("Nothing old is forgotten before the time is kept that lets the next start refuse it")
    func keptFirst() async throws {
        try spoken(1...10)
        machine.disk.withLock { $0.isFull = true }
        try await keepHouse(Retention(keep: days, maximumBytes: 1 << 30), daysLater: 3) {
            try await logged("<4>old payments are not forgotten")
            #expect(try inbox.knows(try PaymentID("T1")))
            machine.disk.withLock { $0.isFull = false }
            try await logged("<6>old payments forgotten count=9")
            #expect(machine.disk.withLock { $0.time?.proven }.map { $0 >= machine.truth } == true)
        }
    }
}
