import SoundboxCore
import SoundboxSystem
import Synchronization

/// What is known from outside about calls that a sound device holds. One for all the sound threads that follow each
/// other on a device. Any thread.
public final class DeviceWatch: Sendable {
    /// How long a call may go on once the box is being stopped: a device that works takes a period in a fraction of
    /// this.
    public static let timeoutWhenStopping = Duration.seconds(3)
    /// Each call that is given up holds a thread and what the driver keeps for an open device. Two, so that one call
    /// that never returns does not cost the card: it may open when it was pulled out and put back.
    static let mostGivenUp = 2

    private static let allStuck = Atomic(0)

    /// Calls of this process that have not come back. While there are any, what a sound library does at the end of the
    /// process may not end either: leave by `_exit`.
    public static var stuckCallCount: Int { allStuck.load(ordering: .relaxed) }

    private struct State {
        var isHurried = false
        var givenUpCount = 0
        var xrunsOfGivenUp = 0
        /// Of the sound thread that works now.
        weak var callTimeout: CallTimeout?
    }

    private let state = Mutex(State())

    public init() {}

    /// The box is being stopped: a call that goes on now, or is made from now on, has ``timeoutWhenStopping``.
    public func hurry() {
        let callTimeout = state.withLock { state in
            state.isHurried = true
            return state.callTimeout
        }
        callTimeout?.shorten(to: Self.timeoutWhenStopping)
    }

    func begin(_ callTimeout: CallTimeout) { state.withLock { $0.callTimeout = callTimeout } }

    /// Calls of this device that were given up and have not come back.
    var givenUpCount: Int { state.withLock { $0.givenUpCount } }

    /// Of sinks that were given up.
    var xrunsOfGivenUp: Int { state.withLock { $0.xrunsOfGivenUp } }

    func timeout(_ limit: Duration) -> Duration {
        state.withLock { $0.isHurried } ? min(limit, Self.timeoutWhenStopping) : limit
    }

    func noteGivenUp(xruns: Int) {
        state.withLock { state in
            state.givenUpCount += 1
            state.xrunsOfGivenUp += xruns
        }
        Self.allStuck.wrappingAdd(1, ordering: .relaxed)
    }

    func noteComeBack() {
        state.withLock { $0.givenUpCount -= 1 }
        Self.allStuck.wrappingSubtract(1, ordering: .relaxed)
    }
}
