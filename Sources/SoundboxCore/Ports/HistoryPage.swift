/// One notice of the history, and how it ended.
public struct HistoryEntry: Sendable, Equatable {
    public var entry: InboxEntry
    /// When it was announced, told in a summary or cancelled; `nil` while it waits.
    public var endedAt: Timestamp?
    /// How it was told; `nil` where that is not known any more, or nothing was told.
    public var audibility: Audibility?

    public init(_ entry: InboxEntry, endedAt: Timestamp? = nil, audibility: Audibility? = nil) {
        self.entry = entry
        self.endedAt = endedAt
        self.audibility = audibility
    }
}

/// What one look into the history found.
public struct HistoryPage: Sendable, Equatable {
    /// Those that the filter lets through, newest arrival first.
    public var entries: [HistoryEntry]
    /// Where the next look begins: below this sequence. `nil` at the end of the history.
    public var next: Int64?
    /// Rows among those looked at that cannot be read, neither they nor their second copy; `nil` when all can.
    public var unreadable: UnreadableRows?
    /// How many rows were looked at, whether or not the filter lets them through.
    public var examined: Int
    /// The latest known time of arrival among the rows looked at; `nil` when none of them has one.
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

/// Rows of the history that cannot be read. Nobody knows whether a filter would let them through.
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
