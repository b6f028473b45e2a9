/// Which notices are still news.
public struct FreshnessPolicy: Sendable, Equatable {
    /// Older notices are told in one summary and not read out one by one.
    public var expireAfter: Duration

    public init(expireAfter: Duration) {
        self.expireAfter = expireAfter
    }

    /// Judged by when the customer paid, or by arrival when the notice does not say.
    ///
    /// A notice from the future is fresh: a box without a clock battery boots in the past, and a payment must not be
    /// withheld for that.
    public func isFresh(_ entry: InboxEntry, at now: Timestamp) -> Bool {
        now.duration(since: entry.notice.paidAt ?? entry.receivedAt) <= expireAfter
    }
}
