import Glibc
import SoundboxCore

extension Timestamp {
    /// The system's wall clock.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The last midnight before this, in the time zone of this machine (`TZ`, or `/etc/localtime`).
    var startOfDay: Timestamp {
        var now = time_t(millisecondsSince1970 / 1000)
        var day = tm()
        localtime_r(&now, &day)
        (day.tm_hour, day.tm_min, day.tm_sec) = (0, 0, 0)
        // The offset at midnight may differ from the one now.
        day.tm_isdst = -1
        return Timestamp(millisecondsSince1970: Int64(mktime(&day)) * 1000)
    }
}

/// Minutes since midnight by the clock on the wall, in the machine's time zone (`/etc/localtime`).
func currentMinuteOfDay() -> Int {
    var seconds = time(nil)
    var local = tm()
    // Read anew, since a time zone may be set while the box runs; localtime_r need not.
    tzset()
    localtime_r(&seconds, &local)
    return Int(local.tm_hour) * 60 + Int(local.tm_min)
}
