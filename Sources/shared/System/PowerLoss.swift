import Glibc

/// What a power cut does to files in a folder.
///
///     if case .gone(let reason) = PowerLoss(in: "/var/lib/soundbox") { print(reason) }
public enum PowerLoss: Sendable, Equatable {
    /// They are kept, as far as can be determined.
    case kept
    /// They are lost, as the folder's name implies: it is for temporary files. The reason names the mount.
    case expected(String)
    /// They are lost, and the folder's name does not imply it. The reason names the mount.
    case gone(String)

    /// Folders that the system itself empties: file-hierarchy(7).
    private static let temporaryFolders = ["/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm"]

    /// Examines the folder, or the nearest existing one above it. Needs only search permission, and works in a
    /// service's sandbox. Blocks briefly on the disk.
    public init(in folder: String) {
        guard let path = Self.nearest(folder), let table = try? SmallFile.read("/proc/self/mountinfo") else {
            self = .kept
            return
        }
        self.init(path: path, mountID: Self.mountID(of: path), table: MountTable(parsing: table))
    }

    init(path: String, mountID: String?, table: MountTable) {
        // The number is exact; a path may be hidden below another mount.
        let mount = table.mounts.first { $0.id == mountID } ?? table.mount(at: path)
        guard let loss = mount.flatMap(table.loss) else {
            self = .kept
            return
        }
        let isTemporary = Self.temporaryFolders.contains { path == $0 || path.hasPrefix("\($0)/") }
        self = isTemporary ? .expected(loss) : .gone(loss)
    }

    /// The real path of the nearest existing folder.
    private static func nearest(_ folder: String) -> String? {
        var folder = folder
        while !SmallFile.exists(folder), folder != "/", folder != "." { folder = SmallFile.folder(of: folder) }
        guard let path = realpath(folder, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The number of a path's mount in the list of mounts: proc_pid_fdinfo(5).
    private static func mountID(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let lines = (try? SmallFile.read("/proc/self/fdinfo/\(descriptor)"))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("mnt_id:") }.map { $0.dropFirst("mnt_id:".count).filter { $0.isNumber } }
    }
}
