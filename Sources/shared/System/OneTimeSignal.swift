import Synchronization

/// An event that happens once, and that tasks can wait for. Any thread.
///
///     let ready = OneTimeSignal()
///     Task { await ready.wait() }
///     ready.signal()
///
/// Waiting ignores cancellation. Use it for an event that is certain to happen, or that the code giving it up also
/// signals.
public final class OneTimeSignal: Sendable {
    private struct State {
        var hasHappened = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Harmless when called again. Never blocks; any thread.
    public func signal() {
        let waiters = state.withLock { state in
            state.hasHappened = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the event has happened; at once if it already has.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let hasHappened = state.withLock { state in
                if !state.hasHappened { state.waiters.append(continuation) }
                return state.hasHappened
            }
            if hasHappened { continuation.resume() }
        }
    }

    /// Returns when the event has happened, or after `limit`.
    public func wait(atMost limit: Duration) async {
        let either = OneTimeSignal()
        Task {
            await wait()
            either.signal()
        }
        let timer = Task {
            try? await Task.sleep(for: limit)
            either.signal()
        }
        await either.wait()
        timer.cancel()
    }
}
