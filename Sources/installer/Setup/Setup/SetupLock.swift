import Glibc
import SoundboxSystem

/// Locks a folder for one setup at a time. Two at once could leave the `soundbox.yaml` of one with the secrets of the
/// other.
enum SetupLock {
    /// Longer than the time to write a setup.
    private static let timeout = Duration.seconds(10)

    /// Runs `body` while no other program writes or removes a setup beside `path`. Blocks for ``timeout`` at most
    /// before that. A missing folder needs no lock.
    static func hold<Result>(beside path: String, _ body: () throws -> Result) throws -> Result {
        let folder = SmallFile.folder(of: path)
        let end = Duration.monotonicNow + timeout
        while true {
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return try body() }
            if let lock = FileLock(closing: descriptor) { return try withExtendedLifetime(lock, body) }
            guard .monotonicNow < end else {
                throw SetupError("\(folder): another setup is being written or removed there; try again")
            }
            usleep(20_000)
        }
    }
}
