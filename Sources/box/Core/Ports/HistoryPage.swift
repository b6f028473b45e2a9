/// One notice of the history, and how it ended.
public struct HistoryEntry: Sendable, Equatable {
    public var entry: InboxEntry
    /// When it was announced, counted in a summary or cancelled; `nil` while it waits.
    public var endedAt: Timestamp?
    /// How it was announced; `nil` if that is no longer known, or if nothing was said.
    public var audibility: Audibility?

    public init(_ entry: InboxEntry, endedAt: Timestamp? = nil, audibility: Audibility? = nil) {
        self.entry = entry
        self.endedAt = endedAt
        self.audibility = audibility
    }
}

/// One page of the history.
public struct HistoryPage: Sendable, Equatable {
    /// The notices that match the filter, newest arrival first.
    public var entries: [HistoryEntry]
    /// Pass this as `before` to read the next page. `nil` at the end of the history.
    public var next: Int64?
    /// Rows of this page that cannot be read in either copy; `nil` when all can.
    public var unreadable: UnreadableRows?
    /// How many rows were read, whether or not they match the filter.
    public var examined: Int
    /// The latest known time of arrival among the rows read; `nil` when none of them has one.
    public var latest: Timestamp?

    public init(
        entries: [HistoryEntry] = [], next: Int64? = nil, unreadable: UnreadableRows? = nil, examined: Int = 0,
        latest: Timestamp? = nil
    ) {
        self.entries = entries
        self.next = next
        self.unreadable = unreadable
        self.examined = examined
        self.latest = latest
    }
}

/// Rows of the history that cannot be read. Whether they match a filter is not known.
public struct UnreadableRows: Sendable, Equatable {
    /// At least 1.
    public var count: Int
    /// The lowest of their sequences.
    public var first: Int64

    public init(count: Int, first: Int64) {
        self.count = count
        self.first = first
    }

    public static func + (left: UnreadableRows, right: UnreadableRows) -> UnreadableRows {
        UnreadableRows(count: left.count + right.count, first: min(left.first, right.first))
    }
}
