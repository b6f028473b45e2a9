import SoundboxCore

/// What to do with payments that waited too long.
public enum LatePayments: String, Sendable, CaseIterable {
    /// Speak each, however old.
    case speak
    /// Speak them together: how many, how much.
    case summarise
    /// Say nothing; the receipts report it. What came live is spoken nevertheless.
    case silent
}

/// How long ago a payment's message arrived, and how. Not kept across a restart.
public struct MessageAge: Sendable, Equatable {
    /// Since its arrival, by a clock that is never set.
    public var age: Duration
    /// See ``FeedMessage/isLive``.
    public var isLive: Bool
    /// See ``FeedMessage/expiry``.
    public var expiry: Duration?
    /// How much of ``age`` other sentences and rings have sounded.
    public var behindSentences: Duration

    public init(age: Duration, isLive: Bool, expiry: Duration? = nil, behindSentences: Duration = .zero) {
        self.age = age
        self.isLive = isLive
        self.expiry = expiry
        self.behindSentences = behindSentences
    }
}

/// Which notices are spoken by themselves, and what to do with the others.
///
///     let policy = FreshnessPolicy(expireAfter: .seconds(600), late: .summarise)
///     let isSpoken = policy.isFresh(entry, at: reading)
///
/// Pure; any thread.
public struct FreshnessPolicy: Sendable, Equatable {
    /// Older notices are late.
    public var expireAfter: Duration
    public var late: LatePayments

    public init(expireAfter: Duration, late: LatePayments = .summarise) {
        self.expireAfter = expireAfter
        self.late = late
    }

    /// Whether the notice is spoken by itself.
    ///
    /// Judged by the time of the customer's payment, or by the arrival if the notice has none. In doubt a notice is
    /// fresh, because a payment must not be withheld because of a wrong clock: one from the future, one whose arrival
    /// cannot be compared with now, and every one while the clock is not set. For a live message only a confirmed clock
    /// is trusted more than its arrival, and with ``LatePayments/silent`` none is: one of the two clocks may be wrong,
    /// and then nothing would be heard of it. For a payment that waited, an unconfirmed clock is doubt enough there.
    ///
    /// The time in which other sentences sounded makes no live message late: nobody was offline.
    ///
    /// - Parameter message: `nil` when its arrival is not known any more.
    public func isFresh(_ entry: InboxEntry, _ message: MessageAge? = nil, at now: ClockReading) -> Bool {
        guard late != .speak else { return true }
        let behindSentences = message.map { $0.isLive ? $0.behindSentences : .zero } ?? .zero
        if let message, let expiry = message.expiry, message.age - behindSentences >= expiry { return false }
        guard let time = now.believed, late != .silent || now.trust == .confirmed else { return true }
        if let message, message.isLive, now.trust < .confirmed || late == .silent {
            return message.age - behindSentences <= expireAfter
        }
        guard let then = entry.notice.paidAt ?? now.comparable(entry.receivedAt, entry.clock) else { return true }
        return time.duration(since: then) - behindSentences <= expireAfter
    }
}

extension ClockReading {
    /// A time of arrival, if it can be compared with this reading.
    fileprivate func comparable(_ receivedAt: Timestamp, _ clock: ClockTrust) -> Timestamp? {
        switch clock {
        case .none: nil
        // Arrivals of an earlier run, or from before the clock was set, have lost their trust already.
        case .unconfirmed: receivedAt
        case .confirmed: trust == .confirmed ? receivedAt : nil
        }
    }
}

extension CustomMessageEntry {
    /// Whether it has waited too long to be spoken. Judged by when it was sent, as for a command that comes too late;
    /// by its arrival while the clock is unconfirmed; without a clock by the time that a server has proven.
    package func isTooOld(after limit: Duration, at now: ClockReading) -> Bool {
        guard let time = now.believed ?? now.proven else { return false }
        let arrival = now.trust == .unconfirmed ? now.comparable(receivedAt, clock) : nil
        return time.duration(since: arrival ?? customMessage.at) > limit
    }
}
