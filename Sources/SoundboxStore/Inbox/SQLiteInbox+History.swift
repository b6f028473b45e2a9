import Dispatch
import GRDB
import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

extension SQLiteInbox {
    /// How long an arriving payment waits for the history before it is refused. The broker keeps it and sends it again. A
    /// longer wait would hold the feed's thread until the watchdog ends the box.
    static let patience = 5
    /// The bytes on the disk that the history leaves for new payments.
    static let reserve = 16 << 20
    /// The pause between two attempts when there is no room.
    static let pauseWithoutRoom = 5

    /// Blocks while the history of a damaged database is being saved, for ``patience`` at most.
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

    /// Saves the history of damaged databases on a thread of its own, until all of it is saved. Arriving payments are held
    /// back in the meantime. Without room for the whole history, the box goes on with its newest part: a payment spoken
    /// twice is better than none.
    func saveHistory() {
        guard history.begin() else { return }
        startThread(named: "salvage") { [weak self] in
            var transfer: HistoryTransfer?
            while let pause = self?.saveHistoryPart(&transfer) {
                if pause > 0 { sleep(UInt32(pause)) }
            }
        }
    }

    /// - Returns: seconds until the next call; `nil` when nothing is left to do.
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
            // What was not committed is done again.
            transfer = nil
            repair.historyChanged("earlier payments are not yet saved from the damaged database: \(error)")
            return Self.patience
        } catch {
            // Only a test's step throws anything else.
            return nil
        }
    }

    private func finishHistory(_ repair: Repair) throws {
        try repair.step(.finished)
        repair.historyChanged(nil)
        history.end()
    }

    /// One line about what the last salvage has saved.
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
