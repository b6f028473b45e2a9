import Glibc
import SoundboxCore
import Synchronization

/// The time zone of this process. glibc has one for all threads, which the environment variable `TZ` names.
///
///     ProcessTimeZone.prepare()  // before there are threads
///     try ProcessTimeZone.use("Asia/Shanghai")
///     ProcessTimeZone.clock.minuteOfDay(at: .now)
public enum ProcessTimeZone {
    static let localTime = "/etc/localtime"

    /// Bytes of a name.
    private static let longestName = 64

    private static let path = Mutex("")

    /// Sets `TZ` to the machine's zone, whatever the environment said. Call it once, before there are other threads: an
    /// existing variable can be replaced while others read the environment, but none can be added.
    public static func prepare() { use(path: localTime) }

    /// Uses a zone of the time zone database (`/usr/share/zoneinfo`, or the folder in `TZDIR`); `nil` for the machine's
    /// own, which is UTC if it has none. Any thread, after ``prepare()``; blocks on the disk.
    ///
    /// A zone's file is read once: new rules from an update of tzdata take effect in the next process.
    /// - Throws: when there is no such zone. The current zone stays.
    public static func use(_ name: String?) throws(TimeZoneError) {
        guard let name else { return useMachines() }
        use(path: try file(of: name))
    }

    /// The file of a zone. Blocks on the disk.
    /// - Throws: when there is no such zone.
    @discardableResult
    public static func file(of name: String) throws(TimeZoneError) -> String {
        guard isName(name) else { throw TimeZoneError("\(name.excerpt) is no name of a time zone") }
        let file = "\(getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo")/\(name)"
        // glibc silently uses UTC for a file that is no zone.
        var problem: String?
        do throws(SmallFile.Failure) {
            let isZone = try SmallFile.bytes(of: file, limit: 256 * 1024).starts(with: "TZif".utf8)
            if !isZone { problem = "is no time zone file (TZif)" }
        } catch { problem = "\(error)" }
        if let problem { throw TimeZoneError("the time zone \(name.excerpt) cannot be used: \(file): \(problem)") }
        return file
    }

    /// The link leads to another file after somebody has set the machine's zone.
    private static func useMachines() {
        guard let file = realpath(localTime, nil) else { return }
        defer { free(file) }
        use(path: String(cString: file))
    }

    private static func use(path file: String) {
        path.withLock { path in
            guard path != file else { return }
            path = file
            setenv("TZ", ":\(file)", 1)
            tzset()
        }
    }

    /// Local time by ``use(_:)``. Any thread.
    public static let clock = LocalTime { second in
        var (second, local) = (time_t(second), tm())
        localtime_r(&second, &local)
        return Int64(local.tm_gmtoff)
    }

    /// Whether the name stays inside the database, wherever links lead from there.
    public static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= longestName && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy(isLetter) }
    }

    /// What surprises in a zone's name, as a sentence; `nil` for nothing. The database turns the sign of `Etc/GMT+8`
    /// round, as POSIX does in `TZ`.
    public static func surprise(in name: String) -> String? {
        guard let match = name.wholeMatch(of: /Etc\/GMT([+-])([1-9][0-9]?)/) else { return nil }
        let (isWest, hours) = (match.1 == "+", match.2)
        return "\(name) is \(hours) h \(isWest ? "behind" : "ahead of") UTC; the zone \(hours) h "
            + "\(isWest ? "ahead" : "behind") is Etc/GMT\(isWest ? "-" : "+")\(hours)"
    }

    /// The name of the machine's zone; `nil` if its link leads to no file of the database. Blocks on the disk.
    public static var nameOfMachines: String? {
        guard let file = realpath(localTime, nil) else { return nil }
        defer { free(file) }
        let parts = String(cString: file).split(separator: "/zoneinfo/")
        return parts.count == 2 ? String(parts[1]) : nil
    }

    /// Without the dot, so that the name cannot contain `..`.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "A"..."Z", "a"..."z", "0"..."9", "_", "+", "-": true
        default: false
        }
    }
}

/// Why a time zone cannot be used.
public struct TimeZoneError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
