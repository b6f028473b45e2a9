import Glibc

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
