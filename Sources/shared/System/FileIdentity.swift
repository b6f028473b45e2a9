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
