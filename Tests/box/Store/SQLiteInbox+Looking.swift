import GRDB
import SoundboxCore

@testable import SoundboxStore

/// What tests ask of an inbox's own connection.
extension SQLiteInbox {
    /// `journal_mode` and `synchronous`, as they are in force.
    func durability() throws(InboxError) -> (journalMode: String, synchronous: Int) {
        try read { database in
            (
                try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? "",
                try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
            )
        }
    }

    func bytesInUse() throws(InboxError) -> Int { try read { try Self.bytesInUse($0) } }
}
