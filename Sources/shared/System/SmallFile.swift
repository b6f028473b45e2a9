import Glibc

/// Reads small files whole, replaces them whole and lists folders. Every call blocks on the disk. Any thread.
///
///     let text = try SmallFile.read("/etc/hostname")
///     try SmallFile.replace("/var/lib/soundbox/note", with: text, mode: 0o640, owner: nil)
public enum SmallFile {
    /// Why a file was not read.
    public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case pipeOrDevice
        /// The system's reason; `EFBIG` for a file that is larger than the limit.
        case system(SystemError)

        /// Follows the file's name in a message.
        public var description: String {
            switch self {
            case .pipeOrDevice: "is no file, but a pipe or device"
            case .system(let error): "cannot be read: \(error)"
            }
        }
    }

    /// The content of a file of at most `limit` bytes.
    ///
    /// - Parameter mayBePipe: whether it may also be a pipe, such as a shell's `<(…)`, or a device. The call then waits
    ///   without limit for the writer, which may be asking a person for a password.
    public static func bytes(of path: String, limit: Int, mayBePipe: Bool = false) throws(Failure) -> [UInt8] {
        try bytes(of: path, openedWith: 0, limit: limit, mayBePipe: mayBePipe)
    }

    /// The content of a regular file of at most `limit` bytes. In a folder that another user may write in, that user
    /// could have put there a link to a file of root's, or a pipe that nobody ever writes into.
    /// - Throws: `ELOOP` for a link.
    public static func bytes(ofRegularFile path: String, limit: Int) throws(Failure) -> [UInt8] {
        try bytes(of: path, openedWith: O_NOFOLLOW, limit: limit, mayBePipe: false)
    }

    private static func bytes(
        of path: String, openedWith flags: Int32, limit: Int, mayBePipe: Bool
    ) throws(Failure) -> [UInt8] {
        // Otherwise opening a pipe would wait for its writer without end.
        let descriptor = open(path, flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .system(.last) }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw .system(.last) }
        // A folder is refused by `read`.
        let isPipe = ![S_IFREG, S_IFDIR].contains(attributes.st_mode & S_IFMT)
        guard mayBePipe || !isPipe else { throw .pipeOrDevice }
        do { return try content(of: descriptor, limit: limit, mustWait: isPipe) } catch { throw .system(error) }
    }

    private static func content(of descriptor: Int32, limit: Int, mustWait: Bool) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
        while true {
            if mustWait { try waitForInput(of: descriptor) }
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, [EINTR, EAGAIN].contains(errno) { continue }
            guard count >= 0 else { throw SystemError.last }
            if count == 0 { return content }
            content += chunk[..<count]
            guard content.count <= limit else { throw SystemError(code: EFBIG) }
        }
    }

    /// Waits until there is something to read, or the writer is gone.
    private static func waitForInput(of descriptor: Int32) throws(SystemError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0 {
            guard errno == EINTR else { throw SystemError.last }
        }
    }

    /// The text of a file of at most 1 MiB; a larger one is refused.
    /// - Parameter mayBePipe: as for ``bytes(of:limit:mayBePipe:)``.
    public static func read(_ path: String, mayBePipe: Bool = false) throws(FileError) -> String {
        try text(try content(of: path, mayBePipe: mayBePipe), of: path)
    }

    /// The bytes of a file of at most 1 MiB.
    public static func content(of path: String, mayBePipe: Bool = false) throws(FileError) -> [UInt8] {
        do { return try bytes(of: path, limit: 1 << 20, mayBePipe: mayBePipe) } catch {
            switch error {
            case .pipeOrDevice: throw FileError(path: path, problem: "\(error)")
            case .system(let error) where error.code == EFBIG:
                throw FileError(path: path, problem: "is larger than 1 MiB")
            case .system(let error): throw failure(path, "cannot be read", error.code)
            }
        }
    }

    /// Bytes of ``content(of:mayBePipe:)`` as text.
    public static func text(_ content: [UInt8], of path: String) throws(FileError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw FileError(path: path, problem: "is not valid UTF-8")
        }
        return text
    }

    /// The names in a folder without `.` and `..`, in no order.
    public static func names(in folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError.last }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Replaces a file, or creates it. Its content never exists with wider permissions than asked for.
    ///
    /// - Parameters:
    ///   - mode: permission bits, whatever the umask is; `nil` on a file system without them, since FAT refuses to set
    ///     what it cannot store.
    ///   - owner: the file's owner; `nil` for this process's user.
    public static func replace(_ path: String, with text: String, mode: mode_t?, owner: FileOwner?) throws(FileError) {
        try prepare(path, with: text, mode: mode, owner: owner)
        try commit(path)
    }

    /// The first half of ``replace(_:with:mode:owner:)``, for several files of which all or none must be replaced:
    /// writes the new content to the disk, beside the old one. Overwrites what a kill has left there.
    /// - Throws: ``FileError`` if it cannot be written, or if a pipe, folder or device has that name.
    public static func prepare(_ path: String, with text: String, mode: mode_t?, owner: FileOwner?) throws(FileError) {
        var present = stat()
        // The rename would replace a device, and later writes to /dev/null would fill the disk.
        guard stat(path, &present) != 0 || present.st_mode & S_IFMT == S_IFREG else {
            throw FileError(path: path, problem: "cannot be replaced: it is no file, but a pipe, folder or device")
        }
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
        isWritten = true
    }

    /// The second half: replaces the file by what was prepared. Needs no space on the disk.
    public static func commit(_ path: String) throws(FileError) {
        guard rename("\(path).new", path) == 0 else {
            let reason = errno
            discard(path)
            throw failure(path, "cannot be replaced", reason)
        }
        syncFolder(of: path)
    }

    /// Deletes what was prepared.
    public static func discard(_ path: String) { unlink("\(path).new") }

    /// Gives a file or folder in root's folders its owner and mode. Its content stays.
    public static func giveBack(_ path: String, mode: mode_t, owner: FileOwner?) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, "cannot be given its mode and owner") }
        defer { close(descriptor) }
        guard owner.map({ fchown(descriptor, $0.user, $0.group) == 0 }) ?? true, fchmod(descriptor, mode) == 0,
            fsync(descriptor) == 0
        else { throw failure(path, "cannot be given its mode and owner") }
    }

    /// Creates the folder of `path` if it is missing; its parents must exist.
    public static func createFolder(of path: String, mode: mode_t, owner: FileOwner?) throws(FileError) {
        let folder = folder(of: path)
        guard mkdir(folder, mode) == 0 else {
            guard errno == EEXIST else { throw failure(folder, "cannot be created") }
            return
        }
        // The umask has changed the mode that mkdir set.
        guard chmod(folder, mode) == 0, owner.map({ chown(folder, $0.user, $0.group) == 0 }) ?? true else {
            throw failure(folder, "cannot be given its mode and owner")
        }
    }

    /// Creates a folder, and the missing folders above it. An existing one is not changed.
    /// - Throws: the first folder that cannot be created, or what is in its place.
    public static func createFolders(_ path: String) throws(FileError) {
        for end in path.indices.dropFirst() where path[end] == "/" { try createFolder(String(path[..<end])) }
        try createFolder(path)
    }

    private static func createFolder(_ path: String) throws(FileError) {
        if mkdir(path, 0o777) == 0 { return }
        let reason = errno
        var attributes = stat()
        guard stat(path, &attributes) == 0 else { throw failure(path, "cannot be created", reason) }
        guard attributes.st_mode & S_IFMT == S_IFDIR else {
            throw FileError(path: path, problem: "is a file; expected a folder, or nothing")
        }
    }

    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part of a path.
    public static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The absolute path, which does not depend on the working directory.
    public static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    /// The path with its links resolved, or the path itself if nothing is there. Any thread; blocks on the disk.
    ///
    /// Use it for an output file that a user names, which may be a link, such as `/dev/stdout`. Do not use it in a
    /// folder where another user may write: a link there could direct root's writing to any file.
    public static func followingLinks(_ path: String) -> String {
        guard let target = realpath(path, nil) else { return path }
        defer { free(target) }
        return String(cString: target)
    }

    /// Whether something is there. What may not be examined counts as present: opening it reports why it fails, and a
    /// box with a setup must not pass for one without.
    public static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    /// Whether two paths name the same thing, although one of them may be relative.
    public static func isSame(_ path: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        guard path != other else { return true }
        guard stat(path, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    public static func isFolder(_ path: String) -> Bool {
        var attributes = stat()
        return stat(path, &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFDIR
    }

    /// A rename is on the disk once its folder is.
    public static func syncFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ path: String, _ what: String, _ code: Int32 = errno) -> FileError {
        let hint = code == EACCES || code == EPERM ? "; use sudo" : ""
        return FileError(path: path, problem: "\(what): \(SystemError(code: code))\(hint)")
    }
}

/// A file that cannot be read or written.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    public var path: String
    /// Follows the path in a message: "cannot be read: Permission denied".
    public var problem: String

    public init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    public var description: String { "\(path): \(problem)" }
}
