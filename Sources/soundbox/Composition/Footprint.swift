import Glibc
import SoundboxSystem

/// What a process does to stay small. For the daemon only, once, before anything else.
enum Footprint {
    static func keepSmall() {
        Heap.keepSmall()
        allowDescriptors()
    }

    /// Descriptors beyond the usual 1,024, as far as the system lets: libdispatch ends the process when it has none left to
    /// look at its own threads with.
    private static func allowDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < 4096 else { return }
        limit.rlim_cur = min(limit.rlim_max, 4096)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
