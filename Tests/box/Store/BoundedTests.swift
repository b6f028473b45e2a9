import GRDB
import SoundboxCore
import SoundboxTesting
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("What is asked of a large inbox takes no longer than of a small one")
struct BoundedTests {
    private let inbox: SQLiteInbox
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("inbox.sqlite")
        inbox = try SQLiteInbox(path: path)
    }

    private func store(_ ids: ClosedRange<Int>, at time: Timestamp) throws {
        _ = try inbox.store(
            try ids.map { .notice(PaymentNotice(id: try PaymentID("T\($0)"), money: try Money("\($0)", .CNY))) },
            at: time)
    }

    private static let requests: [(name: String, body: @Sendable (SQLiteInbox, Timestamp) throws -> Void)] = [
        ("waiting", { inbox, _ in _ = try inbox.waiting(limit: 10) }),
        ("queue", { inbox, _ in _ = try inbox.queue(limit: 10) }),
        ("a page of the history", { inbox, _ in _ = try inbox.history(HistoryFilter(), before: nil, limit: 10) }),
        (
            "custom messages",
            { inbox, now in
                let customMessage = CustomMessage(
                    id: try CommandID("r"), purpose: .ring(timeout: .seconds(5)), content: .tone, at: now)
                _ = try inbox.apply([.customMessage(customMessage, expiry: now, onlyWhenNoRing: true)], at: now)
                for entry in try inbox.customMessages() { _ = try inbox.end(entry, as: .missed, at: now) }
            }
        ),
        ("last announced", { inbox, _ in _ = try inbox.lastAnnounced(skipping: 1) }),
        ("knows", { inbox, _ in _ = try inbox.knows(try PaymentID("T2")) }),
        ("counts", { inbox, _ in _ = try inbox.counts() }),
        ("newest time", { inbox, _ in _ = try inbox.newestTime() }),
        ("receipts", { inbox, _ in _ = try inbox.receipts(after: 0, limit: 10) }),
        (
            "arrival",
            { inbox, now in
                let notices = try ["T1", "N1"].map {
                    Arrival.notice(PaymentNotice(id: try PaymentID($0), money: try Money("1", .CNY)))
                }
                _ = try inbox.store(notices, at: now)
            }
        ),
        ("cancel", { inbox, now in _ = try inbox.cancel(try PaymentID("T5"), at: now) }),
        (
            "announcing",
            { inbox, now in
                let entries = try inbox.waiting(limit: 2)
                _ = try inbox.stillWaiting(entries)
                try inbox.markAnnounced(entries[0], at: now)
                try inbox.markExpired(entries, at: now)
            }
        ),
        ("a clock that was set", { inbox, _ in try inbox.distrustArrivalTimes() }),
        ("what waits, at a start", { inbox, _ in try inbox.restoreWaiting() }),
    ]

    @Test("No statement walks through the history", arguments: BoundedTests.requests.map(\.name))
    func plans(request: String) throws {
        try store(1...6, at: noon)
        for entry in try inbox.waiting(limit: 2) { try inbox.markAnnounced(entry, at: noon) }
        final class Statements: Sendable { let texts = Mutex<[String]>([]) }
        let statements = Statements()
        inbox.queue.inDatabase {
            $0.trace(options: .statement) { event in
                if case .statement(let statement) = event {
                    statements.texts.withLock { $0.append(statement.expandedSQL) }
                }
            }
        }
        try #require(Self.requests.first { $0.name == request }).body(inbox, noon)
        inbox.queue.inDatabase { $0.trace() }
        let texts = statements.texts.withLock { $0 }.filter {
            $0.contains("notice") && ["SELECT", "INSERT", "UPDATE", "DELETE"].contains($0.prefix(6))
        }
        for text in texts {
            let plan = try inbox.queue.inDatabase { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(text)").map { "\($0["detail"] ?? "")" }
            }
            #expect(!plan.contains { $0.hasPrefix("SCAN notice") }, "\(text): \(plan)")
        }
    }
}
