import SoundboxCore
import Synchronization

extension InMemoryInbox: PaymentHistory {
    public func history(
        _ filter: HistoryFilter, before sequence: Int64?, limit: Int
    ) throws(InboxError) -> HistoryPage {
        try contents.withLock { contents throws(InboxError) in
            try contents.check()
            let older = contents.entries.filter { $0.sequence < sequence ?? .max }.suffix(max(limit, 1)).reversed()
            var page = HistoryPage(examined: older.count)
            page.next = older.count < max(limit, 1) ? nil : older.last?.sequence
            page.latest = older.filter(\.isTimed).map(\.receivedAt).max()
            page.entries = older.filter(filter.contains).map { entry in
                let end = contents.ends[entry.sequence]
                return HistoryEntry(entry, endedAt: end?.at, manner: end?.manner)
            }
            return page
        }
    }
}
