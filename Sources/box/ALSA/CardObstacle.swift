import Glibc
import SoundboxSystem

/// Why no sound card can be used, judged by the device files: alsa-lib reports "no card" in all three cases.
package enum CardObstacle: Sendable, Equatable, CustomStringConvertible {
    /// The kernel knows none: nothing is plugged in, or its driver is not loaded yet.
    case noCard
    /// The permissions of the device's file exclude this user.
    case denied(device: String?)
    /// The file's permissions would allow it, but the unit's `DeviceAllow=` list excludes the program.
    case fencedOff(device: String?)

    /// Checks `/dev/snd`. Opens control devices, which makes no sound. Any thread.
    ///
    /// - Returns: `nil` when a card can be opened.
    package static func current() -> CardObstacle? {
        current(in: "/dev/snd") { path in
            let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return errno }
            close(descriptor)
            return 0
        }
    }

    /// - Parameter tryOpening: opens a device for a moment and returns 0, or `errno`.
    package static func current(in folder: String, tryOpening: (String) -> Int32) -> CardObstacle? {
        var obstacle = CardObstacle.noCard
        for path in controlDevices(in: folder) {
            switch tryOpening(path) {
            case EACCES: obstacle = .denied(device: path)
            // The kernel's answer when a cgroup's device list forbids it.
            case EPERM: obstacle = .fencedOff(device: path)
            // It has just been removed.
            case ENOENT, ENODEV, ENXIO: continue
            default: return nil
            }
        }
        return obstacle
    }

    private static func controlDevices(in folder: String) -> [String] {
        let names = (try? SmallFile.names(in: folder)) ?? []
        return names.filter { $0.hasPrefix("controlC") }.sorted().map { "\(folder)/\($0)" }
    }

    package var description: String {
        switch self {
        case .noCard:
            "this machine has no sound card, or its driver is not loaded yet: check the plug, and the overlay of an "
                + "add-on board"
        case .denied(let device):
            "this user may not open \(device ?? "it"); add the user to the group \"audio\" (adduser USER audio) and log "
                + "in again, or restart the service"
        case .fencedOff(let device):
            "the service may not open \(device ?? "it"): its unit lacks DeviceAllow=char-116 rw (systemctl cat soundbox); "
                + "correct it, then systemctl daemon-reload and restart the service"
        }
    }
}
