import SoundboxCore
import SoundboxSystem
import Synchronization

/// Limits how long a driver may hold a call of one sound thread. Expires once and for good.
///
/// The sound thread reports when a call begins and ends; a task checks whether the call is overdue, and expires the
/// timeout then. Either the call ends in time or the timeout expires, never both: a thread that returns too late finds
/// out before it can do anything. Any thread; never blocks.
public final class CallTimeout: Sendable {
    struct Call {
        let device: String
        let what: TimedSink.Call
        var deadline: Duration
    }

    fileprivate struct State {
        var call: Call?
        /// Why the timeout has expired.
        var loss: AudioSinkError?
        var xruns = 0
        /// The number of the task that checks, until it finds no call. Earlier tasks end at their next check.
        var checker = 0
        /// When it checks next; `nil` while no task does.
        var nextCheck: Duration?
    }

    let watch: DeviceWatch
    private let wasLost: @Sendable (AudioSinkError) -> Void
    private let state = Mutex(State())

    /// - Parameter wasLost: called at most once, on any thread, with the reason. Must not block.
    init(watch: DeviceWatch, wasLost: @escaping @Sendable (AudioSinkError) -> Void = { _ in }) {
        self.watch = watch
        self.wasLost = wasLost
        watch.begin(self)
    }

    var isLost: Bool { state.withLock { $0.loss != nil } }

    /// A call of the device begins.
    /// - Throws: the reason, if the timeout expired earlier.
    func begin(_ what: TimedSink.Call, of device: String, limit: Duration) throws(AudioSinkError) {
        let now = Duration.monotonicNow
        let deadline = now + watch.timeout(limit)
        let checker = try state.withLock { state throws(AudioSinkError) -> Int? in
            if let loss = state.loss { throw loss }
            state.call = Call(device: device, what: what, deadline: deadline)
            // A task that checks at the end of an earlier call comes round in time.
            if let nextCheck = state.nextCheck, nextCheck <= deadline { return nil }
            return state.newChecker(at: deadline)
        }
        if let checker { checkDeadlines(as: checker, after: deadline - now) }
    }

    /// The call has returned.
    /// - Parameter xruns: underruns of the sink so far.
    /// - Throws: the reason, if the timeout has expired meanwhile.
    func end(xruns: Int) throws(AudioSinkError) {
        try state.withLock { state throws(AudioSinkError) in
            if let loss = state.loss { throw loss }
            state.xruns = xruns
            state.call = nil
        }
    }

    /// Shortens the time of the current call.
    func shorten(to limit: Duration) {
        let deadline = Duration.monotonicNow + limit
        let checker: Int? = state.withLock { state in
            guard let call = state.call, state.loss == nil, call.deadline > deadline else { return nil }
            state.call?.deadline = deadline
            return state.newChecker(at: deadline)
        }
        if let checker { checkDeadlines(as: checker, after: limit) }
    }

    /// Starts a task that expires the timeout when a call is overdue.
    private func checkDeadlines(as checker: Int, after first: Duration) {
        Task {
            var wait: Duration? = first
            while let time = wait {
                // Uses a clock that stops while the machine sleeps, as the deadlines do.
                try? await SuspendingClock().sleep(for: time)
                wait = expireIfOverdue(checker)
            }
        }
    }

    /// Expires the timeout if the current call is overdue.
    /// - Returns: how long to wait until the next check; `nil` when there is nothing left to check.
    private func expireIfOverdue(_ checker: Int) -> Duration? {
        enum Finding { case nothing, wait(Duration), lost(AudioSinkError, xruns: Int) }
        let now = Duration.monotonicNow
        let finding: Finding = state.withLock { state in
            guard state.checker == checker, state.loss == nil else { return .nothing }
            guard let call = state.call else {
                state.nextCheck = nil
                return .nothing
            }
            guard call.deadline <= now else {
                state.nextCheck = call.deadline
                return .wait(call.deadline - now)
            }
            state.loss = call.error
            return .lost(call.error, xruns: state.xruns)
        }
        switch finding {
        case .nothing: return nil
        case .wait(let time): return time
        case .lost(let error, let xruns):
            watch.callWasGivenUp(xruns: xruns)
            wasLost(error)
            return nil
        }
    }
}

extension CallTimeout.State {
    fileprivate mutating func newChecker(at moment: Duration) -> Int {
        nextCheck = moment
        checker += 1
        return checker
    }
}

extension CallTimeout.Call {
    fileprivate var error: AudioSinkError {
        let reason = "\(what.rawValue) did not come back in time; it is given up until the driver answers"
        return what == .open
            ? .unavailable(device: device, reason: reason) : .writeFailed(device: device, reason: reason)
    }
}

/// Counts the calls that a sound device holds. One instance for all sound threads that follow each other on a device.
/// Any thread; never blocks.
///
///     let watch = DeviceWatch()
///     let thread = SoundThread(watch: watch) { TimedSink(sink, device: "default", callTimeout: $0) }
///     watch.hurry()
public final class DeviceWatch: Sendable {
    /// How long a call may take while the box is being stopped. A working device takes a period in a fraction of this.
    private static let timeoutWhenStopping = Duration.seconds(3)
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

    /// The box is being stopped: the current call and all later ones may take at most 3 s.
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

    func callWasGivenUp(xruns: Int) {
        state.withLock { state in
            state.givenUpCount += 1
            state.xrunsOfGivenUp += xruns
        }
        Self.allStuck.wrappingAdd(1, ordering: .relaxed)
    }

    func callCameBack() {
        state.withLock { $0.givenUpCount -= 1 }
        Self.allStuck.wrappingSubtract(1, ordering: .relaxed)
    }
}
