import Glibc
import Logging
import SoundboxSystem

/// The control socket in the file system, which only the box's user and group may open. It is created again when
/// somebody removes it.
final class ControlSocket: HTTPListener {
    private(set) var descriptor: Int32?
    /// inotify(7) of the socket itself, so that only its own removal wakes the thread.
    private(set) var watch: Int32?
    private let path: String
    /// `nil` for the process's own group.
    private let group: gid_t?
    private let logger: Logger
    /// Distinguishes it from another socket in its place.
    private var identity: Identity?

    private struct Identity: Equatable {
        var device: dev_t
        var inode: ino_t

        /// - Returns: `nil` when nothing is there.
        init?(of path: String) {
            var attributes = stat()
            guard lstat(path, &attributes) == 0 else { return nil }
            device = attributes.st_dev
            inode = attributes.st_ino
        }
    }

    /// - Throws: when something else is in its place, or no socket can be made there.
    init(path: String, group: String? = nil, logger: Logger) throws(ControlError) {
        self.path = path
        if let group {
            guard let entry = getgrnam(group) else {
                throw ControlError(reason: "this machine has no group \(group)")
            }
            self.group = entry.pointee.gr_gid
        } else {
            self.group = nil
        }
        self.logger = logger
        try removeStaleSocket()
        try open()
    }

    deinit { close() }

    /// Removes it from the file system. Anything else in its place belongs to another box, or is no socket.
    func close() {
        if identity != nil, identity == Identity(of: path) { unlink(path) }
        identity = nil
        letGo()
    }

    func restoreIfRemoved() {
        if let watch {
            var events = [UInt8](repeating: 0, count: 1024)
            while read(watch, &events, events.count) > 0 {}
        }
        let found = Identity(of: path)
        // Only its attributes have changed.
        guard found != identity else { return }
        do throws(ControlError) {
            guard found == nil else { throw ControlError(reason: "something else is in its place") }
            try open()
            logger.warning("the control socket was removed and is back", metadata: ["path": "\(path)"])
        } catch {
            logger.error("no control socket", metadata: ["path": "\(path)", "reason": "\(error)"])
            letGo()
        }
    }

    /// Removes the socket that a killed box left behind, and nothing else: a socket that answers belongs to a running
    /// box.
    private func removeStaleSocket() throws(ControlError) {
        var attributes = stat()
        guard lstat(path, &attributes) == 0 else { return }
        guard attributes.st_mode & S_IFMT == S_IFSOCK else {
            throw ControlError(reason: "something that is no socket is in its place; set another control_socket")
        }
        let descriptor = try makeSocket()
        defer { Glibc.close(descriptor) }
        // EAGAIN: it listens, and its queue is full.
        if withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 || errno == EAGAIN {
            throw ControlError(reason: "another soundbox answers on it; set another control_socket")
        }
        unlink(path)
    }

    /// Closes the earlier socket only once there is a new one.
    private func open() throws(ControlError) {
        let opened = try makeSocket()
        switch withUnixAddress(path, { bind(opened, $0, $1) == 0 ? 0 : errno }) {
        // Nobody can connect before it listens.
        case 0 where giveToGroup() && chmod(path, 0o660) == 0 && listen(opened, 256) == 0: break
        case 0:
            let error = SystemError.last
            Glibc.close(opened)
            unlink(path)
            throw ControlError(reason: "\(error)")
        case let code:
            Glibc.close(opened)
            throw ControlError(reason: code.map { "\(SystemError(code: $0))" } ?? "its path is longer than 107 bytes")
        }
        letGo()
        descriptor = opened
        identity = Identity(of: path)
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        // A removal is a change of attributes first: of the number of links (inotify(7), IN_ATTRIB).
        let events = UInt32(IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW)
        if watch >= 0, inotify_add_watch(watch, path, events) < 0 {
            Glibc.close(watch)
        } else if watch >= 0 {
            self.watch = watch
        }
    }

    /// Done before others may open it. A process may give its file to a group that it is a member of.
    private func giveToGroup() -> Bool {
        guard let group else { return true }
        return lchown(path, gid_t.max, group) == 0
    }

    private func makeSocket() throws(ControlError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw ControlError(reason: "\(SystemError.last)") }
        return descriptor
    }

    private func letGo() {
        for open in [descriptor, watch].compactMap(\.self) { Glibc.close(open) }
        descriptor = nil
        watch = nil
    }
}
