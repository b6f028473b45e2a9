import Glibc
import SoundboxSystem

/// The folder that holds what must survive: the inbox, the volume, and a lock, so that two boxes never share one.
package final class StateDirectory: Sendable {
    package let path: String
    private let lock: FileLock

    /// Creates the folder if it is missing and takes the lock, which the kernel releases when the process ends, however
    /// it ends, and which ends with this object before that. Blocks on the disk.
    package init(path: String) throws(StateDirectoryError) {
        self.path = path
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else {
            throw StateDirectoryError(path: path, reason: "cannot create it: \(SystemError.last)")
        }
        let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw StateDirectoryError(path: path, reason: "cannot write in it: \(SystemError.last)")
        }
        guard let lock = FileLock(closing: descriptor) else {
            throw StateDirectoryError(
                path: path, reason: "another soundbox is running on it; stop that one or set another state_directory",
                isInUse: true)
        }
        self.lock = lock
    }

    /// Settings that came from afar: read before there is a box.
    package static func settingsPath(in folder: String) -> String { "\(folder)/settings" }

    /// What somebody has set since the setup, at the box or from afar: it is not for whoever has the box next.
    package static func changedSettings(in folder: String) -> [String] {
        ["settings", "volume", "quiet_hours"].map { "\(folder)/\($0)" }
    }

    package var inboxPath: String { "\(path)/inbox.sqlite" }
    package var clipsPath: String { "\(path)/clips" }
}

package struct StateDirectoryError: Error, Equatable, CustomStringConvertible {
    package var path: String
    package var reason: String
    /// Whether it is another box that is in the way.
    package var isInUse = false

    package var description: String { "state directory \(path): \(reason)" }
}
