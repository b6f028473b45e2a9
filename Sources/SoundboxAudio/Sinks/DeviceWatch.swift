import SoundboxCore
import SoundboxSystem
import Synchronization

/// What is known from outside about calls that a sound device holds. Any thread.
public final class DeviceWatch: Sendable {
    /// How long a call may go on once the box is being stopped: a device that works takes a period in a fraction of this.
    public static let patienceWhenStopping = Duration.seconds(3)

    private static let allStuck = Atomic(0)

    /// Calls of this process that have not come back. While there are any, what a sound library does at the end of the
    /// process may not end either: leave by `_exit`.
    public static var stuckCallCount: Int { allStuck.load(ordering: .relaxed) }

    private struct State {
        var isHurried = false
        var number = 0
        /// Ends the patience with the call that goes on now.
        var giveUp: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    /// The box is being stopped: a call that goes on now, or is made from now on, has ``patienceWhenStopping``.
    public func hurry() {
        let number = state.withLock { state in
            state.isHurried = true
            return state.number
        }
        Task {
            try? await SuspendingClock().sleep(for: Self.patienceWhenStopping)
            state.withLock { $0.number == number ? $0.giveUp : nil }?()
        }
    }

    /// - Returns: how long the call may take.
    func begin(limit: Duration, giveUp: @escaping @Sendable () -> Void) -> Duration {
        state.withLock { state in
            state.number += 1
            state.giveUp = giveUp
            return state.isHurried ? min(limit, Self.patienceWhenStopping) : limit
        }
    }

    func end() { state.withLock { $0.giveUp = nil } }

    static func noteStuck(_ change: Int) { allStuck.wrappingAdd(change, ordering: .relaxed) }
}
