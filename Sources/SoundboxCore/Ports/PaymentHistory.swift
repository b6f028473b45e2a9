/// What has arrived, whatever became of it, as far back as the inbox remembers. The inbox is one.
///
/// It is read in pages, each of them a look of bounded work: the history may hold millions of rows, and payments that
/// arrive meanwhile do not wait for its end.
public protocol PaymentHistory: Sendable {
    /// Looks at the newest rows below a sequence. Blocks for as long as the disk takes.
    ///
    /// - Parameters:
    ///   - sequence: `nil` for the newest rows of all.
    ///   - limit: how many rows are looked at, at least 1; the page holds those of them that the filter lets through.
    func history(
        _ filter: HistoryFilter, before sequence: Int64?, limit: Int
    ) throws(InboxError) -> HistoryPage
}
