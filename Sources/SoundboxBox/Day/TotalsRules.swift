import SoundboxCore

/// Counts a range of the history from its newest row back, in looks of bounded work.
public struct TotalsWalk: Sendable {
    /// How many rows one look takes.
    public static let pageRows = 500

    /// What is counted: from ``from`` on, and before ``to``.
    public let from: Timestamp?
    public let to: Timestamp?
    public private(set) var totals = Totals()
    /// Where the next look begins; `nil` for the newest row before the first look, and at the end.
    public private(set) var next: Int64?
    /// Nothing further back is of the range.
    public private(set) var isComplete = false
    public private(set) var examined = 0
    private let filter: HistoryFilter
    private let now: Timestamp?

    /// - Parameters:
    ///   - filter: its times are the range; what it leaves out is not counted.
    ///   - now: nothing has come later, whatever a row says; `nil` while the clock is not believed.
    ///   - sequence: where to begin; `nil` for the newest row.
    public init(_ filter: HistoryFilter, now: Timestamp?, before sequence: Int64? = nil) {
        self.now = now
        from = filter.from
        to = filter.to
        var filter = filter
        // What is later or earlier tells of what has no time.
        (filter.from, filter.to) = (nil, nil)
        self.filter = filter
        next = sequence
    }

    /// Looks once more. Blocks for as long as the disk takes.
    public mutating func step(in history: some PaymentHistory) throws(InboxError) {
        guard !isComplete else { return }
        let page = try history.history(filter, before: next, limit: Self.pageRows)
        totals.add(earlier: page, from: from, to: to, now: now)
        next = page.next
        examined += page.examined
        isComplete = page.next == nil || Self.isBehind(page, from: from)
    }

    /// Rows are in the order of arrival, whatever the clock showed. A whole page of them from before the range tells that
    /// the clock was not just wrong for a while.
    public static func isBehind(_ page: HistoryPage, from: Timestamp?) -> Bool {
        guard let from, let latest = page.latest, page.examined >= pageRows else { return false }
        return latest < from
    }
}
