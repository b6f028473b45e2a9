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

    private func notice(_ id: String) throws -> PaymentNotice {
        PaymentNotice(id: try PaymentID(id), money: try Money("1", .CNY))
    }

    private func damage(_ sql: String) throws { try DatabaseQueue(path: path).write { try $0.execute(sql: sql) } }

    static let damages = ["amount = '1e5'", "currency = '???'", "kind = 'gift'", "payment_id = ''"]

    @Test("The notices around it are given, its content is kept, and it is said once", arguments: damages)
    func waiting(damage: String) throws {
        let inbox = try inbox()
        _ = try inbox.store(try ["1", "2", "3"].map { .notice(try notice($0)) }, at: noon)
        try self.damage("UPDATE notice SET \(damage) WHERE payment_id = '2'")
        #expect(try inbox.waiting(limit: 2).map(\.notice.id.text) == ["1", "3"])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["1", "3"])
        #expect(log.lines.withLock { $0.count } == 1)
        let kept = try DatabaseQueue(path: path).read {
            try String.fetchAll($0, sql: "SELECT content FROM damaged WHERE origin = 'notice'")
        }
        #expect(kept.count == 1)
        #expect(try inbox.counts().waiting == 2)
    }

    @Test("Its sender is asked to publish it again, and then it is stored like a new one")
    func publishedAgain() throws {
        let inbox = try inbox()
        _ = try inbox.store([.notice(try notice("1"))], at: noon)
        try damage("UPDATE notice SET amount = 'x'")
        #expect(try inbox.waiting(limit: 1).isEmpty)
        let receipt = try #require(try inbox.receipts(after: 0, limit: 9).last)
        let json = try JSONValue(parsing: receipt.payload)
        #expect(json["state"]?.string == "rejected")
        #expect(json["reason"]?.string?.contains("publish it again") == true)
        guard case .stored = try inbox.store([.notice(try notice("1"))], at: noon).first else {
            Issue.record("it was not stored again")
            return
        }
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["1"])
    }

    @Test("A batch that holds a damaged waiting payment once more is stored whole, the payment afresh")
    func batchWithWaiting() throws {
        let inbox = try inbox()
        _ = try inbox.store([.notice(try notice("1"))], at: noon)
        try damage("UPDATE notice SET amount = 'x'")
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
        try damage("UPDATE notice SET amount = 'x' WHERE payment_id = '1'")
        try damage("CREATE TRIGGER stuck BEFORE DELETE ON notice BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(try inbox.waiting(limit: 1).map(\.notice.id.text) == ["2"])
    }
}
