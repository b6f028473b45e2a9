import SoundboxCore

/// What the kernel says about the wall clock.
package struct ClockSigns: Sendable, Equatable {
    package var now: Timestamp
    /// The kernel follows a time server.
    package var isSynchronised: Bool
    /// Wall clock minus time since boot. Changes only when the clock is set.
    package var offset: Duration
    /// Why the kernel does not say whether it follows a time server; `nil` if it does say.
    package var refusal: String?

    package init(now: Timestamp, isSynchronised: Bool, offset: Duration, refusal: String? = nil) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.offset = offset
        self.refusal = refusal
    }
}

/// Decides how far the wall clock is believed. Pure.
///
/// Every known time is stored as its lead over the time since boot, which never jumps, so it advances by itself.
struct TimeEvidence {
    /// A lower bound of the time.
    private struct Known {
        var time: Timestamp
        var lead: Duration
    }

    /// The lead of the wall clock when a server last confirmed it.
    private var confirmed: Duration?
    /// The latest time that a signed message, an earlier run or a server claims. One message alone is not believed: one
    /// wrong date of a provider would make all other payments late, or silence a box that reaches no time server.
    private var claimed: Known?
    /// The latest time that two messages agree on, or that an earlier run or a server has proven.
    private var agreed: Known?
    /// The latest time that a server has given, in this run or an earlier one.
    private var proven: Known?
    /// Whether ``claimed`` is from a signed message.
    private var wasTaught = false
    /// A notice that did not wait was paid long before the clock's time.
    private var isContradicted = false
    /// The lead that stored arrival times are compared with; `nil` until those of earlier runs were handled.
    private var compared: Duration?

    /// - Parameters:
    ///   - known: the latest time that earlier runs have learned or were given.
    ///   - proven: the latest that a server gave them.
    init(known: Timestamp?, proven: Timestamp?, at signs: ClockSigns) {
        func bound(_ time: Timestamp?) -> Known? {
            time.flatMap { $0 < BoxClock.end ? Known(time: $0, lead: signs.lead(of: $0)) : nil }
        }
        claimed = bound(known)
        agreed = claimed
        self.proven = bound(proven)
    }

    mutating func reading(_ signs: ClockSigns) -> ClockReading {
        if signs.isSynchronised {
            confirmed = signs.offset
        } else if let lead = confirmed, (signs.offset - lead).magnitude >= BoxClock.smallestStep {
            // A clock that loses its server stays right. A clock that is set by hand is no longer confirmed.
            confirmed = nil
        }
        // A server can be wrong too.
        if signs.now >= BoxClock.end { confirmed = nil }
        if confirmed != nil {
            // The server's time replaces what messages have taught.
            claimed = Known(time: signs.now, lead: signs.offset)
            agreed = claimed
            proven = claimed
            wasTaught = false
            isContradicted = false
            return ClockReading(signs.now)
        }
        let (earliest, proven) = (agreed.map { signs.time(at: $0.lead) }, proven.map { signs.time(at: $0.lead) })
        guard !isContradicted, let (time, _) = candidate(signs) else {
            return ClockReading(signs.now, .none, earliest: earliest, proven: proven)
        }
        return ClockReading(time, .unconfirmed, earliest: earliest, proven: proven)
    }

    /// The best guess without a server; `nil` for none.
    private func candidate(_ signs: ClockSigns) -> (time: Timestamp, isOwn: Bool)? {
        let own = BoxClock.beginning <= signs.now && signs.now < BoxClock.end ? signs.now : nil
        if let known = agreed.map({ signs.time(at: $0.lead) }), known > own ?? BoxClock.beginning {
            return (known, false)
        }
        return own.map { ($0, true) }
    }

    /// Learns from the time of a message with a valid signature: now is not earlier, except for an error of the
    /// sender's clock.
    mutating func learn(_ time: Timestamp, _ signs: ClockSigns) {
        // `reading` comes first: it updates `confirmed`.
        guard reading(signs).trust < .confirmed, time < BoxClock.end, time != claimed?.time else { return }
        let known = Known(time: time, lead: signs.lead(of: time) - BoxClock.tolerance)
        let second: Known?
        if known.lead > claimed?.lead ?? signs.lead(of: .distantPast) {
            // Keep the earlier claim as the second witness.
            second = claimed
            claimed = known
            wasTaught = true
        } else {
            second = known
        }
        if let second, second.lead > agreed?.lead ?? signs.lead(of: .distantPast) { agreed = second }
    }

    /// Learns from the time of a notice that did not wait at the broker: its customer has just paid.
    mutating func arrived(paidAt: Timestamp, _ signs: ClockSigns) {
        guard reading(signs).trust < .confirmed, let (time, _) = candidate(signs) else { return }
        isContradicted = time.duration(since: paidAt) > BoxClock.tolerance
    }

    // MARK: Steps

    /// The step since the last ``compare(by:)``, if earlier arrivals now seem older than they are; see
    /// ``BoxClock/Step``.
    mutating func step(_ signs: ClockSigns) -> (BoxClock.Step, lead: Duration)? {
        let lead = signs.lead(of: reading(signs).time)
        guard let compared else { return (.start, lead) }
        guard lead - compared < BoxClock.smallestStep else { return (.forward, lead) }
        self.compared = lead
        return nil
    }

    mutating func compare(by lead: Duration) { compared = lead }

    // MARK: In words

    /// How far the system's clock is behind what signed messages prove; `nil` if it is not.
    mutating func lag(_ signs: ClockSigns) -> Duration? {
        guard reading(signs).trust < .confirmed, wasTaught, let agreed else { return nil }
        let lag = agreed.lead - signs.offset
        return lag > .zero ? lag : nil
    }

    mutating func state(_ signs: ClockSigns) -> ClockState {
        let reading = reading(signs)
        if reading.trust == .confirmed { return .synchronised }
        if signs.now >= BoxClock.end { return .wrong }
        if isContradicted { return .doubtful }
        guard let (_, isOwn) = candidate(signs) else { return .unset }
        return isOwn ? .unconfirmed : .behind
    }
}

extension ClockSigns {
    /// The time at a lead over the time since boot.
    fileprivate func time(at lead: Duration) -> Timestamp { now + (lead - offset) }

    fileprivate func lead(of time: Timestamp) -> Duration { offset + time.duration(since: now) }
}

extension Timestamp {
    fileprivate static let distantPast = Timestamp(millisecondsSince1970: -62_167_219_200_000)
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
