import SoundboxSystem
import Synchronization

/// Whether messages may have waited at the broker while the box was away.
///
/// A broker sends what it kept as fast as the box acknowledges it, right after the connection. So all of it has come
/// when nothing arrives for ``quiet``; what comes after that was sent while the box was connected.
final class Backlog: Sendable {
    /// Longer than a round trip through a mobile network.
    static let quiet = Duration.seconds(2)

    private struct State {
        var isOver = false
        /// When something happened last; `nil` before the subscription.
        var lastActivity: Duration?
    }

    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter now: a clock that never jumps.
    init(now: @escaping @Sendable () -> Duration = { .monotonicNow }) { self.now = now }

    func connectionBegins() { state.withLock { $0 = State() } }

    func subscribed() { state.withLock { $0.lastActivity = now() } }

    /// To be asked when messages arrive.
    func mayHoldThese() -> Bool {
        let now = now()
        return state.withLock { state in
            if let last = state.lastActivity, now - last >= Self.quiet { state.isOver = true }
            return !state.isOver
        }
    }

    /// To be told when messages have been dealt with: the next ones wait for their acknowledgement.
    func messagesAreDone() {
        let now = now()
        state.withLock { if $0.lastActivity != nil { $0.lastActivity = now } }
    }
}
