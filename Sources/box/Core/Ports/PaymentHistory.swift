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

/// Which notices of the history to return. A field that is empty or `nil` excludes nothing.
///
///     var filter = HistoryFilter(from: morning, to: evening)
///     filter.channels = ["alipay"]
///     let page = try inbox.history(filter, before: nil, limit: 100)
public struct HistoryFilter: Sendable, Equatable {
    /// Arrived at this time or later.
    public var from: Timestamp?
    /// Arrived before this time.
    public var to: Timestamp?
    /// Whether to include notices whose time of arrival is not known. Matters only with ``from`` or ``to``, which
    /// exclude them otherwise.
    public var includesUntimed = false
    /// Compared byte for byte, as the provider writes them.
    public var channels: [String] = []
    public var currencies: [Currency] = []
    public var kinds: [PaymentNotice.Kind] = []
    public var states: [NoticeState] = []
    /// Compared as a number: 12.5 equals 12.50.
    public var amount: DecimalNumber?
    /// How the id ends, byte for byte: the part that a receipt or a customer's screen shows.
    public var idEnding: String?

    public init(from: Timestamp? = nil, to: Timestamp? = nil) {
        self.from = from
        self.to = to
    }

    public func contains(_ entry: InboxEntry) -> Bool {
        let notice = entry.notice
        return containsTime(of: entry)
            && (channels.isEmpty
                || notice.channel.map { name in channels.contains { $0.utf8.elementsEqual(name.utf8) } } == true)
            && (currencies.isEmpty || currencies.contains(notice.money.currency))
            && (kinds.isEmpty || kinds.contains(notice.kind)) && (states.isEmpty || states.contains(entry.state))
            && (amount.map { notice.money.amount == $0 } ?? true)
            && (idEnding.map { notice.id.text.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) } ?? true)
    }

    private func containsTime(of entry: InboxEntry) -> Bool {
        guard from != nil || to != nil else { return true }
        guard entry.isTimed else { return includesUntimed }
        return from.map { entry.receivedAt >= $0 } ?? true && to.map { entry.receivedAt < $0 } ?? true
    }
}

extension InboxEntry {
    /// Whether its time of arrival is known: the clock was trusted then and has not been doubted since.
    public var isTimed: Bool { clock > .none }
}

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
