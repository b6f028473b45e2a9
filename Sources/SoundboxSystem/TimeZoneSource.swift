import SoundboxCore
import Synchronization

/// The rules of a time zone as this machine has them, read anew when their file changes: a package brings new ones, and
/// somebody sets another zone. Any thread; blocks on the disk.
public final class TimeZoneSource: Sendable {
    private struct Known {
        var stamp: FileStamp?
        var rules: TimeZoneRules
    }

    public static let database = "/usr/share/zoneinfo"
    public static let localTime = "/etc/localtime"

    /// Bytes of a name.
    static let longestName = 64

    private let path: String
    private let known: Mutex<Known>

    /// A zone by its name in the database: `Asia/Shanghai`.
    public init(named name: String, database: String = TimeZoneSource.database) throws(TimeZoneError) {
        guard Self.isName(name) else { throw TimeZoneError("\(name.excerpt) is no name of a time zone") }
        path = "\(database)/\(name)"
        let stamp = FileStamp(path)
        do throws(TimeZoneError) {
            known = Mutex(Known(stamp: stamp, rules: try Self.rules(at: path)))
        } catch {
            throw TimeZoneError("the time zone \(name.excerpt) cannot be used: \(path): \(error)")
        }
    }

    /// The machine's own zone; UTC as long as it has none that can be read.
    public init(localTime path: String = TimeZoneSource.localTime) {
        self.path = path
        known = Mutex(Known(stamp: FileStamp(path), rules: (try? Self.rules(at: path)) ?? .utc))
    }

    /// The rules as they are now. A file that cannot be read any more leaves them as they were.
    public var rules: TimeZoneRules {
        let stamp = FileStamp(path)
        if let rules = known.withLock({ $0.stamp == stamp ? $0.rules : nil }) { return rules }
        let rules = try? Self.rules(at: path)
        return known.withLock { known in
            if let rules { known = Known(stamp: stamp, rules: rules) }
            return known.rules
        }
    }

    /// Whether it can only be a name inside of the database, wherever links lead from there.
    public static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return name.utf8.count <= longestName && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy(isLetter) }
    }

    /// Without the point, of which nobody can make a folder above.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "A"..."Z", "a"..."z", "0"..."9", "_", "+", "-": true
        default: false
        }
    }

    private static func rules(at path: String) throws(TimeZoneError) -> TimeZoneRules {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try SmallFile.bytes(of: path, limit: TimeZoneRules.longestFile) } catch {
            throw TimeZoneError("\(error)")
        }
        return try TimeZoneRules(tzif: bytes)
    }
}
