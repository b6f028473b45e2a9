import SoundboxCore

/// What the wall clock is judged by.
package struct ClockSigns: Sendable, Equatable {
    package var now: Timestamp
    /// The kernel follows a time server.
    package var isSynchronised: Bool
    /// Wall clock minus time since boot. Changes only when somebody sets the clock.
    package var offset: Duration
    /// Why the kernel does not say whether it follows one; `nil` when it does say.
    package var refusal: String?

    package init(now: Timestamp, isSynchronised: Bool, offset: Duration, refusal: String? = nil) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.offset = offset
        self.refusal = refusal
    }
}

/// Decides how far the wall clock is believed, from all that has been seen of the time: pure.
///
/// Every time that is known is kept as its lead over the time since boot, which never jumps. So it goes on by itself.
struct TimeEvidence {
    /// What somebody who can be believed has shown: it is this late, or later.
    private struct Known {
        var time: Timestamp
        var lead: Duration
    }

    /// The lead of the wall clock when a server last confirmed it.
    private var confirmed: Duration?
    /// The latest time that anybody claims. One message alone is not believed: one wrong date of a provider would
    /// otherwise make all other payments late, or silence a box that reaches no time server.
    private var claimed: Known?
    /// The latest time that two witnesses agree on.
    private var agreed: Known?
    /// Whether ``claimed`` is from a signed message.
    private var wasTaught = false
    /// A notice that had not waited was paid long before the clock's time.
    private var isContradicted = false
    /// The lead that stored times of arrival are compared by; `nil` until those of earlier runs have been dealt with.
    private var compared: Duration?

    /// - Parameter known: what earlier runs have known for certain.
    init(known: Timestamp?, at signs: ClockSigns) {
        guard let known, known < BoxClock.end else { return }
        claimed = Known(time: known, lead: signs.lead(of: known))
        agreed = claimed
    }

    mutating func reading(_ signs: ClockSigns) -> ClockReading {
        if signs.isSynchronised {
            confirmed = signs.offset
        } else if let lead = confirmed, (signs.offset - lead).magnitude >= BoxClock.smallestStep {
            // Out of reach of its server a clock stays right. Set by hand it is nobody's any more.
            confirmed = nil
        }
        // A server may be wrong as well.
        if signs.now >= BoxClock.end { confirmed = nil }
        if confirmed != nil {
            // Whoever taught it another time was wrong.
            claimed = Known(time: signs.now, lead: signs.offset)
            agreed = claimed
            wasTaught = false
            isContradicted = false
            return ClockReading(signs.now)
        }
        let earliest = agreed.map { signs.time(at: $0.lead) }
        guard !isContradicted, let (time, _) = candidate(signs) else {
            return ClockReading(signs.now, .none, earliest: earliest)
        }
        return ClockReading(time, .unconfirmed, earliest: earliest)
    }

    /// The best guess without a server; `nil` when there is none.
    private func candidate(_ signs: ClockSigns) -> (time: Timestamp, isOwn: Bool)? {
        let own = BoxClock.beginning <= signs.now && signs.now < BoxClock.end ? signs.now : nil
        if let known = agreed.map({ signs.time(at: $0.lead) }), known > own ?? BoxClock.beginning {
            return (known, false)
        }
        return own.map { ($0, true) }
    }

    /// Takes the time of a message whose signature fits: it cannot be earlier now than it was then, but for what its
    /// sender's clock may be ahead.
    mutating func learn(_ time: Timestamp, _ signs: ClockSigns) {
        // Confirms what is confirmed, first.
        guard reading(signs).trust < .confirmed, time < BoxClock.end, time != claimed?.time else { return }
        let known = Known(time: time, lead: signs.lead(of: time) - BoxClock.tolerance)
        let second: Known?
        if known.lead > claimed?.lead ?? signs.lead(of: .distantPast) {
            // The clock shows a later time already: nothing is learned of it, and two of this kind still agree.
            second = claimed
            claimed = known
            wasTaught = true
        } else {
            second = known
        }
        if let second, second.lead > agreed?.lead ?? signs.lead(of: .distantPast) { agreed = second }
    }

    /// Takes the time of a notice that did not wait at the broker: its customer has paid just now.
    mutating func arrived(paidAt: Timestamp, _ signs: ClockSigns) {
        guard reading(signs).trust < .confirmed, let (time, _) = candidate(signs) else { return }
        isContradicted = time.duration(since: paidAt) > BoxClock.tolerance
    }

    // MARK: Steps

    /// Whether what arrived before seems older than it is; see ``BoxClock/step``.
    mutating func step(_ signs: ClockSigns) -> (BoxClock.Step, lead: Duration)? {
        let lead = signs.lead(of: reading(signs).time)
        guard let compared else { return (.start, lead) }
        guard lead - compared < BoxClock.smallestStep else { return (.forward, lead) }
        self.compared = lead
        return nil
    }

    mutating func compare(by lead: Duration) { compared = lead }

    // MARK: In words

    /// How far the system's clock is behind what signed messages have shown; `nil` when it is not.
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
    /// The time at that lead over the time since boot.
    fileprivate func time(at lead: Duration) -> Timestamp {
        Timestamp(millisecondsSince1970: now.millisecondsSince1970 + Int64((lead - offset) / .milliseconds(1)))
    }

    fileprivate func lead(of time: Timestamp) -> Duration { offset + time.duration(since: now) }
}

extension Timestamp {
    fileprivate static let distantPast = Timestamp(millisecondsSince1970: -62_167_219_200_000)
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
