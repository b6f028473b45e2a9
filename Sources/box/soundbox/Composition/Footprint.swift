import Glibc
import SoundboxSystem

/// Limits the memory of the daemon. Call once, before anything else.
enum Footprint {
    static func keepSmall() {
        Heap.keepSmall()
        allowDescriptors()
    }

    /// Raises the limit of descriptors from the usual 1,024 to 4,096 if the system allows: libdispatch ends the process
    /// if it has none left to monitor its own threads.
    private static func allowDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < 4096 else { return }
        limit.rlim_cur = min(limit.rlim_max, 4096)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
