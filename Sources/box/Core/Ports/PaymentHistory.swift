/// All notices that have arrived, whatever their state, as far back as the inbox keeps them. The inbox implements it.
///
///     var page = try inbox.history(HistoryFilter(), before: nil, limit: 100)
///     while let next = page.next {
///         page = try inbox.history(HistoryFilter(), before: next, limit: 100)
///     }
///
/// It is read in pages of bounded work: the history may hold millions of rows, and payments that arrive meanwhile must
/// not wait for its end.
public protocol PaymentHistory: Sendable {
    /// Reads the newest rows below a sequence. Blocks on the disk. Any thread.
    ///
    /// - Parameters:
    ///   - sequence: `nil` for the newest rows of all.
    ///   - limit: how many rows to read, at least 1; the page contains those of them that match the filter.
    func history(
        _ filter: HistoryFilter, before sequence: Int64?, limit: Int
    ) throws(InboxError) -> HistoryPage
}
