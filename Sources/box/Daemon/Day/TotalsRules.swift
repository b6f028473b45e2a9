import SoundboxCore

/// Counts a range of the history from its newest row back, in bounded steps:
///
///     var walk = TotalsWalk(HistoryFilter(from: day.start, to: day.end), now: clock.reading.believed)
///     while !walk.isComplete { try walk.step(in: history) }
///     return walk.totals
struct TotalsWalk: Sendable {
    /// How many rows one step reads.
    static let pageRows = 500

    /// The range starts here, this time included; `nil` for no bound.
    let from: Timestamp?
    /// The range ends before this time; `nil` for no bound.
    let to: Timestamp?
    private(set) var totals = Totals()
    /// The next step reads rows before this sequence; `nil` for the newest row at the start, and at the end.
    private(set) var next: Int64?
    /// No earlier row is in the range.
    private(set) var isComplete = false
    private(set) var examined = 0
    private let filter: HistoryFilter
    private let now: Timestamp?

    /// - Parameters:
    ///   - filter: its times are the range; rows that it leaves out are not counted.
    ///   - now: no row counts as later than this, whatever its time says; `nil` while the clock is not believed.
    ///   - sequence: count rows before this one; `nil` for all.
    init(_ filter: HistoryFilter, now: Timestamp?, before sequence: Int64? = nil) {
        self.now = now
        from = filter.from
        to = filter.to
        var filter = filter
        // Rows outside the range help to place rows without a time.
        (filter.from, filter.to) = (nil, nil)
        self.filter = filter
        next = sequence
    }

    /// Reads the next ``pageRows`` rows. Blocks on the disk.
    mutating func step(in history: some PaymentHistory) throws(InboxError) {
        guard !isComplete else { return }
        let page = try history.history(filter, before: next, limit: Self.pageRows)
        totals.add(earlier: page, from: from, to: to, now: now)
        next = page.next
        examined += page.examined
        isComplete = page.next == nil || Self.isBehind(page, from: from)
    }

    /// Whether a page lies before the range. Rows are in the order of arrival, whatever the clock showed. A whole page
    /// from before the range shows that the clock was not only briefly wrong.
    static func isBehind(_ page: HistoryPage, from: Timestamp?) -> Bool {
        guard let from, let latest = page.latest, page.examined >= pageRows else { return false }
        return latest < from
    }
}
