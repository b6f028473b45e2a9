import GRDB
import TestSupport

/// What an inbox holds, read beside the box and past its code.
struct Ledger {
    struct Entry: Equatable {
        var id: String
        var amount: String
    }

    /// In order of arrival.
    var announced: [Entry] = []
    /// The numbers of the announcements, in order of arrival.
    var numbers: [Int] = []
    var waiting = 0
    var receiptsWaiting = 0
    /// The highest number that a receipt was given.
    var lastReceipt: Int?

    init(reading path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        (announced, numbers, waiting, receiptsWaiting, lastReceipt) = try queue.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT payment_id, amount, announced_number FROM notice WHERE state = 'announced' ORDER BY sequence
                    """)
            return (
                rows.map { Entry(id: $0["payment_id"], amount: $0["amount"]) }, rows.map { $0["announced_number"] },
                try Int.fetchOne(database, sql: "SELECT count(*) FROM notice WHERE state <> 'announced'") ?? -1,
                try Int.fetchOne(database, sql: "SELECT count(*) FROM receipt") ?? -1,
                try Int.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'receipt'")
            )
        }
    }
}
