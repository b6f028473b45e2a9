import Dispatch
import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("A damaged custom message costs itself at most")
struct CustomMessageDamageTests {
    private let folder: TemporaryFolder
    private let path: String
    private let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private final class Told: Sendable { let incidents = Mutex(0) }
    private let told = Told()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("inbox.sqlite")
    }

    private func customMessage(_ id: String) throws -> CommandArrival {
        .customMessage(
            CustomMessage(id: try CommandID(id), purpose: .ring(timeout: .seconds(30)), content: .text(id), at: noon),
            expiry: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 86_400_000), onlyWhenNoRing: false)
    }

    private func payment(_ id: String) throws -> Arrival {
        .notice(PaymentNotice(id: try PaymentID(id), money: try Money("1", .CNY)))
    }

    private func change(_ sql: String) throws { try DatabaseQueue(path: path).write { try $0.execute(sql: sql) } }

    private func recovered() throws -> SQLiteInbox {
        let repair = SQLiteInbox.Repair(
            now: { [noon] in noon }, happened: { [told] _ in told.incidents.withLock { $0 += 1 } },
            reserve: 0, pause: .zero)
        return try SQLiteInbox.recovering(path: path, repair)
    }

    @Test("One that two threads find at the same time is told of once")
    func foundTwice() throws {
        let inbox = try recovered()
        _ = try inbox.apply([customMessage("E-1")], at: noon)
        try change("UPDATE custom_message SET content = '{'")
        let row = try #require(
            try DatabaseQueue(path: path).read { try Row.fetchOne($0, sql: "SELECT * FROM custom_message") })
        let damage = SQLiteInbox.Damage(row, origin: .customMessage)
        inbox.setAside([damage])
        inbox.setAside([damage])
        #expect(try ends(of: inbox) == ["E-1 failed"])
    }

    private func ends(of inbox: SQLiteInbox) throws -> [String] {
        try inbox.receipts(after: 0, limit: 999).compactMap { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            guard let id = json["command"]?.string, let state = json["state"]?.string, state != "stored" else {
                return nil
            }
            return "\(id) \(state)"
        }
    }

    static let damages = [
        "content = '{}'", "content = ''", "content = 'x'", "checksum = 7", "received_at = 9223372036854775807",
        "clock = 9",
    ]

    @Test("Its row is set aside, the sender hears that it failed, and the others stay", arguments: damages)
    func row(damage: String) throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try inbox.apply([customMessage("a"), customMessage("b"), customMessage("c")], at: noon)
        _ = try inbox.store([payment("1")], at: noon)
        try change("UPDATE custom_message SET \(damage) WHERE command = 'b'")
        #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["a", "c"])
        #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["a", "c"])
        #expect(try ends(of: inbox) == ["b failed"])
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["1"])
        #expect(try inbox.apply([customMessage("b")], at: noon) == [.duplicate])
        let kept = try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "SELECT origin FROM damaged") }
        #expect(kept == ["custom_message"])
    }

    @Test("A damaged custom message is still cancelled, answered and ended by its id")
    func ended() throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try inbox.apply([customMessage("a"), customMessage("b")], at: noon)
        let entries = try inbox.customMessages()
        try change("UPDATE custom_message SET checksum = 7")
        #expect(
            try inbox.apply([.cancel(.customMessage(entries[0].customMessage.id), expiry: noon)], at: noon)
                == [.cancelled(.customMessage(entries[0].customMessage.id), .whileItWaited)])
        #expect(try inbox.stillWaits(entries[1]))
        #expect(try inbox.end(entries[1], as: .answered, at: noon))
        #expect(try ends(of: inbox) == ["a cancelled", "b answered"])
    }

    @Test("One that has ended and stands on a page that fell back to an older content does not ring again")
    func olderPage() throws {
        let inbox = try SQLiteInbox(path: path)
        _ = try inbox.apply([customMessage("a")], at: noon)
        let entry = try #require(try inbox.customMessages().first)
        #expect(try inbox.end(entry, as: .answered, at: noon))
        try inbox.write { try SQLiteInbox.write(entry, in: $0) }
        #expect(
            try inbox.apply([.cancel(.customMessage(entry.customMessage.id), expiry: noon)], at: noon)
                == [.tooLate(.customMessage(entry.customMessage.id), state: "answered")])
        #expect(try inbox.customMessages().isEmpty)
        #expect(try inbox.end(entry, as: .missed, at: noon) == false)
    }

    @Test("Custom messages that the disk has lost are told as failed at the next start, once")
    func lost() throws {
        do { _ = try SQLiteInbox(path: path).apply([customMessage("a"), customMessage("b")], at: noon) }
        try change("DELETE FROM custom_message WHERE command = 'a'")
        for _ in 0..<2 {
            let inbox = try recovered()
            #expect(try ends(of: inbox) == ["a failed"])
            #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["b"])
        }
        #expect(told.incidents.withLock { $0 } == 0)
    }

    @Test("A salvage takes custom messages and cancels along, and no command's id for a payment's")
    func salvaged() throws {
        let ids = (1...300).map { "T\($0)" }
        do {
            let inbox = try SQLiteInbox(path: path)
            _ = try inbox.store(try ids.prefix(5).map(payment), at: noon)
            for entry in try inbox.waiting(limit: 9) { try inbox.markAnnounced(entry, at: noon) }
            _ = try inbox.apply(
                [customMessage("a"), .cancel(.customMessage(try CommandID("early")), expiry: .distant)], at: noon)
            let commands = try (1...200).map { CommandArrival.once(try CommandID("C\($0)"), expiry: .distant) }
            _ = try inbox.apply(commands, at: noon)
            _ = try inbox.store([payment("W")], at: noon)
            try inbox.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
        // The page of the receipts, which is read by nothing else.
        let root = try #require(try DamagedFile(path: path).root(ofTable: "receipt"))
        var bytes = try folder.read("inbox.sqlite")
        for index in (root - 1) * 4096..<root * 4096 { bytes[index] = 0xA5 }
        try folder.write(bytes, to: "inbox.sqlite")
        let inbox = try recovered()
        #expect(told.incidents.withLock { $0 } == 1)
        #expect(try inbox.waiting(limit: 9).map(\.notice.id.text) == ["W"])
        #expect(try inbox.customMessages().map(\.customMessage.id.text) == ["a"])
        #expect(try inbox.apply([customMessage("a")], at: noon) == [.duplicate])
        #expect(
            try inbox.apply([customMessage("early")], at: noon) == [
                .cancelled(.customMessage(try CommandID("early")), .beforeItCame)
            ])
        let asked = try inbox.receipts(after: 0, limit: 999).compactMap { receipt in
            let json = try JSONValue(parsing: receipt.payload)
            return json["state"]?.string == "rejected" ? json["id"]?.string : nil
        }
        #expect(asked.isEmpty)
        #expect(try inbox.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM known") } == 0)
    }
}

extension Timestamp {
    fileprivate static let distant = Timestamp(millisecondsSince1970: 1_895_233_600_000)
}
