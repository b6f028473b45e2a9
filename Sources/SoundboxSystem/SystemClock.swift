import CLinux
import Glibc

/// What the kernel knows about the wall clock.
public enum SystemClock {
    /// Whether it follows a time server. The kernel knows this from the program that sets the clock (chrony, timesyncd).
    public static var isSynchronised: Bool { soundbox_clock_is_synchronised() != 0 }

    /// Whether it was set from a battery-backed clock when the system started
    /// (Documentation/ABI/testing/rtc-cdev, `hctosys`). Blocks on sysfs.
    public static var wasSetFromBattery: Bool {
        (0..<4).contains { number in
            let descriptor = open("/sys/class/rtc/rtc\(number)/hctosys", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var digit: UInt8 = 0
            return read(descriptor, &digit, 1) == 1 && digit == UInt8(ascii: "1")
        }
    }

    /// The wall clock's lead over the time since the system started, which never jumps. It changes only when somebody sets
    /// the clock.
    public static var offsetFromBoot: Duration {
        var wall = timespec()
        var boot = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        clock_gettime(CLOCK_BOOTTIME, &boot)
        return .seconds(wall.tv_sec - boot.tv_sec) + .nanoseconds(wall.tv_nsec - boot.tv_nsec)
    }
}
