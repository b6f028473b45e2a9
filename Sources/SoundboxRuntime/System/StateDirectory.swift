import Glibc
import SoundboxCore

/// The folder that holds what must survive: the inbox, the volume, and a lock, so that two boxes never share one.
final class StateDirectory: Sendable {
    let path: String
    private let lock: Int32

    /// Creates the folder if it is missing and takes the lock, which the kernel releases when the process ends, however
    /// it ends. Blocks on the disk.
    init(path: String) throws(StateDirectoryError) {
        self.path = path
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else {
            throw StateDirectoryError(path: path, reason: "cannot create it: \(String(cString: strerror(errno)))")
        }
        let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw StateDirectoryError(path: path, reason: "cannot write in it: \(String(cString: strerror(errno)))")
        }
        lock = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StateDirectoryError(
                path: path, reason: "another soundbox is running on it; stop that one or set another state_directory",
                isInUse: true)
        }
    }

    deinit { close(lock) }

    var inboxPath: String { "\(path)/inbox.sqlite" }
    var volumeFile: VolumeFile { VolumeFile(path: "\(path)/volume") }
}

struct StateDirectoryError: Error, Equatable, CustomStringConvertible {
    var path: String
    var reason: String
    /// Whether it is another box that is in the way.
    var isInUse = false

    var description: String { "state directory \(path): \(reason)" }
}

/// Remembers the volume across restarts.
struct VolumeFile: Sendable {
    let path: String

    /// `nil` when nothing readable is there: the configured volume then counts. Blocks on the disk.
    func read() -> Volume? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        let digits = buffer[..<max(0, count)].prefix { $0 != UInt8(ascii: "\n") }
        return Int(String(decoding: digits, as: UTF8.self)).map(Volume.init)
    }

    /// Replaces the file as a whole: after a power cut it holds the old volume or the new one. Blocks on the disk.
    func write(_ volume: Volume) throws(StateDirectoryError) {
        let temporary = "\(path).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw failure() }
        var text = "\(volume.level)\n"
        let isWritten = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
        let isOnDisk = isWritten && fsync(descriptor) == 0
        guard close(descriptor) == 0, isOnDisk, rename(temporary, path) == 0 else { throw failure() }
    }

    private func failure() -> StateDirectoryError {
        StateDirectoryError(path: path, reason: "cannot keep the volume: \(String(cString: strerror(errno)))")
    }
}
