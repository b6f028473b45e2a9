import Glibc
import SoundboxBox
import SoundboxCore
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

/// A file that holds one line and, on a second one, its SHA-256: a flipped bit can leave text that makes sense, and the
/// sum detects it. Blocks on the disk.
struct SummedLine: Sendable {
    let path: String
    /// The largest file, in bytes.
    let limit: Int

    /// - Returns: the line; `nil` when there is no file.
    /// - Throws: when the file cannot be read, or is not what was written.
    func read() throws(FileError) -> [UInt8]? {
        guard SmallFile.exists(path) else { return nil }
        let bytes: [UInt8]
        do { bytes = try SmallFile.bytes(ofRegularFile: path, limit: limit) } catch {
            throw FileError(path: path, problem: "\(error)")
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count == 2, Self.sum(Array(lines[0])).utf8.elementsEqual(lines[1]) else {
            throw FileError(path: path, problem: "is damaged")
        }
        return Array(lines[0])
    }

    /// Replaces the whole file: after a power cut it holds the old line or the new one.
    /// - Parameter line: without a line break.
    func write(_ line: String) throws(FileError) {
        try SmallFile.replace(path, with: "\(line)\n\(Self.sum(Array(line.utf8)))\n", mode: 0o640, owner: nil)
    }

    private static func sum(_ line: [UInt8]) -> String { SHA256.hash(of: line).hexadecimal }
}

/// Stores the remote settings across restarts.
///
///     let file = SettingsFile(inStateDirectory: "/var/lib/soundbox")
///     try file.write(record)
///     let stored = try file.read()
package struct SettingsFile: Sendable {
    private let file: SummedLine
    var path: String { file.path }

    package init(inStateDirectory folder: String) {
        // Three settings of 8 KiB each, in JSON that escapes every character.
        file = SummedLine(path: StateDirectory.settingsPath(in: folder), limit: 256 << 10)
    }

    /// The stored settings; `nil` when there are none. Blocks on the disk.
    /// - Throws: when the file cannot be read, or is damaged. Then only `soundbox.yaml` counts.
    package func read() throws(FileError) -> SettingsRecord? {
        guard let line = try file.read() else { return nil }
        guard let record = (try? JSONValue(parsing: line)).flatMap(SettingsRecord.init(decoding:)) else {
            throw FileError(path: path, problem: "is damaged")
        }
        return record
    }

    /// Replaces the whole file: after a power cut it holds the old record or the new one. Blocks on the disk.
    package func write(_ record: SettingsRecord) throws(FileError) { try file.write(record.json.text) }
}
