import SoundboxCore

/// What the book answers.
extension Ringer {
    mutating func answered(_ event: Event, at now: Duration) -> [Action] {
        let asked = request.take()
        switch (asked, event) {
        case (.fetch(let told), .fetched(let entries, let reading)):
            return fetched(entries, told: told, reading, at: now)
        // It sounds even when the note fails: a ring that is on the disk must be heard.
        case (.note(let ring), .noted), (.note(let ring), .inboxFailed): return begin(ring, at: now)
        case (.note, .withdrawn): return []
        case (.end(let ending), .ended):
            endWasRefused = false
            return tell(ending)
        // A cancel was first.
        case (.end, .endedAlready):
            endWasRefused = false
            return []
        case (let asked?, .inboxFailed): return refused(asked, at: now)
        default:
            // Whoever performs the actions has made a mistake. It is told of, and must not silence the box: what was
            // asked counts as refused.
            let report = Action.report(Mismatch(answer: event.name, activity: asked?.name ?? "nothing was asked"))
            return [report] + (asked.map { refused($0, at: now) } ?? [])
        }
    }

    private mutating func refused(_ asked: Request, at now: Duration) -> [Action] {
        switch asked {
        case .fetch(let told): self.told = min(told, self.told ?? told)
        case .note(let ring):
            // Nothing is known of it: it is asked for again.
            keep(ring)
            told = told ?? now
        case .end(var ending):
            // While the disk fails, it is said nevertheless, once.
            let actions = tell(ending)
            ending.isTold = true
            if isStopping { return actions + giveUp() }
            endings.append(ending)
            endWasRefused = true
            retryAt = now + Self.bookRetryDelay
            return actions
        }
        retryAt = now + Self.bookRetryDelay
        return []
    }

    /// The box stops, and the disk fails: after the next start the ring is judged anew.
    private mutating func giveUp() -> [Action] {
        endings = []
        return []
    }

    private func tell(_ ending: Ending) -> [Action] { ending.isTold || isStopping ? [] : [.tellMissed] }

    private mutating func fetched(
        _ entries: [ErrandEntry], told: Duration, _ reading: ClockReading, at now: Duration
    ) -> [Action] {
        let isFirst = !hasFetched
        hasFetched = true
        let over = Set(endings.map(\.entry.sequence))
        let rings = entries.filter { $0.isRing && !over.contains($0.sequence) }
        var actions: [Action] = []
        // It was cancelled, and nobody has said so.
        if let sounding, !rings.contains(where: { $0.sequence == sounding.ring.entry.sequence }) { actions = silence() }
        let known = waiting
        waiting = rings.filter { $0.sequence != sounding?.ring.entry.sequence }.map { entry in
            if let ring = known.first(where: { $0.entry.sequence == entry.sequence }) { return ring }
            let deadline = isFirst ? now + entry.timeLeft(at: reading) : told + entry.timeout
            return Ring(entry: entry, deadline: deadline)
        }
        return actions
    }
}

extension ErrandEntry {
    /// How long it rings, from its arrival on; zero for what is no ring.
    var timeout: Duration { if case .ring(let timeout) = errand.purpose { timeout } else { .zero } }

    /// What is left of the time of a ring that an earlier run of the box may have taken. None where the two times cannot
    /// be compared for certain: a ring of yesterday must not call anybody.
    func timeLeft(at now: ClockReading) -> Duration {
        guard clock == .confirmed, let time = now.confirmed else { return .zero }
        return timeout - max(.zero, time.duration(since: receivedAt))
    }
}

extension Ringer.Request {
    /// For messages, after "while".
    fileprivate var name: String {
        switch self {
        case .fetch: "fetching"
        case .note: "noting a ring"
        case .end: "noting the end of a ring"
        }
    }
}
