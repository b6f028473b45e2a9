import Dispatch
import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

extension SQLiteInbox {
    /// How long a payment that arrives waits for the history before it is refused. The broker keeps it and sends it
    /// again; the feed's thread is not held for so long that the watchdog would end the box.
    static let patience = 5
    /// Bytes that the history leaves to payments that arrive.
    static let reserve = 16 << 20
    /// Between two attempts to go on when there was no room.
    static let pauseWithoutRoom = 5

    /// Blocks while the history of a damaged database is being saved, a few seconds at most.
    func awaitHistory() throws(InboxError) {
        guard !history.wait(.seconds(Self.patience)) else { return }
        throw historyIsMissing
    }

    var historyIsMissing: InboxError {
        .failed(
            path: path,
            reason:
                "it was damaged, and earlier payments are still being saved; until then it cannot be told which are new"
        )
    }

    /// Goes on saving the history of damaged databases, on a thread of its own, until all of it is saved. Payments that
    /// arrive are held back meanwhile, unless there is no room for the whole history: then the newest part is known, and
    /// the box goes on, since a payment that is spoken twice is better than none.
    func saveHistory() {
        guard history.begin() else { return }
        startThread(named: "salvage") { [weak self] in
            var transfer: HistoryTransfer?
            while let pause = self?.saveHistoryPart(&transfer) {
                if pause > 0 { sleep(UInt32(pause)) }
            }
        }
    }

    /// - Returns: seconds until it is to be called again; `nil` when nothing is left to be done.
    private func saveHistoryPart(_ transfer: inout HistoryTransfer?) -> Int? {
        guard let repair = connection.withLock({ $0.repair }) else { return nil }
        do {
            guard freeBytes() >= repair.reserve else {
                history.open()
                repair.historyChanged(
                    "there is no room to save earlier payments from the damaged database: one that is sent again may be "
                        + "spoken again; free some space")
                return Self.pauseWithoutRoom
            }
            if transfer == nil { transfer = try read { [path] in try HistoryTransfer(in: $0, beside: path) } }
            guard let current = transfer else {
                try finishHistory(repair)
                return nil
            }
            let part = try write { try current.save(into: $0, at: repair.now()) }
            switch part {
            case .payments: try repair.step(.historyPartlySaved)
            case .ids: try repair.step(.historySaved)
            case .end:
                note(try read { try Self.summary(of: $0) } ?? "the history was saved")
                transfer = nil
            }
            return 0
        } catch let error as InboxError {
            // What a transaction did not commit is done again from where it began.
            transfer = nil
            repair.historyChanged("earlier payments are not yet saved from the damaged database: \(error)")
            return Self.patience
        } catch {
            // Only a step that a test ends throws anything else.
            return nil
        }
    }

    private func finishHistory(_ repair: Repair) throws {
        try repair.step(.finished)
        repair.historyChanged(nil)
        history.end()
    }

    /// What the last salvage has saved, in one line.
    private static func summary(of database: Database) throws -> String? {
        try Row.fetchOne(
            database, sql: "SELECT source, waiting, notices, ids FROM salvage ORDER BY number DESC LIMIT 1"
        ).map { row in
            let cells = row.cells
            return
                "from the damaged database \(cells[0].text ?? "") were saved: \(cells[1].integer ?? 0) payments that "
                + "waited, \(cells[2].integer ?? 0) others, and of \(cells[3].integer ?? 0) more the id"
        }
    }

    private func freeBytes() -> Int {
        var room = statvfs()
        guard statvfs(path, &room) == 0 else { return .max }
        return Int(room.f_bavail) * Int(room.f_frsize)
    }
}
