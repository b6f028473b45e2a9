import CLinux
import Glibc
import SoundboxCore

/// What the kernel knows about the wall clock.
public enum SystemClock {
    /// Whether the clock follows a time server, according to the kernel.
    public enum Synchronisation: Sendable, Equatable {
        case synchronised, notSynchronised
        /// The kernel did not answer, which says nothing about the clock: a system call filter forbids the call.
        case unknown(SystemError)

        /// Why the kernel did not answer; `nil` when it did.
        public var refusal: String? {
            if case .unknown(let error) = self { "adjtimex: \(error)" } else { nil }
        }
    }

    /// The kernel knows this from the program that sets the clock (timesyncd, chrony, ntpd): adjtimex(2), STA_UNSYNC.
    /// The call needs no privilege. The state is lost when somebody sets the clock by hand, and nine hours after the
    /// last report of that program (16 s of possible error at 500 ppm). Never blocks; any thread.
    public static var synchronisation: Synchronisation {
        let answer = soundbox_clock_synchronisation()
        return answer < 0 ? .unknown(SystemError(code: -answer)) : answer > 0 ? .synchronised : .notSynchronised
    }

    /// The wall clock. Never blocks; any thread.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The difference between the wall clock and the time since the system started, which never jumps. It changes only
    /// when somebody sets the clock. Never blocks; any thread.
    public static var offsetFromBoot: Duration {
        var wall = timespec()
        var boot = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        clock_gettime(CLOCK_BOOTTIME, &boot)
        return .seconds(wall.tv_sec - boot.tv_sec) + .nanoseconds(wall.tv_nsec - boot.tv_nsec)
    }
}

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
