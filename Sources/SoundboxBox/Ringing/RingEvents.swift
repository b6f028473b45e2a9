import SoundboxCore
import Synchronization

/// Holds what the ringer has been told and has not handled yet, and who may still sound. Its size is bounded, however
/// often it is told.
///
/// The ring that ``ringing`` names is the only one that the player may be asked for. A press or a cancel takes it away
/// under the lock, before the service has heard of it: from then on nothing starts it again.
final class RingEvents: AsyncSequence, Sendable {
    private struct Pending {
        var ringsMayWait = false
        var hushed: [CommandID] = []
        var answered: CommandID?
        var soundsChanged = false
        var timePassed = false
        var stopIsRequested = false
        /// What the player says, of the last start only, in order.
        var player: [Ringer.Event] = []
        var attempt = 0
        /// In order. Never more than the ringer has asked for.
        var answers: [Ringer.Event] = []
        var ringing: CommandID?

        mutating func put(_ event: Ringer.Event) {
            switch event {
            case .ringsMayWait: ringsMayWait = true
            case .hushed(let id):
                hushed.removeAll { $0 == id }
                hushed.append(id)
                if hushed.count > RingEvents.mostHushed { hushed.removeFirst() }
            case .answered(let id): answered = id
            case .soundsChanged: soundsChanged = true
            case .timePassed: timePassed = true
            case .stopRequested: stopIsRequested = true
            case .began(let attempt), .failed(let attempt, _), .wordsFailed(let attempt, _):
                guard attempt == self.attempt, player.last != event else { return }
                player.append(event)
                if player.count > RingEvents.mostReports { player.removeFirst() }
            default: answers.append(event)
            }
        }

        /// What silences comes first, and answers last: a ring that was cancelled meanwhile does not begin.
        mutating func take() -> Ringer.Event? {
            if !hushed.isEmpty { return .hushed(hushed.removeFirst()) }
            if let id = answered.take() { return .answered(id) }
            if stopIsRequested {
                stopIsRequested = false
                return .stopRequested
            }
            if !player.isEmpty { return player.removeFirst() }
            if ringsMayWait {
                ringsMayWait = false
                return .ringsMayWait
            }
            if soundsChanged {
                soundsChanged = false
                return .soundsChanged
            }
            if timePassed {
                timePassed = false
                return .timePassed
            }
            return answers.isEmpty ? nil : answers.removeFirst()
        }
    }

    /// More cancels than this do not come between two looks.
    private static let mostHushed = 4 * Errand.mostWaiting
    /// The last ones say how it is now.
    private static let mostReports = 4

    private let pending = Mutex(Pending())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Never blocks; any thread.
    func yield(_ event: Ringer.Event) {
        pending.withLock { $0.put(event) }
        signal.yield()
    }

    /// Takes note of a cancel. Never blocks; any thread.
    /// - Returns: whether this one rings, or is about to: it must be silenced.
    func hush(_ id: CommandID) -> Bool {
        let isRinging = pending.withLock { pending in
            pending.put(.hushed(id))
            guard pending.ringing == id else { return false }
            pending.ringing = nil
            return true
        }
        signal.yield()
        return isRinging
    }

    /// Takes note of a press. Never blocks; any thread.
    /// - Returns: whether something rang: it must be silenced.
    func answer() -> Bool {
        let rang = pending.withLock { pending in
            guard let id = pending.ringing.take() else { return false }
            pending.put(.answered(id))
            return true
        }
        if rang { signal.yield() }
        return rang
    }

    /// Another ring has its turn, or none.
    func turn(to id: CommandID?) {
        pending.withLock { pending in pending.ringing = id.flatMap { pending.hushed.contains($0) ? nil : $0 } }
    }

    /// The player is to be asked for this ring.
    /// - Returns: whether it may sound.
    func begin(_ id: CommandID, attempt: Int) -> Bool {
        pending.withLock { pending in
            guard pending.ringing == id else { return false }
            pending.attempt = attempt
            pending.player = []
            return true
        }
    }

    /// Whether it may sound. Never blocks; any thread.
    func mayRing(_ id: CommandID) -> Bool { pending.withLock { $0.ringing == id } }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: RingEvents
        fileprivate var signals: AsyncStream<Void>.Iterator

        /// `nil` when the task is cancelled.
        mutating func next(isolation actor: isolated (any Actor)?) async -> Ringer.Event? {
            while true {
                if Task.isCancelled { return nil }
                if let event = events.pending.withLock({ $0.take() }) { return event }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
        }
    }

    /// For one loop only.
    func makeAsyncIterator() -> Iterator { Iterator(events: self, signals: signals.makeAsyncIterator()) }
}
