import Glibc
import SoundboxSystem

/// How a complete new database takes the place of the present one, by renames of which each may be the last: a start
/// that finds the new one goes on where it was left.
///
/// While the new file has a name of ``Purpose``, what stands at the path is old; once it has the path, the swap is done.
struct FileSwap: Sendable {
    enum Purpose: String, CaseIterable {
        /// The old one is damaged.
        case salvaged
        /// The old one is not the one that the box had opened.
        case rebuilt

        /// In the name that the old one keeps.
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
    /// Where the old one goes.
    var kept: String { "\(path).\(purpose.keptAs)-\(stamp)" }
    /// The new file while it is being written: of no use after a kill.
    static func unfinished(_ path: String) -> String { "\(path).new" }

    init(path: String, purpose: Purpose, stamp: String) {
        (self.path, self.purpose, self.stamp) = (path, purpose, stamp)
    }

    /// The swap that a kill has left half done, if there is one.
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

    /// A swap whose names no file has.
    static func new(path: String, purpose: Purpose, stamp: String) -> FileSwap {
        for number in 1... {
            let swap = FileSwap(path: path, purpose: purpose, stamp: number == 1 ? stamp : "\(stamp)-\(number)")
            if access(swap.kept, F_OK) != 0 && access(swap.kept + "-wal", F_OK) != 0 { return swap }
        }
        return FileSwap(path: path, purpose: purpose, stamp: stamp)
    }

    /// Gives the new file the name that says that it is complete, once every byte of it is on the disk.
    func announce() throws(SystemError) {
        try Self.synchronise(Self.unfinished(path))
        try Self.move(Self.unfinished(path), to: ready)
        try Self.synchronise(Self.folder(path))
    }

    func perform(_ step: (SalvageStep) throws -> Void) throws {
        // The log first: the new database must never find the old one's.
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
        guard rename(path, newPath) == 0 else { throw SystemError(code: errno) }
    }

    /// fsync(2), of a file or a folder.
    private static func synchronise(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError(code: errno) }
    }
}
