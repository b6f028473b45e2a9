import Foundation
import GRDB
import SoundboxCore
import Synchronization
import TestSupport

@testable import SoundboxStore

/// An inbox with a history, to be damaged and opened again and again.
struct DamagedInbox {
    let folder: TemporaryFolder
    let path: String
    /// Keys of what waits, oldest first, and of what has ended. One in ten is the refund of the payment before it.
    let waiting: [String]
    let ended: [String]
    let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private let files: [String: [UInt8]]

    /// What the box was told.
    final class Told: Sendable {
        let incidents = Mutex<[StorageIncident]>([])
        let lines = Mutex<[String]>([])
    }
    let told = Told()

    private struct Shape: Hashable {
        var ended: Int
        var waiting: Int
        var keepsLog: Bool
    }

    /// Of each shape that some test has asked for: filling one takes longer than most tests of it.
    private static let filled = Mutex<[Shape: [String: [UInt8]]]>([:])

    /// Its files are as they were while it was open, which is what a kill leaves.
    /// - Parameter keepsLog: leaves the last commits in the write-ahead log.
    init(ended endedCount: Int, waiting waitingCount: Int, keepsLog: Bool = false) throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.file("inbox.sqlite")
        let ids = (1...endedCount + waitingCount).map { $0 % 10 == 3 ? "\(PaymentID.refundMark)T\($0 - 1)" : "T\($0)" }
        (ended, waiting) = (Array(ids.prefix(endedCount)), Array(ids.suffix(waitingCount)))
        let shape = Shape(ended: endedCount, waiting: waitingCount, keepsLog: keepsLog)
        files = try Self.filled.withLock { [ended, waiting, noon] filled in
            if let files = filled[shape] { return files }
            let files = try Self.fill(ended: ended, waiting: waiting, keepsLog: keepsLog, at: noon)
            filled[shape] = files
            return files
        }
        try restore()
    }

    private static func fill(
        ended: [String], waiting: [String], keepsLog: Bool, at noon: Timestamp
    ) throws -> [String: [UInt8]] {
        let folder = try TemporaryFolder(inMemory: true)
        let inbox = try SQLiteInbox(path: folder.file("inbox.sqlite"))
        try store(ended, in: inbox, at: noon)
        for entry in try inbox.waiting(limit: ended.count) {
            // One in seven was told in a summary.
            if entry.sequence % 7 == 0 { try inbox.markExpired([entry], at: noon) }
            try inbox.markAnnounced(entry, at: noon)
        }
        if !keepsLog { try inbox.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        try store(waiting, in: inbox, at: noon)
        try inbox.removeReceipts(try inbox.receipts(after: 0, limit: 9999).dropLast(50).map(\.sequence))
        if !keepsLog { try inbox.queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        return try Dictionary(
            uniqueKeysWithValues: ["", "-wal"].map { ("inbox.sqlite" + $0, try folder.read("inbox.sqlite" + $0)) })
    }

    private static func store(_ ids: [String], in inbox: SQLiteInbox, at now: Timestamp) throws {
        for start in stride(from: 0, to: ids.count, by: 20) {
            _ = try inbox.store(
                try ids[start..<min(start + 20, ids.count)].map { .notice(try notice($0)) }, at: now)
        }
    }

    static func notice(_ key: String) throws -> PaymentNotice {
        guard let id = PaymentID(key: key) else { throw TestFailure("no key: \(key)") }
        return PaymentNotice(
            id: id, money: try Money("\(id.text.dropFirst()).\(id.isRefund ? 25 : 5)", .CNY),
            kind: id.isRefund ? .refund : .payment, channel: "alipay")
    }

    var pages: Int { (files["inbox.sqlite"] ?? []).count / 4096 }
    var logBytes: Int { (files["inbox.sqlite-wal"] ?? []).count }

    /// Of the frames that the log holds since it was last begun anew: which of them end a transaction.
    var logFrames: [Bool] {
        let log = files["inbox.sqlite-wal"] ?? []
        let starts = stride(from: 32, to: log.count - 4119, by: 4120)
        return starts.prefix { log[$0 + 8..<$0 + 16] == log[16..<24] }.map { log[$0 + 4..<$0 + 8] != [0, 0, 0, 0] }
    }

    /// Puts the files back as they were before any damage. What was opened before must have been closed: whoever closes
    /// a database last deletes the log at its path, and that would be the new one.
    func restore() throws {
        for name in try folder.names() { try folder.remove(name) }
        for (name, bytes) in files where !bytes.isEmpty { try folder.write(bytes, to: name) }
        told.incidents.withLock { $0 = [] }
    }

    func change(_ name: String = "inbox.sqlite", _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try folder.read(name)
        body(&bytes)
        try folder.write(bytes, to: name)
    }

    func open(
        isExpected: Bool = true, reserve: Int = 0, step: @escaping @Sendable (SalvageStep) throws -> Void = { _ in },
        willRead: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> SQLiteInbox {
        let repair = SQLiteInbox.Repair(
            now: { [noon] in noon }, happened: { [told] incident in told.incidents.withLock { $0.append(incident) } },
            step: step, willRead: willRead, reserve: reserve, pause: .zero)
        return try SQLiteInbox.recovering(path: path, isExpected: isExpected, repair) { [told] line in
            told.lines.withLock { $0.append(line) }
        }
    }

    /// What an inbox holds.
    struct Content: Equatable {
        /// By keys, as everything here.
        var waiting: [String]
        /// Those that have ended, whole.
        var ended: Set<String>
        /// Those of which only the id is known.
        var known: Set<String>
    }

    func content(of inbox: SQLiteInbox) throws -> Content {
        let entries = try inbox.waiting(limit: 1_000_000)
        for entry in entries where entry.notice != (try Self.notice(entry.notice.id.key)) {
            throw TestFailure("a payment that was never made: \(entry)")
        }
        return try inbox.read { database in
            Content(
                waiting: entries.map(\.notice.id.key),
                ended: try Set(
                    String.fetchAll(
                        database,
                        sql: "SELECT payment_id FROM notice WHERE sequence NOT IN (SELECT sequence FROM waiting)")),
                known: try Set(String.fetchAll(database, sql: "SELECT payment_id FROM known")))
        }
    }

    var whole: Content { Content(waiting: waiting, ended: Set(ended), known: []) }
}
