import GRDB
import SoundboxCore
import SoundboxSystem
import Synchronization

extension SQLiteInbox {
    /// Ensures that the open file is the one at the path. A file that was deleted or moved away stays complete while it
    /// is open, so it is written to its path again.
    func stayInPlace() throws(InboxError) {
        let (queue, identity, repair) = connection.withLock { ($0.queue, $0.identity, $0.repair) }
        guard let change = identity?.change(at: path) else { return }
        guard let repair else { throw .failed(path: path, reason: change) }
        try replacing.withLock { (_) throws(InboxError) in
            // Another thread has done it in the meantime.
            guard connection.withLock({ $0.queue === queue && $0.damage == nil }) else { return }
            do { try rebuild(from: queue, because: change, repair) } catch {
                throw .failed(
                    path: path, reason: "\(change), and it cannot be written anew: \(failure(error).reason)")
            }
        }
    }

    private func rebuild(from queue: DatabaseQueue, because change: String, _ repair: Repair) throws {
        FileSwap.removeUnfinished(path)
        let swap = FileSwap.new(path: path, purpose: .rebuilt, stamp: repair.now().stamp)
        do {
            let copy = try DatabaseQueue(path: FileSwap.unfinished(path), configuration: Configuration())
            // In WAL mode the copy would have a log beside it.
            try queue.backup(to: copy)
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            try swap.announce()
        } catch {
            FileSwap.removeUnfinished(path)
            throw error
        }
        // From here on the new file is the valid one. If the swap fails, the next request finishes it.
        connection.withLock {
            $0.damage = change
            $0.identity = nil
        }
        // Closed before the renames, because closing removes a log by its name.
        try? queue.close()
        try swap.perform(repair.step)
        try goOn(with: try Self.open(path), repair)
        let stood = FileIdentity.exists(swap.kept) ? swap.kept : nil
        repair.happened(.displaced(reason: change, kept: stood))
    }
}
