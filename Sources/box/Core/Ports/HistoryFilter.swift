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
