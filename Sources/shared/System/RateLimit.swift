import Synchronization

/// Limits log lines, answers or requests of one kind, so that no client can fill the journal or the outbox.
///
///     let limit = RateLimit(limit: 500, per: .seconds(1))
///     guard limit.take() != nil else { return .tooFast }
///
/// Any thread; never blocks.
package final class RateLimit: Sendable {
    private struct Spent {
        var since: Duration
        var lines = 0
        var suppressed = 0
    }

    private let limit: Int
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let spent: Mutex<Spent>

    /// - Parameters:
    ///   - limit: lines per `interval`.
    ///   - now: a monotonic clock.
    package init(
        limit: Int = 60, per interval: Duration = .seconds(60),
        now: @escaping @Sendable () -> Duration = { .monotonicNow }
    ) {
        self.limit = limit
        self.interval = interval
        self.now = now
        spent = Mutex(Spent(since: now()))
    }

    /// - Returns: `nil` to suppress the line; otherwise how many were suppressed since the last one.
    package func take() -> Int? {
        let now = now()
        return spent.withLock { spent in
            if now - spent.since >= interval {
                spent.since = now
                spent.lines = 0
            }
            guard spent.lines < limit else {
                spent.suppressed += 1
                return nil
            }
            spent.lines += 1
            defer { spent.suppressed = 0 }
            return spent.suppressed
        }
    }
}
