import SoundboxCore

/// Decides which ring sounds, until when, and how each of them ended: one at a time, oldest first.
///
/// A state machine without a clock, a database or a card, beside ``Announcer``: neither waits for the other, and speech
/// is mixed over a ring. Every event comes with the time of a clock that is never set; after each answer ``nextDue``
/// says when ``Event/timePassed`` is wanted.
///
/// The time of a ring runs from its arrival, also while it waits behind another one, while the sound card is away, and
/// while the box is off: its sender has given up by then. What a disk refuses is tried again until it is on the disk.
/// Meanwhile the next ring sounds, since its time runs as well.
public struct Ringer: Sendable {
    /// A ring that has not ended, as far as is known.
    struct Ring: Sendable, Equatable {
        var entry: ErrandEntry
        /// When its time is over.
        var deadline: Duration
    }

    /// What is to be written down of a ring that is over.
    struct Ending: Sendable, Equatable {
        var entry: ErrandEntry
        var end: ErrandEnd
        /// Whether nothing is left to be said of it.
        var isTold: Bool
    }

    /// The ring whose light is on.
    struct Sounding: Sendable, Equatable {
        var ring: Ring
        var phase: Phase
        /// Counts the starts of all rings, so that what the player says of an earlier one is known as such; 0 before the
        /// first of this ring.
        var attempt = 0
        /// Whether the last start was one with words.
        var isWhole = false
        /// A part of it has come out of the speaker.
        var hasBegun: Bool
        /// Its words cannot be played: the tone is all that there is.
        var lacksWords = false
        /// In a row.
        var failures = 0
        /// Why no sound came out, as far as is known.
        var failure: String?
    }

    enum Phase: Sendable, Equatable {
        /// Silent, so that the ring need not begin twice: its words may be ready in a moment.
        case awaitingWords(until: Duration)
        /// The tone alone sounds.
        case tone
        /// Tone and words sound.
        case whole
        /// The sound card would not.
        case waiting(until: Duration)
        /// The card is tried again as soon as it is known whether the words are ready.
        case asking
    }

    /// The one thing that the book has been asked for and has not answered.
    enum Request: Sendable, Equatable {
        /// - Parameter told: when it was first known that there is something new.
        case fetch(told: Duration)
        case note(Ring)
        case end(Ending)
    }

    /// How long the words of a ring may take before the tone begins without them.
    public static let patienceForWords = Duration.seconds(1)
    /// How long to wait before the disk is tried again.
    static let bookRetryDelay = Duration.seconds(1)
    /// How many cancelled ids are remembered, should their rings still be in the book.
    static let mostHushed = 4 * Errand.mostWaiting

    /// Oldest first. Hushed ones are among them until they are gone from the book.
    var waiting: [Ring] = []
    var sounding: Sounding?
    /// Oldest first, but for those that the disk has refused.
    var endings: [Ending] = []
    var request: Request?
    /// Since when the book may hold what is not known here; `nil` when nothing new was told.
    var told: Duration?
    var hasFetched = false
    /// Nothing is asked of the disk before this.
    var retryAt: Duration?
    /// The disk has refused the end that was tried last: others are not to wait behind it for ever.
    var endWasRefused = false
    var attempts = 0
    var isStopping = false
    private(set) var isFinished = false
    private var hushed: [CommandID] = []

    public init() {}

    /// The ring whose light is on, be it heard or not.
    public var ringing: (entry: ErrandEntry, deadline: Duration)? {
        sounding.map { ($0.ring.entry, $0.ring.deadline) }
    }

    /// What the player was asked for last, unless it has refused, or has not been asked for this ring.
    public var attemptOnCard: Int? { sounding.flatMap { $0.isOnCard ? $0.attempt : nil } }

    /// - Parameter now: never earlier than before.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        guard !isFinished else { return [] }
        return take(event, at: now) + whatIsDue(at: now) + nextRequest(at: now)
    }

    /// When ``Event/timePassed`` is wanted; `nil` for never.
    public var nextDue: Duration? {
        guard !isStopping else { return nil }
        var dues = waiting.map(\.deadline)
        if let sounding {
            dues.append(sounding.ring.deadline)
            switch sounding.phase {
            case .awaitingWords(let due), .waiting(let due): dues.append(due)
            case .tone, .whole, .asking: break
            }
        }
        // Whatever is asked for has its answer to wait for.
        if request == nil, !endings.isEmpty || told != nil, let retryAt { dues.append(retryAt) }
        return dues.min()
    }

    // MARK: What has happened

    private mutating func take(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .ringsMayWait: told = told ?? now
        case .hushed(let id): return hush(id)
        case .answered(let id):
            guard let answered = sounding, answered.ring.entry.errand.id == id else { return [] }
            return silence() + end(answered.ring, as: .answered)
        case .soundsChanged: return askAgain()
        case .words(let id, let areReady): return words(of: id, areReady: areReady)
        case .began(let attempt): began(attempt)
        case .failed(let attempt, let reason): failed(attempt, reason, at: now)
        case .wordsFailed(let attempt, let reason): return wordsFailed(attempt, reason)
        case .timePassed: break
        case .stopRequested:
            isStopping = true
            // It stays in the book, and sounds again after the next start if there is time.
            return silence()
        case .fetched, .noted, .withdrawn, .ended, .endedAlready, .inboxFailed:
            return answered(event, at: now)
        }
        return []
    }

    /// A ring that is cancelled never sounds from now on, whatever becomes of the cancel on the disk: if its commit
    /// fails, the broker delivers it again.
    private mutating func hush(_ id: CommandID) -> [Action] {
        hushed.removeAll { $0 == id }
        hushed.append(id)
        hushed.removeFirst(max(0, hushed.count - Self.mostHushed))
        for index in endings.indices where endings[index].entry.errand.id == id { endings[index].isTold = true }
        if case .end(var ending) = request, ending.entry.errand.id == id {
            ending.isTold = true
            request = .end(ending)
        }
        guard let ring = sounding?.ring, ring.entry.errand.id == id else { return [] }
        keep(ring)
        return silence()
    }

    func isHushed(_ ring: Ring) -> Bool { hushed.contains(ring.entry.errand.id) }

    /// The ring goes on waiting, at its place.
    mutating func keep(_ ring: Ring) {
        let place = waiting.firstIndex { $0.entry.sequence > ring.entry.sequence }
        waiting.insert(ring, at: place ?? waiting.endIndex)
    }

    mutating func silence() -> [Action] {
        guard sounding != nil else { return [] }
        sounding = nil
        return [.stop]
    }

    mutating func end(_ ring: Ring, as end: ErrandEnd) -> [Action] {
        // Of a cancelled ring nothing is said.
        endings.append(Ending(entry: ring.entry, end: end, isTold: end != .missed || isHushed(ring)))
        return []
    }

    // MARK: What is due

    private mutating func whatIsDue(at now: Duration) -> [Action] {
        guard !isStopping else { return [] }
        var actions: [Action] = []
        if let over = sounding, over.ring.deadline <= now {
            actions += silence() + end(over.ring, as: over.endWithoutAnswer)
        }
        let over = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        for ring in over { actions += end(ring, as: .missed) }
        return actions + soundDue(at: now)
    }

    /// What is asked of the book next.
    private mutating func nextRequest(at now: Duration) -> [Action] {
        guard request == nil else { return [] }
        if isStopping { return lastRequest() }
        if retryAt.map({ $0 <= now }) ?? true {
            retryAt = nil
            let isFetchFirst = told != nil && (endings.isEmpty || endWasRefused)
            if let ending = endings.first, !isFetchFirst { return write(ending) }
            if let told {
                self.told = nil
                endWasRefused = false
                request = .fetch(told: told)
                return [.fetch]
            }
        }
        // Not held up by a disk that fails: a ring that is in the book must be heard.
        guard sounding == nil, let next = waiting.firstIndex(where: { !isHushed($0) }) else { return [] }
        let ring = waiting.remove(at: next)
        request = .note(ring)
        return [.note(ring.entry)]
    }

    /// What has been answered is not to ring again after the restart, if the disk takes that.
    private mutating func lastRequest() -> [Action] {
        if let ending = endings.first { return write(ending) }
        isFinished = true
        return [.finish]
    }

    private mutating func write(_ ending: Ending) -> [Action] {
        endings.removeFirst()
        request = .end(ending)
        return [.end(ending.entry, ending.end)]
    }
}

extension Ringer.Sounding {
    /// Whether the player was asked for it, and has not refused.
    var isOnCard: Bool { phase == .tone || phase == .whole }

    /// How it ends when nobody has come.
    fileprivate var endWithoutAnswer: ErrandEnd {
        hasBegun ? .missed : .failed(reason: failure ?? "it did not begin to sound in its time")
    }
}
