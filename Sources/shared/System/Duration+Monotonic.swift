import Glibc

extension Duration {
    /// CLOCK_MONOTONIC: it never jumps, and its origin has no meaning. The kernel stamps GPIO edges with it. Any
    /// thread; never blocks.
    public static var monotonicNow: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Whole nanoseconds, for atomics; up to 292 years in either direction.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Rounded down.
    public var inMilliseconds: Int64 { Int64(self / .milliseconds(1)) }

    /// For `poll`: whole milliseconds rounded up, so that a wait never turns into a spin; 0 when negative.
    public var pollMilliseconds: Int32 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let milliseconds = min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(milliseconds)
    }
}
