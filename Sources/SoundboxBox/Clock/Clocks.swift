import Glibc
import SoundboxCore

extension Timestamp {
    /// The system's wall clock.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

extension Timestamp {
    /// Minutes since midnight, 0–1439, in the machine's time zone.
    var minuteOfMachinesDay: Int {
        var seconds = time_t(millisecondsSince1970 / 1000)
        var local = tm()
        // Read anew, since a time zone may be set while the box runs; localtime_r need not.
        tzset()
        localtime_r(&seconds, &local)
        return Int(local.tm_hour) * 60 + Int(local.tm_min)
    }
}
