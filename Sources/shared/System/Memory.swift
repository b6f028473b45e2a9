import CLinux
import Glibc

/// The program's code in memory.
public enum ProgramCode {
    /// Returns pages to the kernel that only the start needed: of forty megabytes of code, metadata and symbols, a
    /// running box uses ten. A page that is needed again costs a soft page fault; it is read from the disk again only
    /// if the kernel has no room for it. Any thread.
    public static func release() {
        soundbox_release_code()
    }
}

/// How the C library's heap behaves in a process that runs for months on a board with little memory.
public enum Heap {
    /// Trades a little speed for memory. Process-wide; call it once, before other threads start.
    ///
    /// When two threads meet in `malloc`, glibc gives one of them a heap of its own, up to eight per core, and no heap
    /// ever shrinks. One heap is enough for a dozen threads that mostly wait. Blocks above the threshold, such as the
    /// decoded speech of an announcement, get mappings of their own, which return to the kernel when they are freed.
    /// Without an explicit threshold, glibc would raise it after the first such block (mallopt(3)).
    public static func keepSmall() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024)
        mallopt(M_TRIM_THRESHOLD, 128 * 1024)
    }

    /// Returns free memory to the kernel. Holds the heap's lock for about a millisecond. Any thread.
    public static func trim() {
        malloc_trim(0)
    }
}

/// Readings of the machine: free disk space and temperatures.
///
///     let reading = MachineReading(stateDirectory: "/var/lib/soundbox")
///     for temperature in reading.temperatures { print(temperature.type, temperature.celsius) }
package struct MachineReading: Sendable, Equatable {
    package struct Temperature: Sendable, Equatable {
        /// `thermal_zone0`
        package var zone: String
        /// The driver's name for it: `cpu-thermal`.
        package var type: String
        package var celsius: Double
    }

    /// On the disk of the state directory, for programs without root's rights; `nil` when the disk does not say.
    package var freeBytes: UInt64?
    /// Empty when the kernel has no thermal zone, as in a virtual machine.
    package var temperatures: [Temperature] = []

    package init(freeBytes: UInt64? = nil, temperatures: [Temperature] = []) {
        (self.freeBytes, self.temperatures) = (freeBytes, temperatures)
    }

    /// Blocks on the disk, and on sensors that answer slowly.
    package init(stateDirectory: String, thermalFolder: String = "/sys/class/thermal") {
        var room = statvfs()
        if statvfs(stateDirectory, &room) == 0 { freeBytes = UInt64(room.f_bavail) * UInt64(room.f_frsize) }
        // The kernel numbers them from 0. No board has more.
        for number in 0..<32 {
            let folder = "\(thermalFolder)/thermal_zone\(number)"
            guard let type = Self.line("\(folder)/type") else { break }
            // A sensor may refuse for a while: EAGAIN while it is switched off.
            guard let text = Self.line("\(folder)/temp"), let thousandths = Int(text) else { continue }
            temperatures.append(
                Temperature(zone: "thermal_zone\(number)", type: type, celsius: Double(thousandths) / 1000))
        }
    }

    private static func line(_ path: String) -> String? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 4096) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
