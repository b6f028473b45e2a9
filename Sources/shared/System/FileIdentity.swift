import Glibc

/// The files of an open database, by device and inode (stat(2)), since a name can move to another file at any time.
package struct FileIdentity: Sendable, Equatable {
    fileprivate struct Inode: Sendable, Equatable {
        var device: dev_t
        var number: ino_t

        init?(_ path: String) {
            var attributes = stat()
            // A link counts as another file, whatever its target: SQLite keeps the log beside the link's target.
            guard lstat(path, &attributes) == 0 else { return nil }
            (device, number) = (attributes.st_dev, attributes.st_ino)
        }
    }

    private var database: Inode?
    private var log: Inode?
    private var index: Inode?

    /// The files that are at the path now.
    package init(path: String) {
        database = Inode(path)
        log = Inode(path + "-wal")
        index = Inode(path + "-shm")
    }

    /// Takes three calls of stat(2), some microseconds.
    ///
    /// - Returns: what has happened to the opened files; `nil` when they are where they were.
    package func change(at path: String) -> String? {
        let now = FileIdentity(path: path)
        let files = [("", database, now.database), ("-wal", log, now.log), ("-shm", index, now.index)]
        for (suffix, then, now) in files where then != now {
            return "\(path)\(suffix) was \(now == nil ? "deleted or moved away" : "replaced by another file")"
        }
        return nil
    }
}

extension FileIdentity {
    package static func exists(_ path: String) -> Bool { Inode(path) != nil }

    /// In bytes; 0 for a missing file.
    package static func size(_ path: String) -> Int {
        var attributes = stat()
        return stat(path, &attributes) == 0 ? Int(attributes.st_size) : 0
    }
}

/// Changes whenever a file is written or replaced.
///
///     let stamp = FileStamp(path)
///     // … later
///     if FileStamp(path) != stamp { try reload() }
public struct FileStamp: Sendable, Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// `nil` when there is no file or it cannot be examined. Blocks on the disk for one system call.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
