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
    /// payment must not be withheld for a wrong clock: one from the future, one whose arrival cannot be compared with
    /// now, and every one while the clock is not set. Where nothing would be said of it, an unconfirmed clock is doubt
    /// enough.
    public func isFresh(_ entry: InboxEntry, at now: ClockReading) -> Bool {
        guard late != .speak, let time = now.believed, late != .silent || now.trust == .confirmed,
            let then = entry.notice.paidAt ?? entry.arrival(comparableWith: now)
        else { return true }
        return time.duration(since: then) <= expireAfter
    }
}

extension InboxEntry {
    fileprivate func arrival(comparableWith now: ClockReading) -> Timestamp? {
        switch clock {
        case .none: nil
        // What is left of an earlier run, or of before a step, is told that it has no trust any more.
        case .unconfirmed: receivedAt
        case .confirmed: now.trust == .confirmed ? receivedAt : nil
        }
    }
}

extension ErrandEntry {
    /// Whether it waited for so long that it is not to be said any more. Judged by when it was sent, as whether it came
    /// in time; without a clock by what is known for certain.
    func isTooOld(after limit: Duration, at now: ClockReading) -> Bool {
        guard let time = now.believed ?? now.earliest else { return false }
        return time.duration(since: errand.at) > limit
    }
}
