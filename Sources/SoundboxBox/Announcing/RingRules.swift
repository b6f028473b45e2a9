import SoundboxCore

/// Which ring sounds, until when, and how each of them ended: one at a time, oldest first.
///
/// A ring is an announcement that repeats, with a rest in between. It waits for the sentence that sounds. Between two
/// repeats one other sentence is let in, a payment first, so that neither starves. The time of a ring runs from when it
/// is first read on, also while it waits behind another one, while the sound card is away, and while the box is off:
/// its sender has given up by then.
public struct Rings: Sendable, Equatable {
    public struct Ring: Sendable, Equatable {
        var entry: CustomMessageEntry
        /// When its time is over, on a clock that is never set.
        var deadline: Duration
        /// Its words may be ready until then. The bell does not wait for them any longer.
        var wordsAreDue: Duration?
        /// One repeat came out of the speaker whole.
        var wasHeard = false
        /// Its words cannot be played: the bell is all that there is.
        var lacksWords = false
        /// Why it was last not heard.
        var failure: String?

        var id: CommandID { entry.customMessage.id }
    }

    /// How long the words of a ring may take before the bell begins without them.
    static let timeoutForWords = Duration.seconds(1)
    /// Between two repeats.
    static let rest = Duration.milliseconds(700)

    /// The last custom message that an earlier run of the box may have taken.
    private let lastEarlier: Int64
    /// Oldest first.
    private var rings: [Ring] = []
    private var restsUntil: Duration?
    /// Another sentence may be spoken before the next repeat.
    var letsOneIn = false

    /// - Parameter lastEarlier: the sequence of the last custom message that was there when the box began.
    init(lastEarlier: Int64) { self.lastEarlier = lastEarlier }

    var isEmpty: Bool { rings.isEmpty }

    /// The ring whose turn it is, be it heard or not.
    var current: Ring? { rings.first }

    /// What waits in the inbox. A ring that is not there any more was cancelled.
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

    /// Behind a ring that sounded a sentence is let in before the next one begins: a row of rings must not starve
    /// payments.
    private mutating func changeTurn() {
        restsUntil = nil
        if rings.isEmpty { letsOneIn = false }
    }

    /// The first ring that is over, which is taken out, and how it ended.
    mutating func end(answered: CommandID?, at now: Duration) -> (CustomMessageEntry, CustomMessageEnd)? {
        guard let index = rings.firstIndex(where: { $0.id == answered || $0.deadline <= now }) else { return nil }
        let ring = rings.remove(at: index)
        if index == 0 { changeTurn() }
        if ring.id == answered { return (ring.entry, .answered) }
        let reason = ring.failure ?? "it could not begin in its time"
        return (ring.entry, ring.wasHeard ? .missed : .failed(reason: reason))
    }

    /// To be asked where a ring waits.
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
        (restsUntil, letsOneIn) = (now + Self.rest, true)
    }

    /// It was cancelled, which may not be on the disk yet: it does not begin again meanwhile.
    mutating func wasStopped(_ ring: Ring, at now: Duration) {
        guard rings.first?.id == ring.id else { return }
        (restsUntil, letsOneIn) = (now + Self.rest, true)
    }

    mutating func failed(_ ring: Ring, _ reason: String) {
        guard rings.first?.id == ring.id else { return }
        rings[0].failure = reason
        letsOneIn = true
    }
}

extension CustomMessageEntry {
    /// How long it rings; zero for what is no ring.
    var timeout: Duration { if case .ring(let timeout) = customMessage.purpose { timeout } else { .zero } }

    /// What is left of the time of a ring that an earlier run of the box may have taken. None where the two times
    /// cannot be compared for certain: a ring of yesterday must not call anybody.
    func timeLeft(at now: ClockReading) -> Duration {
        guard clock == .confirmed, let time = now.confirmed else { return .zero }
        return timeout - max(.zero, time.duration(since: receivedAt))
    }
}
