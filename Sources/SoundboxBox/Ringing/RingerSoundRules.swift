import SoundboxCore

/// What is to be heard of the ring whose light is on.
extension Ringer {
    /// The book has noted it, or has failed.
    mutating func begin(_ ring: Ring, at now: Duration) -> [Action] {
        // Its time may be over by now; what is due sees to that.
        guard !isStopping, !isHushed(ring), ring.deadline > now else {
            keep(ring)
            return []
        }
        sounding = Sounding(
            ring: ring, phase: .awaitingWords(until: now + Self.patienceForWords),
            hasBegun: ring.entry.isSounding)
        return [.ask(ring.entry)]
    }

    /// What was not ready may be now.
    mutating func askAgain() -> [Action] {
        guard let sounding, !sounding.lacksWords else { return [] }
        switch sounding.phase {
        case .awaitingWords, .tone: return [.ask(sounding.ring.entry)]
        case .whole, .waiting, .asking: return []
        }
    }

    mutating func words(of id: CommandID, areReady: Bool) -> [Action] {
        guard let sounding, sounding.ring.entry.errand.id == id else { return [] }
        switch sounding.phase {
        case .awaitingWords, .tone: return areReady && !sounding.lacksWords ? start(withWords: true) : []
        case .asking: return start(withWords: areReady && !sounding.lacksWords)
        case .whole, .waiting: return []
        }
    }

    mutating func began(_ attempt: Int) {
        guard let started = sounding, started.attempt == attempt else { return }
        sounding?.hasBegun = true
        sounding?.failures = 0
        // The player tries again as well, and was first.
        if !started.isOnCard { sounding?.phase = started.isWhole ? .whole : .tone }
    }

    mutating func failed(_ attempt: Int, _ reason: String, at now: Duration) {
        guard let failed = sounding, failed.attempt == attempt, failed.isOnCard else { return }
        sounding?.failures += 1
        sounding?.failure = reason
        sounding?.phase = .waiting(until: now + Announcer.deviceRetryDelay(failures: failed.failures + 1))
    }

    mutating func wordsFailed(_ attempt: Int, _ reason: String) -> [Action] {
        guard let failed = sounding, failed.attempt == attempt, failed.isOnCard else { return [] }
        sounding?.lacksWords = true
        sounding?.failure = reason
        return start(withWords: false)
    }

    mutating func soundDue(at now: Duration) -> [Action] {
        guard let sounding else { return [] }
        switch sounding.phase {
        case .awaitingWords(let due) where due <= now: return start(withWords: false)
        case .waiting(let due) where due <= now:
            self.sounding?.phase = .asking
            return [.ask(sounding.ring.entry)]
        default: return []
        }
    }

    private mutating func start(withWords: Bool) -> [Action] {
        guard let entry = sounding?.ring.entry else { return [] }
        attempts += 1
        sounding?.attempt = attempts
        sounding?.isWhole = withWords
        sounding?.phase = withWords ? .whole : .tone
        return [.start(entry, withWords: withWords, attempt: attempts)]
    }
}
