import Glibc
import SoundboxCore
import SoundboxSystem

/// What the machine under the box is like: its clock, its disk, its versions.
enum SystemChecks {
    /// 2026-01-01: no box of this version can run before that date.
    private static let earliest = 1_767_225_600

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - isSynchronised: whether the kernel knows of a time source, as adjtimex(2) tells.
    static func clock(now: Int, isSynchronised: Bool) -> Finding {
        let time = Timestamp(millisecondsSince1970: Int64(now) * 1000)
        guard now >= earliest else {
            return Finding(
                "clock", .red, "it shows \(time), which is in the past: certificates look as if not valid yet",
                advice: "connect the network, so that systemd-timesyncd sets it, or run: sudo date --set \"…\"")
        }
        guard isSynchronised else {
            return Finding(
                "clock", .amber, "it shows \(time), and no time server has confirmed it",
                advice: "check: timedatectl status")
        }
        return Finding("clock", .green, "\(time), synchronised")
    }

    static func clock() -> Finding {
        clock(now: time(nil), isSynchronised: SystemClock.isSynchronised)
    }

    /// How much room the inbox has left. Blocks on the disk.
    static func disk(_ path: String) -> Finding {
        var path = path
        // Before the first start the folder is not there yet; it will be on the disk of the nearest one that is.
        while !SmallFile.exists(path), path != "/", path != "." { path = SmallFile.folder(of: path) }
        var info = statvfs()
        guard statvfs(path, &info) == 0 else {
            return Finding("disk", .red, "\(path): \(SystemError.last)")
        }
        let free = (UInt64(info.f_bavail) * UInt64(info.f_frsize)) >> 20
        let detail = "\(free) MiB free in \(path)"
        if info.f_flag & UInt(ST_RDONLY) != 0 {
            return Finding(
                "disk", .red, "\(path) is mounted read-only",
                advice: "the card may be worn out; see: dmesg, and replace the card")
        }
        switch free {
        case ..<16: return Finding("disk", .red, detail, advice: "free some space: payments can hardly be stored")
        case ..<128: return Finding("disk", .amber, detail, advice: "free some space")
        default: return Finding("disk", .green, detail)
        }
    }

    static func versions() -> Finding {
        var system = utsname()
        uname(&system)
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let release = (try? SmallFile.read("/etc/os-release")) ?? ""
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst(12).filter { $0 != "\"" } }
        let kernel = "\(text(system.sysname)) \(text(system.release)) \(text(system.machine))"
        return Finding(
            "versions", .green, "soundbox \(SoundboxVersion.current), \(name ?? "unknown system"), \(kernel)")
    }
}
