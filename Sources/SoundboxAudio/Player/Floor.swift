import Synchronization

/// Who plays now, and what is to ring. Any thread.
///
/// An interrupt of the device ends whatever plays there, so it is made under the lock under which turns come and go:
/// the one that was meant for a ring meets that ring or nobody, never the announcement that follows it, and the other
/// way round. Whoever takes the floor opens the device afterwards, which takes back what was meant for others.
final class Floor: Sendable {
    private struct State {
        var ring: Ring?
        /// That plays or waits for its turn.
        var announcement: Turn?
        var holder: Turn?
    }

    private let state = Mutex(State())
    private let interruptDevice: @Sendable () -> Void

    /// - Parameter interruptDevice: called under the lock; must not block.
    init(interruptDevice: @escaping @Sendable () -> Void) { self.interruptDevice = interruptDevice }

    /// What is to sound on the ring bus.
    var ring: Ring? { state.withLock { $0.ring } }

    /// Whether anything sounds, waits for its turn, or is to ring.
    var isTaken: Bool { state.withLock { $0.ring != nil || $0.announcement != nil || $0.holder != nil } }

    /// Has a ring sound in place of another one, or none.
    func replaceRing(with ring: Ring?) {
        state.withLock { state in
            let last = state.ring
            state.ring = ring
            guard let last else { return }
            last.stop()
            if state.holder?.ring === last { interruptDevice() }
        }
    }

    /// An announcement is asked for.
    func begin(_ announcement: Turn) { state.withLock { $0.announcement = announcement } }

    /// It is answered.
    func end(_ announcement: Turn) {
        state.withLock { if $0.announcement === announcement { $0.announcement = nil } }
    }

    /// Ends the announcement that plays or waits at once, and no ring.
    func interruptAnnouncement() {
        state.withLock { state in
            guard let announcement = state.announcement else { return }
            announcement.stop()
            if state.holder === announcement { interruptDevice() }
        }
    }

    /// On the sound thread, before the device is opened.
    /// - Returns: `false` for a ring that was stopped.
    func take(_ turn: Turn) -> Bool {
        state.withLock { state in
            if let ring = turn.ring, ring.isStopped { return false }
            state.holder = turn
            return true
        }
    }

    /// Does nothing for a turn that another one has taken the floor from.
    func leave(_ turn: Turn) { state.withLock { if $0.holder === turn { $0.holder = nil } } }
}
