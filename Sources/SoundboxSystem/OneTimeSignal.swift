import Synchronization

/// An event that happens once, and that tasks can wait for. Any thread.
///
/// Waiting ignores cancellation. Use it for what is certain to happen, or to be signalled by whoever gives it up.
public final class OneTimeSignal: Sendable {
    private struct State {
        var hasHappened = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Harmless when called again. Never blocks.
    public func signal() {
        let waiters = state.withLock { state in
            state.hasHappened = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when it has happened, at once if it has already.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let hasHappened = state.withLock { state in
                if !state.hasHappened { state.waiters.append(continuation) }
                return state.hasHappened
            }
            if hasHappened { continuation.resume() }
        }
    }

    /// Returns when it has happened, and in any case after `limit`.
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
