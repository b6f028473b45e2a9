/// What is done with payments that waited too long.
public enum LatePayments: String, Sendable, CaseIterable {
    /// Each is spoken, however old.
    case speak
    /// They are told together: how many, how much.
    case summarise
    /// Nothing is said; the receipts say so.
    case silent
}

/// Which notices are still news, and what becomes of the others.
public struct FreshnessPolicy: Sendable, Equatable {
    /// Older notices are no news.
    public var expireAfter: Duration
    public var late: LatePayments

    public init(expireAfter: Duration, late: LatePayments = .summarise) {
        self.expireAfter = expireAfter
        self.late = late
    }

    /// Whether the notice is spoken by itself.
    ///
    /// Judged by when the customer paid, or by arrival when the notice does not say. In doubt a notice is fresh, since a
    /// payment must not be withheld for a wrong clock: one from the future, one that arrived while the clock was not
    /// set, and every one while it is not.
    ///
    /// - Parameter now: `nil` while the clock is not set, as in a box without a clock battery before it has the time
    ///   from the network.
    public func isFresh(_ entry: InboxEntry, at now: Timestamp?) -> Bool {
        guard let now, late != .speak, let time = entry.notice.paidAt ?? entry.arrival else { return true }
        return now.duration(since: time) <= expireAfter
    }
}

extension InboxEntry {
    /// When it arrived, as far as that can be believed.
    fileprivate var arrival: Timestamp? { clockWasSet ? receivedAt : nil }
}
