import SoundboxCore

/// Which ring plays, until when, and how each ended. Rings play one at a time, oldest first.
///
/// A ring is an announcement that repeats, with a rest in between. It waits for the sentence that plays. Between two
/// repeats all payments are let in that wait, for ``timeForPayments``, or one other sentence: neither starves. The time
/// of a ring runs from its first reading: also while it waits behind another ring, while the sound card is away, and
/// while the box is off. Its sender has given up by then.
public struct Rings: Sendable, Equatable {
    public struct Ring: Sendable, Equatable {
        var entry: CustomMessageEntry
        /// The end of its time, on the monotonic clock.
        var deadline: Duration
        /// Until then the bell waits for the words.
        var wordsAreDue: Duration?
        /// One repeat was played whole.
        var wasHeard = false
        /// Its words cannot be played: only the bell is left.
        var lacksWords = false
        /// Why the last repeat was not heard.
        var failure: String?

        var id: CommandID { entry.customMessage.id }
    }

    /// How long the bell waits for the words of a ring.
    static let timeoutForWords = Duration.seconds(1)
    /// The rest between two repeats.
    static let rest = Duration.milliseconds(700)
    /// After a repeat no payment begins later than this while the ring waits. With the sentence that began before, and
    /// the commits between, the ring is silent for half a minute at most.
    static let timeForPayments = Duration.seconds(25)

    /// The sequence of the last custom message of an earlier run.
    private let lastEarlier: Int64
    /// Oldest first.
    private var rings: [Ring] = []
    private var restsUntil: Duration?
    /// One sentence, of any rank, may be spoken before the next repeat.
    private var letsOneIn = false
    /// Payments, and what is let in between them, may be spoken until then, before the next repeat.
    private var paymentsUntil = Duration.zero

    /// - Parameter lastEarlier: the sequence of the last custom message that was stored when the box started.
    init(lastEarlier: Int64) { self.lastEarlier = lastEarlier }

    var isEmpty: Bool { rings.isEmpty }

    /// The ring whose turn it is, heard or not.
    var current: Ring? { rings.first }

    /// Takes over the rings of the inbox. A ring that is missing was cancelled.
    mutating func update(_ entries: [CustomMessageEntry], _ reading: ClockReading, at now: Duration) {
        let known = rings
        rings = entries.map { entry in
            if let ring = known.first(where: { $0.entry.sequence == entry.sequence }) { return ring }
            if entry.sequence > lastEarlier { return Ring(entry: entry, deadline: now + entry.timeout) }
            let left = entry.timeLeft(at: reading)
            let failure = left > .zero ? nil : "the box began anew, and its time is over or not known"
            return Ring(entry: entry, deadline: now + left, failure: failure)
        }
        if rings.first?.id != known.first?.id { changeTurn() }
    }

    /// What is let in stays for the next ring: a row of rings must not starve payments.
    private mutating func changeTurn() {
        restsUntil = nil
        if rings.isEmpty { (letsOneIn, paymentsUntil) = (false, .zero) }
    }

    /// Whether a sentence may be spoken before the next repeat.
    func letsIn(paymentsWait: Bool, at now: Duration) -> Bool { letsOneIn || paymentsWait && now < paymentsUntil }

    /// Call when such a sentence was chosen.
    mutating func oneWasLetIn() { letsOneIn = false }

    private mutating func repeatEnded(at now: Duration) {
        (letsOneIn, paymentsUntil) = (true, now + Self.timeForPayments)
    }

    /// Removes the first ring that is over, and returns it with its end.
    mutating func end(answered: CommandID?, at now: Duration) -> (CustomMessageEntry, CustomMessageEnd)? {
        guard let index = rings.firstIndex(where: { $0.id == answered || $0.deadline <= now }) else { return nil }
        let ring = rings.remove(at: index)
        if index == 0 { changeTurn() }
        if ring.id == answered { return (ring.entry, .answered) }
        let reason = ring.failure ?? "it could not begin in its time"
        return (ring.entry, ring.wasHeard ? .missed : .failed(reason: reason))
    }

    /// The next step of the current ring. Call only if there is one.
    mutating func next(at now: Duration) -> Announcer.Step {
        if let restsUntil, now < restsUntil { return .wait(until: restsUntil) }
        if rings[0].wordsAreDue == nil { rings[0].wordsAreDue = now + Self.timeoutForWords }
        return .ring(rings[0])
    }

    // MARK: What became of a repeat. The ring may be gone by then.

    mutating func wasHeard(_ ring: Ring, lacksWords: Bool, at now: Duration) {
        guard rings.first?.id == ring.id else { return }
        rings[0].wasHeard = true
        rings[0].lacksWords = lacksWords
        restsUntil = now + Self.rest
        repeatEnded(at: now)
    }

    /// Call when a repeat was cancelled. The cancel may not be on the disk yet, so the ring rests first.
    mutating func wasStopped(_ ring: Ring, at now: Duration) {
        guard rings.first?.id == ring.id else { return }
        restsUntil = now + Self.rest
        repeatEnded(at: now)
    }

    mutating func failed(_ ring: Ring, _ reason: String, at now: Duration) {
        guard rings.first?.id == ring.id else { return }
        rings[0].failure = reason
        repeatEnded(at: now)
    }
}

extension CustomMessageEntry {
    /// How long it rings; zero if it is not a ring.
    var timeout: Duration { if case .ring(let timeout) = customMessage.purpose { timeout } else { .zero } }

    /// The time left for a ring of an earlier run. Zero if the two times cannot be compared for certain: a ring of
    /// yesterday must not call anybody.
    func timeLeft(at now: ClockReading) -> Duration {
        guard clock == .confirmed, let time = now.confirmed else { return .zero }
        return timeout - max(.zero, time.duration(since: receivedAt))
    }
}
