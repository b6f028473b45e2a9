import Glibc
import SoundboxSystem

/// The folder with everything that must survive a restart: the inbox, the volume, and a lock, so that two boxes never
/// share it.
///
///     let directory = try StateDirectory(path: "/var/lib/soundbox")
///     let inbox = try SQLiteInbox(path: directory.inboxPath)
package final class StateDirectory: Sendable {
    package let path: String
    private let lock: FileLock

    /// Creates the folder if it is missing and takes the lock. The lock ends with this object; the kernel releases it
    /// when the process ends in any way. Blocks on the disk.
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

    /// The remote settings. They are read before there is a box.
    package static func settingsPath(in folder: String) -> String { "\(folder)/settings" }

    /// Settings that somebody changed after the setup, at the box or remotely. They must not pass to the next owner.
    package static func changedSettings(in folder: String) -> [String] {
        ["settings", "volume", "quiet_hours"].map { "\(folder)/\($0)" }
    }

    package var inboxPath: String { "\(path)/inbox.sqlite" }
    package var clipsPath: String { "\(path)/clips" }
}

package struct StateDirectoryError: Error, Equatable, CustomStringConvertible {
    package var path: String
    package var reason: String
    /// Whether another box uses the folder.
    package var isInUse = false

    package var description: String { "state directory \(path): \(reason)" }
}
