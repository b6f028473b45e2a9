import Glibc
import SoundboxSystem

/// A box leaves this request in its state folder when its buttons take it out of service and it may not remove its
/// setup itself.
///
/// It names the very file that is meant: a setup that was made since is not removed by a request of yesterday.
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

    /// Whether there is a request, and about the setup that is installed now. Blocks on the disk.
    ///
    /// Root asks this in a folder of the service's user, at every start of the box.
    var isStanding: Bool {
        (try? SmallFile.bytes(ofRegularFile: path, limit: 256)) == Array("\(setup)\n".utf8)
    }

    /// Blocks on the disk. A folder in its place stays; it is no request.
    func remove() { unlink(path) }

    /// Setup replaces the file as a whole, so that another setup is another inode or has another time.
    private var setup: String {
        var attributes = stat()
        guard stat(configurationFile, &attributes) == 0 else { return "none" }
        let time = attributes.st_mtim
        return "\(attributes.st_dev):\(attributes.st_ino) \(time.tv_sec).\(time.tv_nsec)"
    }
}
