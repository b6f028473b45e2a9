/// What is done with payments that waited too long.
public enum LatePayments: String, Sendable, CaseIterable {
    /// Each is spoken, however old.
    case speak
    /// They are told together: how many, how much.
    case summarise
    /// Nothing is said; the receipts say so.
    case silent
}

/// How long ago the message that brought a payment arrived, and how. A restart forgets it.
public struct MessageAge: Sendable, Equatable {
    /// Since it arrived, by a clock that is never set.
    public var age: Duration
    /// As in ``FeedMessage/isLive``.
    public var isLive: Bool
    /// As in ``FeedMessage/expiry``.
    public var expiry: Duration?

    public init(age: Duration, isLive: Bool, expiry: Duration? = nil) {
        self.age = age
        self.isLive = isLive
        self.expiry = expiry
    }
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
    /// Judged by when the customer paid, or by arrival when the notice does not say. In doubt a notice is fresh, since
    /// a payment must not be withheld for a wrong clock: one from the future, one whose arrival cannot be compared with
    /// now, and every one while the clock is not set. Of one that came live only a confirmed clock knows better than
    /// its arrival. Where nothing would be said of it, an unconfirmed clock is doubt enough.
    ///
    /// - Parameter message: `nil` when nothing is remembered of it.
    public func isFresh(_ entry: InboxEntry, _ message: MessageAge? = nil, at now: ClockReading) -> Bool {
        guard late != .speak else { return true }
        if let message, let expiry = message.expiry, message.age >= expiry { return false }
        guard let time = now.believed, late != .silent || now.trust == .confirmed else { return true }
        if let message, message.isLive, now.trust < .confirmed { return message.age <= expireAfter }
        guard let then = entry.notice.paidAt ?? now.comparable(entry.receivedAt, entry.clock) else { return true }
        return time.duration(since: then) <= expireAfter
    }
}

extension ClockReading {
    /// A time of arrival, if it can be compared with this one.
    fileprivate func comparable(_ receivedAt: Timestamp, _ clock: ClockTrust) -> Timestamp? {
        switch clock {
        case .none: nil
        // What is left of an earlier run, or of before a step, is told that it has no trust any more.
        case .unconfirmed: receivedAt
        case .confirmed: trust == .confirmed ? receivedAt : nil
        }
    }
}

extension CustomMessageEntry {
    /// Whether it waited for so long that it is not to be said any more. Judged by when it was sent, as whether it came
    /// in time; by its arrival while nobody has confirmed the clock; without a clock by what is known for certain.
    package func isTooOld(after limit: Duration, at now: ClockReading) -> Bool {
        guard let time = now.believed ?? now.earliest else { return false }
        let arrival = now.trust == .unconfirmed ? now.comparable(receivedAt, clock) : nil
        return time.duration(since: arrival ?? customMessage.at) > limit
    }
}
