import SoundboxCore
import SoundboxSystem
import Synchronization

/// Counts the calls that a sound device holds. One instance for all sound threads that follow each other on a device.
/// Any thread; never blocks.
///
///     let watch = DeviceWatch()
///     let thread = SoundThread(watch: watch) { TimedSink(sink, device: "default", callTimeout: $0) }
///     watch.hurry()
public final class DeviceWatch: Sendable {
    /// How long a call may take while the box is being stopped. A working device takes a period in a fraction of this.
    public static let timeoutWhenStopping = Duration.seconds(3)
    /// Each abandoned call holds a thread and what the driver keeps for an open device. Two are allowed, so that one
    /// call that never returns does not disable the card: it may open again after it was pulled out and put back.
    static let mostGivenUp = 2

    private static let allStuck = Atomic(0)

    /// Calls of this process that have not returned. While there are any, the sound library's exit handlers may block
    /// too: leave by `_exit`.
    public static var stuckCallCount: Int { allStuck.load(ordering: .relaxed) }

    private struct State {
        var isHurried = false
        var givenUpCount = 0
        var xrunsOfGivenUp = 0
        /// The current sound thread's.
        weak var callTimeout: CallTimeout?
    }

    private let state = Mutex(State())

    public init() {}

    /// The box is being stopped: the current call and all later ones may take at most ``timeoutWhenStopping``.
    public func hurry() {
        let callTimeout = state.withLock { state in
            state.isHurried = true
            return state.callTimeout
        }
        callTimeout?.shorten(to: Self.timeoutWhenStopping)
    }

    func begin(_ callTimeout: CallTimeout) { state.withLock { $0.callTimeout = callTimeout } }

    /// Abandoned calls of this device that have not returned.
    var givenUpCount: Int { state.withLock { $0.givenUpCount } }

    /// Underruns of abandoned sinks.
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
