import Synchronization

/// A clock that stands still but for those who sleep on it: they find themselves at their deadline at once.
final class SteppingClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Mutex(Duration.zero)

    var elapsed: Duration { time.withLock { $0 } }
    var now: Instant { Instant(offset: elapsed) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        time.withLock { $0 = max($0, deadline.offset) }
    }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
