import Glibc
import SoundboxSystem

/// A request in the state folder to remove the setup, written by a box whose buttons take it out of service and that
/// lacks the rights to remove its setup.
///
/// It identifies one file: a newer setup is not removed by an old request.
struct ResetRequest {
    private let configurationFile: String
    private let path: String

    /// - Parameter directory: the box's state folder.
    init(of configurationFile: String, in directory: String) {
        self.configurationFile = configurationFile
        path = "\(directory)/reset-requested"
    }

    /// Blocks on the disk.
    func write() throws(FileError) {
        try SmallFile.replace(path, with: "\(setup)\n", mode: 0o600, owner: nil)
    }

    /// Whether there is a request about the installed setup. Blocks on the disk.
    ///
    /// Root reads it in a folder of the service's user at every start of the box, so no link is followed.
    var isStanding: Bool {
        (try? SmallFile.bytes(ofRegularFile: path, limit: 256)) == Array("\(setup)\n".utf8)
    }

    /// Blocks on the disk. A folder of this name stays.
    func remove() { unlink(path) }

    /// The identity of the installed file. Setup replaces the whole file, so another setup has another inode or time.
    private var setup: String {
        var attributes = stat()
        guard stat(configurationFile, &attributes) == 0 else { return "none" }
        let time = attributes.st_mtim
        return "\(attributes.st_dev):\(attributes.st_ino) \(time.tv_sec).\(time.tv_nsec)"
    }
}
