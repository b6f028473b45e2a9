import Glibc
import SoundboxSystem

/// Replaces the present database by a complete new one, by renames. The process may be killed after any of them: the
/// next start finds the new file and continues.
///
/// While the new file has a name of ``Purpose``, the file at the path is the old one. Once it has the path, the swap is
/// done.
struct FileSwap: Sendable {
    enum Purpose: String, CaseIterable {
        /// The old file is damaged.
        case salvaged
        /// The old file is not the one that the box had opened.
        case rebuilt

        /// Part of the name that the old file keeps.
        var keptAs: String {
            switch self {
            case .salvaged: "corrupt"
            case .rebuilt: "found"
            }
        }
    }

    let path: String
    let purpose: Purpose
    let stamp: String

    /// The complete new file.
    var ready: String { "\(path).\(purpose.rawValue)-\(stamp)" }
    /// Where the old file goes.
    var kept: String { "\(path).\(purpose.keptAs)-\(stamp)" }
    /// The name of the new file while it is being written. After a kill it is useless.
    static func unfinished(_ path: String) -> String { "\(path).new" }

    init(path: String, purpose: Purpose, stamp: String) {
        (self.path, self.purpose, self.stamp) = (path, purpose, stamp)
    }

    /// The swap that a kill has interrupted, if there is one.
    init?(unfinishedAt path: String) {
        guard let names = try? SmallFile.names(in: Self.folder(path)) else { return nil }
        let name = path.split(separator: "/").last ?? ""
        for found in names {
            for purpose in Purpose.allCases {
                let prefix = "\(name).\(purpose.rawValue)-"
                // SQLite may have left a journal beside it.
                guard found.hasPrefix(prefix), !found.hasSuffix("-journal") else { continue }
                self.init(path: path, purpose: purpose, stamp: String(found.dropFirst(prefix.count)))
                return
            }
        }
        return nil
    }

    /// A new swap, with unused names.
    static func new(path: String, purpose: Purpose, stamp: String) -> FileSwap {
        for number in 1... {
            let swap = FileSwap(path: path, purpose: purpose, stamp: number == 1 ? stamp : "\(stamp)-\(number)")
            if access(swap.kept, F_OK) != 0 && access(swap.kept + "-wal", F_OK) != 0 { return swap }
        }
        return FileSwap(path: path, purpose: purpose, stamp: stamp)
    }

    /// Syncs the new file to the disk, and then gives it the name that marks it as complete.
    func announce() throws(SystemError) {
        try Self.synchronise(Self.unfinished(path))
        try Self.move(Self.unfinished(path), to: ready)
        try Self.synchronise(Self.folder(path))
    }

    func perform(_ step: (SalvageStep) throws -> Void) throws {
        // The log is moved first: the new database must never find the old one's log.
        for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            try Self.move(path + suffix, to: kept + suffix)
        }
        try step(.logMoved)
        if access(path, F_OK) == 0 { try Self.move(path, to: kept) }
        try Self.synchronise(Self.folder(path))
        try step(.databaseMoved)
        try Self.move(ready, to: path)
        try Self.synchronise(Self.folder(path))
        try step(.swapped)
    }

    static func removeUnfinished(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(unfinished(path) + suffix) }
    }

    private static func folder(_ path: String) -> String {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder
    }

    private static func move(_ path: String, to newPath: String) throws(SystemError) {
        guard rename(path, newPath) == 0 else { throw SystemError.last }
    }

    /// fsync(2), of a file or a folder.
    private static func synchronise(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError.last }
    }
}
