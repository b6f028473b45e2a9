import Glibc

/// Files of settings: read whole, and replaced whole, so that after a power cut the old one or the new one is there.
enum SmallFile {
    /// More than this is not what was meant.
    private static let limit = 1 << 20

    /// The text of a file. Blocks on the disk.
    static func read(_ path: String) throws(SetupError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "cannot be read") }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "cannot be read") }
            if count == 0 { break }
            content += chunk[..<count]
            guard content.count <= limit else { throw SetupError("\(path): is larger than 1 MiB") }
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw SetupError("\(path): is not valid UTF-8")
        }
        return text
    }

    /// Replaces a file, or creates it. Its content never exists under looser permissions than asked for.
    ///
    /// - Parameters:
    ///   - mode: permission bits, whatever the umask is; `nil` on a file system without them, since FAT refuses to set
    ///     what it cannot keep.
    ///   - owner: who gets it; `nil` leaves it to this process's user.
    static func replace(_ path: String, with text: String, mode: mode_t?, owner: FileOwner?) throws(SetupError) {
        let temporary = "\(path).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(path, "cannot be written") }
        var isWritten = false
        defer { if !isWritten { unlink(temporary) } }
        var text = text
        let isComplete = text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
        let isOwned = owner.map { fchown(descriptor, $0.user, $0.group) == 0 } ?? true
        let isModed = mode.map { fchmod(descriptor, $0) == 0 } ?? true
        let isReady = isComplete && isOwned && isModed && fsync(descriptor) == 0
        let reason = errno
        guard close(descriptor) == 0, isReady else { throw failure(path, "cannot be written", reason) }
        guard rename(temporary, path) == 0 else { throw failure(path, "cannot be replaced") }
        isWritten = true
        syncFolder(of: path)
    }

    /// Creates the folder of `path` when it is missing; its parents must exist.
    static func createFolder(of path: String, mode: mode_t, owner: FileOwner?) throws(SetupError) {
        let folder = folder(of: path)
        guard mkdir(folder, mode) == 0 else {
            guard errno == EEXIST else { throw failure(folder, "cannot be created") }
            return
        }
        // The umask has had its say in mkdir.
        guard chmod(folder, mode) == 0, owner.map({ chown(folder, $0.user, $0.group) == 0 }) ?? true else {
            throw failure(folder, "cannot be given its mode and owner")
        }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// A rename is on the disk when its folder is.
    static func syncFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ path: String, _ what: String, _ code: Int32 = errno) -> SetupError {
        let hint = code == EACCES || code == EPERM ? "; use sudo" : ""
        return SetupError("\(path): \(what): \(String(cString: strerror(code)))\(hint)")
    }
}

/// User and group of a file.
struct FileOwner: Sendable, Equatable {
    var user: uid_t
    var group: gid_t
}

/// Who owns what, on a machine where the package has made the user `soundbox`; elsewhere everything stays with the user
/// who runs setup, as trials in a folder need it.
struct FileOwners: Sendable, Equatable {
    /// Of settings that the box reads and does not change: root:soundbox.
    var settings: FileOwner?
    /// Of secrets, which nobody but the box reads: soundbox:soundbox.
    var secrets: FileOwner?

    /// Looks the user up. Blocks on the disk, or on whatever nsswitch.conf names.
    static var installed: FileOwners {
        guard geteuid() == 0, let entry = getpwnam("soundbox")?.pointee else { return FileOwners() }
        return FileOwners(
            settings: FileOwner(user: 0, group: entry.pw_gid),
            secrets: FileOwner(user: entry.pw_uid, group: entry.pw_gid))
    }
}
