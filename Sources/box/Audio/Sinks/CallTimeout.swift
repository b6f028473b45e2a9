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
        /// Counts the checking tasks. The last one checks until it finds no call.
        var lookout = 0
        /// When it checks next; `nil` while no task does.
        var nextLook: Duration?
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
        let lookout = try state.withLock { state throws(AudioSinkError) -> Int? in
            if let loss = state.loss { throw loss }
            state.call = Call(device: device, what: what, deadline: deadline)
            // A task that checks at the end of an earlier call comes round in time.
            if let nextLook = state.nextLook, nextLook <= deadline { return nil }
            return state.newLookout(at: deadline)
        }
        if let lookout { look(out: lookout, after: deadline - now) }
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
        let lookout: Int? = state.withLock { state in
            guard let call = state.call, state.loss == nil, call.deadline > deadline else { return nil }
            state.call?.deadline = deadline
            return state.newLookout(at: deadline)
        }
        if let lookout { look(out: lookout, after: limit) }
    }

    private func look(out lookout: Int, after first: Duration) {
        Task {
            var wait: Duration? = first
            while let time = wait {
                // Uses a clock that stops while the machine sleeps, as the deadlines do.
                try? await SuspendingClock().sleep(for: time)
                wait = look(lookout)
            }
        }
    }

    /// - Returns: how long to wait until the next check; `nil` when there is nothing left to check.
    private func look(_ lookout: Int) -> Duration? {
        enum Finding { case nothing, wait(Duration), lost(AudioSinkError, xruns: Int) }
        let now = Duration.monotonicNow
        let finding: Finding = state.withLock { state in
            guard state.lookout == lookout, state.loss == nil else { return .nothing }
            guard let call = state.call else {
                state.nextLook = nil
                return .nothing
            }
            guard call.deadline <= now else {
                state.nextLook = call.deadline
                return .wait(call.deadline - now)
            }
            state.loss = call.error
            return .lost(call.error, xruns: state.xruns)
        }
        switch finding {
        case .nothing: return nil
        case .wait(let time): return time
        case .lost(let error, let xruns):
            watch.noteGivenUp(xruns: xruns)
            wasLost(error)
            return nil
        }
    }
}

extension CallTimeout.State {
    fileprivate mutating func newLookout(at moment: Duration) -> Int {
        nextLook = moment
        lookout += 1
        return lookout
    }
}

extension CallTimeout.Call {
    fileprivate var error: AudioSinkError {
        let reason = "\(what.rawValue) did not come back in time; it is given up until the driver answers"
        return what == .open
            ? .unavailable(device: device, reason: reason) : .writeFailed(device: device, reason: reason)
    }
}
