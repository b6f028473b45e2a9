import GRDB
import SoundboxCore
import SoundboxStore
import Synchronization
import TestSupport
import Testing

@Suite("A damaged row is set aside and holds nothing up")
struct DamageTests {
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private final class Log: Sendable { let lines = Mutex<[String]>([]) }
    private let log = Log()

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/inbox.sqlite"
    }

    private func inbox() throws -> SQLiteInbox {
        try SQLiteInbox(path: path) { [log] line in log.lines.withLock { $0.append(line) } }
    }

    private func notice(_ id: String, _ kind: PaymentNotice.Kind = .payment) throws -> PaymentNotice {
        PaymentNotice(id: try PaymentID(id), money: try Money("1", .CNY), kind: kind)
    }

    private func damage(_ sql: String) throws { try DatabaseQueue(path: path).write { try $0.execute(sql: sql) } }

    /// Both copies of a payment that waits.
    private func damageBoth(_ change: String) throws {
        try damage("UPDATE notice SET \(change); UPDATE waiting SET \(change)")
    }

    static let damages = ["amount = '1e5'", "currency = '???'", "kind = 'gift'", "payment_id = ''"]

    @Test("The notices around it are given, its content is kept, and it is said once", arguments: damages)
    func waiting(damage: String) throws {
        let inbox = try inbox()
        _ = try inbox.store(try ["1", "2", "3"].map { .notice(try notice($0)) }, at: noon)
        try damageBoth("\(damage) WHERE payment_id = '2'")
        #expect(try inbox.waiting(limit: 2).map(\.notice.id.text) == ["1", "3"])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["1", "3"])
        #expect(log.lines.withLock { $0.count } == 1)
        let kept = try DatabaseQueue(path: path).read {
            try String.fetchAll($0, sql: "SELECT content FROM damaged WHERE origin = 'notice'")
        }
        #expect(kept.count == 1)
        #expect(try inbox.counts().waiting == 2)
    }

    @Test(
        "Its sender is asked to publish it again, and then it is stored like a new one; its refund or payment stays",
        arguments: [PaymentNotice.Kind.payment, .refund])
    func publishedAgain(kind: PaymentNotice.Kind) throws {
        let inbox = try inbox()
        let (damaged, other) = try (notice("1", kind), notice("1", kind == .refund ? .payment : .refund))
        _ = try inbox.store([.notice(damaged), .notice(other)], at: noon)
        try damageBoth("amount = 'x' WHERE kind = '\(kind.rawValue)'")
        #expect(try inbox.waiting(limit: 9).map(\.notice) == [other])
        let receipt = try #require(try inbox.receipts(after: 0, limit: 9).last)
        let json = try JSONValue(parsing: receipt.payload)
        #expect(json["state"]?.string == "rejected")
        #expect(json["kind"]?.string == (kind == .refund ? "refund" : nil))
        #expect(json["reason"]?.string?.contains("publish it again") == true)
        #expect(log.lines.withLock { $0.first?.contains("\(kind.rawValue) 1, is damaged") } == true)
        let outcomes = try inbox.store([.notice(damaged), .notice(other)], at: noon)
        guard case .stored = outcomes.first else {
            Issue.record("it was not stored again")
            return
        }
        #expect(outcomes.last == .duplicate(other, differs: nil))
        #expect(try inbox.waiting(limit: 9).map(\.notice) == [other, damaged])
    }

    @Test("A batch that holds a damaged waiting payment once more is stored whole, the payment afresh")
    func batchWithWaiting() throws {
        let inbox = try inbox()
        _ = try inbox.store([.notice(try notice("1"))], at: noon)
        try damageBoth("amount = 'x'")
        let outcomes = try inbox.store(try ["0", "1", "2"].map { .notice(try notice($0)) }, at: noon)
        #expect(outcomes.count == 3)
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["0", "1", "2"])
    }

    @Test("A damaged payment that was spoken stays a duplicate")
    func batchWithAnnounced() throws {
        let inbox = try inbox()
        _ = try inbox.store([.notice(try notice("1"))], at: noon)
        try inbox.markAnnounced(try inbox.waiting(limit: 1)[0], at: noon)
        try damage("UPDATE notice SET amount = 'x'")
        let again = try notice("1")
        #expect(try inbox.store([.notice(again)], at: noon) == [.duplicate(again, differs: nil)])
        #expect(try inbox.lastAnnounced() == nil)
    }

    @Test("A damaged receipt does not hold up the ones behind it")
    func receipts() throws {
        let inbox = try inbox()
        _ = try inbox.store(try ["1", "2", "3"].map { .notice(try notice($0)) }, at: noon)
        try damage("UPDATE receipt SET state = '?' WHERE payment_id = '1'")
        #expect(try inbox.receipts(after: 0, limit: 1).count == 1)
        #expect(try inbox.receipts(after: 0, limit: 9).count == 2)
        #expect(try inbox.counts().receiptsWaiting == 2)
    }

    @Test("A damaged row that the disk does not let go is read past")
    func readOnly() throws {
        let inbox = try inbox()
        _ = try inbox.store(try ["1", "2"].map { .notice(try notice($0)) }, at: noon)
        try damageBoth("amount = 'x' WHERE payment_id = '1'")
        try damage("CREATE TRIGGER stuck BEFORE DELETE ON notice BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(try inbox.waiting(limit: 1).map(\.notice.id.text) == ["2"])
    }

    @Test(
        "A payment that waits is spoken as it was from the copy that is undamaged, and leaves a sound row behind",
        arguments: ["notice", "waiting"], ["amount = '9'", "checksum = 7", "currency = 'USD'", "payment_id = '3'"])
    func otherCopy(table: String, damage: String) throws {
        let inbox = try inbox()
        let sound = try notice("1")
        _ = try inbox.store([.notice(sound)], at: noon)
        try self.damage("UPDATE \(table) SET \(damage)")
        let entry = try #require(try inbox.waiting(limit: 9).first)
        #expect(entry.notice == sound)
        #expect(try !inbox.stillWaiting([entry]).isEmpty)
        try inbox.markAnnounced(entry, at: noon)
        #expect(try inbox.lastAnnounced()?.notice == sound)
        #expect(try inbox.store([.notice(sound)], at: noon) == [.duplicate(sound, differs: nil)])
        #expect(try inbox.waiting(limit: 9).isEmpty)
    }

    static let cellsOutOfRange: [String] = [
        "paid_at = -9223372036854775807", "paid_at = 9223372036854775807", "received_at = -9223372036854775808",
        "received_at = 9223372036854775807", "ended_at = 9223372036854775807", "announced_number = 9223372036854775807",
        "announced_number = -1", "clock = 9223372036854775807", "amount = '99999999999999999999999999'",
    ]

    @Test(
        "A cell out of range stops nothing and is set aside", arguments: DamageTests.cellsOutOfRange)
    func outOfRange(damage: String) throws {
        do {
            let inbox = try inbox()
            _ = try inbox.store(try ["1", "2", "3"].map { .notice(try notice($0)) }, at: noon)
            try inbox.markAnnounced(try inbox.waiting(limit: 1)[0], at: noon)
            try self.damage("UPDATE notice SET \(damage) WHERE payment_id = '1'")
            try damageBoth("\(damage) WHERE payment_id = '2'")
        }
        let inbox = try SQLiteInbox.recovering(path: path, now: { [noon] in noon }, log: { _ in }) {
            Issue.record("\($0)")
        }
        #expect(try inbox.newestTime() == noon)
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["3"])
        _ = try inbox.prune(Retention(keep: .seconds(86_400), maximumBytes: 1 << 30), now: noon)
        #expect(try inbox.lastAnnounced() == nil)
        let again = try notice("1")
        #expect(try inbox.store([.notice(again)], at: noon) == [.duplicate(again, differs: nil)])
        try inbox.markAnnounced(try inbox.waiting(limit: 1)[0], at: noon)
        #expect(try inbox.lastAnnounced()?.notice.id.text == "3")
    }

    @Test("Row numbers beyond every range are damage that a start mends, and payments are stored again")
    func numbers() throws {
        for table in ["notice", "receipt"] {
            do {
                let inbox = try inbox()
                _ = try inbox.store([.notice(try notice(table))], at: noon)
                try damage("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = '\(table)'")
                #expect(throws: InboxError.self) { try inbox.store([.notice(try notice("\(table)-2"))], at: noon) }
            }
            let inbox = try SQLiteInbox.recovering(
                path: path, now: { [noon] in noon }, log: { _ in }, happened: { _ in })
            guard case .stored = try inbox.store([.notice(try notice("\(table)-2"))], at: noon).first else {
                Issue.record("not stored")
                return
            }
            #expect(try inbox.waiting(limit: 9).map(\.notice.id.text).suffix(2) == [table, "\(table)-2"])
        }
    }
}
