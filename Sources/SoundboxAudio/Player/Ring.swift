import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization

/// One ring, from its start to its stop. Any thread.
final class Ring: Sendable {
    /// Between one attempt to be heard and the next; the last one lasts.
    static let pauses: [Duration] = [0.5, 1, 2, 4, 5].map { .seconds($0) }

    let script: AnnouncementScript
    let loudness: ClosedRange<Volume>
    /// Ends the waits of its turns.
    let interruption = Interruption()
    private let failed: @Sendable (PlayerError) -> Void
    private let began: @Sendable () -> Void
    private let stopped = Atomic(false)
    private let hasBegun = Atomic(false)
    /// Attempts in a row that came to nothing.
    private let failureCount = Atomic(0)
    /// The turn that counts: one that was asked for before it does nothing.
    private let newestTurn = Mutex<Turn?>(nil)

    init(
        _ script: AnnouncementScript, loudness: ClosedRange<Volume>, failed: @escaping @Sendable (PlayerError) -> Void,
        began: @escaping @Sendable () -> Void
    ) {
        self.script = script
        self.loudness = loudness
        self.failed = failed
        self.began = began
    }

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func stop() {
        stopped.store(true, ordering: .releasing)
        interruption.raise()
    }

    func makeTurn() -> Turn {
        let turn = Turn(of: self)
        newestTurn.withLock { $0 = turn }
        return turn
    }

    func isNewest(_ turn: Turn) -> Bool { newestTurn.withLock { $0 === turn } }

    /// A period of it was written.
    func noteWritten() {
        failureCount.store(0, ordering: .relaxed)
        if !isStopped, !hasBegun.exchange(true, ordering: .relaxed) { began() }
    }

    /// Tells what was not heard of it.
    func report(_ error: PlayerError) { if !isStopped { failed(error) } }

    /// An attempt came to nothing.
    /// - Returns: how long to wait until the next one.
    func noteFailure() -> Duration {
        let count = failureCount.wrappingAdd(1, ordering: .relaxed).oldValue
        return Self.pauses[min(count, Self.pauses.count - 1)]
    }
}

/// The time on the sound thread that a ring has between two announcements, or an announcement has. Any thread.
final class Turn: Sendable {
    /// `nil` for an announcement.
    let ring: Ring?
    /// Of an announcement.
    let end: EarlyEnd
    /// Told where the elements of an announcement lie.
    let wereLaid: @Sendable ([Range<Int>]) -> Void
    /// Told that the first frames of an announcement were written.
    private let began: @Sendable () -> Void
    private let hasBegun = Atomic(false)
    private let stopped = Atomic(false)
    private let answered = Atomic(false)

    /// Of a ring.
    init(of ring: Ring) {
        self.ring = ring
        end = EarlyEnd()
        wereLaid = { _ in }
        began = {}
    }

    /// Of an announcement.
    init(
        until end: EarlyEnd, wereLaid: @escaping @Sendable ([Range<Int>]) -> Void = { _ in },
        began: @escaping @Sendable () -> Void = {}
    ) {
        ring = nil
        self.began = began
        self.end = end
        self.wereLaid = wereLaid
    }

    /// Whether the announcement is to end at once.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }
    func stop() { stopped.store(true, ordering: .releasing) }

    /// A period of it is at the device.
    func noteWritten() { if !hasBegun.exchange(true, ordering: .relaxed) { began() } }

    /// Whether nobody has said how it ended yet: a thread that was left behind may come back and say it again.
    func answer() -> Bool { !answered.exchange(true, ordering: .relaxed) }
}
