import Glibc
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

/// Checks the clock, the disk and the versions of the machine.
enum SystemChecks {
    /// 2026-01-01: this version did not exist before.
    private static let earliest = 1_767_225_600

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - box: the clock state of the running box, whose sandbox may hide the kernel's.
    static func clock(now: Int, _ synchronisation: SystemClock.Synchronisation, box: ClockState? = nil) -> Finding {
        let time = Timestamp(millisecondsSince1970: Int64(now) * 1000)
        guard now >= earliest else {
            return Finding(
                "clock", .red, "it shows \(time), which is in the past: certificates look as if not valid yet",
                advice: "connect the network, so that systemd-timesyncd sets it, or run: sudo date --set \"…\"")
        }
        if box == .unreadable {
            return Finding(
                "clock", .amber,
                "it shows \(time), and the running box cannot tell whether that is right: "
                    + ClockState.unreadable.summary, advice: "compare with the package's unit: systemctl cat soundbox")
        }
        switch synchronisation {
        case .synchronised: return Finding("clock", .green, "\(time), synchronised, says the kernel (adjtimex)")
        case .notSynchronised:
            return Finding(
                "clock", .amber,
                "it shows \(time), and the kernel (adjtimex) knows of no time server that confirmed it",
                advice: "check: timedatectl status")
        case .unknown:
            return Finding(
                "clock", .amber,
                "it shows \(time); the kernel does not say whether it is right: "
                    + "\(synchronisation.refusal ?? "")", advice: "run it with sudo, and check: timedatectl status")
        }
    }

    static func clock(box: ClockState?) -> Finding {
        clock(now: time(nil), SystemClock.synchronisation, box: box)
    }

    /// The free space for the inbox. Blocks on the disk.
    static func disk(_ path: String) -> Finding {
        var path = path
        // Before the first start the folder does not exist; it will be on the disk of its nearest parent.
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

    /// A file of the boot partition that the first boot does not take because of its name; `nil` for none. Blocks on the
    /// disk.
    static func card(_ folder: String = CardFiles.usualFolder) -> Finding? {
        CardFiles((try? SmallFile.names(in: folder)) ?? []).problem(in: folder).map {
            Finding("boot partition", .amber, $0, advice: "and start the box again")
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
            "versions", .green,
            "soundbox \(SoundboxVersion.current), libmosquitto \(MQTTProbe.libraryVersion), "
                + "\(name ?? "unknown system"), \(kernel)")
    }
}

/// Checks that stored payments and the setup survive a power cut.
struct StorageCheck {
    let stateDirectory: String
    /// The folder of `soundbox.yaml` and of the secrets.
    let setupFolder: String

    /// Blocks on the disk.
    func finding() -> Finding {
        finding(state: PowerLoss(in: stateDirectory), setup: PowerLoss(in: setupFolder))
    }

    func finding(state: PowerLoss, setup: PowerLoss) -> Finding {
        let payments = "payments that wait are gone after a power cut, and spoken ones are spoken again"
        switch (state, setup) {
        case (.gone(let reason), _):
            return Finding("storage", .red, "\(stateDirectory): \(payments): \(reason)", advice: Self.advice)
        case (_, .gone(let reason)):
            return Finding(
                "storage", .red, "\(setupFolder): the setup is gone after a power cut: \(reason)", advice: Self.advice)
        case (.expected(let reason), _):
            return Finding(
                "storage", .amber, "\(stateDirectory): \(payments): \(reason)", advice: "for trials only")
        case (.kept, _): return Finding("storage", .green, "\(stateDirectory) is there after a power cut")
        }
    }

    private static let advice =
        "turn the overlay file system off (sudo raspi-config), or give this folder a partition of its own; see "
        + "\"State in RAM\" in docs/operations.md"
}

/// Checks that a box that follows a repository's ring (`provisioning/repository`) still gets updates from it.
///
///     let finding = UpdateCheck().finding(at: Int64(time(nil)))
struct UpdateCheck {
    /// Where `follow.sh` names the repository.
    var source = "/etc/apt/sources.list.d/soundbox.sources"
    /// Where apt keeps the last index that it has accepted.
    var lists = "/var/lib/apt/lists"

    /// Blocks on the disk.
    /// - Parameter now: seconds since 1970.
    /// - Returns: `nil` for a box that follows no ring.
    func finding(at now: Int64) -> Finding? {
        guard SmallFile.exists(source) else { return nil }
        let advice = "see: apt-get update; and ask who runs the repository (\(source)) to renew its index"
        guard let (ring, end) = index else {
            return Finding("updates", .amber, "no index of \(source) was ever accepted", advice: advice)
        }
        guard now <= end else {
            return Finding("updates", .amber, "none since the index of \(ring) has expired", advice: advice)
        }
        return Finding("updates", .green, "follows \(ring)")
    }

    /// The ring, and the second since 1970 after which its index counts no more. Fields as in
    /// https://wiki.debian.org/DebianRepository/Format.
    private var index: (ring: String, end: Int64)? {
        for name in (try? SmallFile.names(in: lists)) ?? [] where name.hasSuffix("_InRelease") {
            guard let lines = try? SmallFile.read("\(lists)/\(name)").split(separator: "\n"),
                lines.contains("Origin: Soundbox"),
                let ring = lines.first(where: { $0.hasPrefix("Suite: ") })?.dropFirst(7),
                let date = lines.first(where: { $0.hasPrefix("Valid-Until: ") })?.dropFirst(13),
                let end = secondsSince1970(ofDate: String(date))
            else { continue }
            return (String(ring), end)
        }
        return nil
    }
}
