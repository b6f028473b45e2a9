import Glibc
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Removes a setup. Once `soundbox.yaml` is renamed, the box has no setup. A removal that is interrupted after that is
/// completed by the next start or the next setup, before anything else.
extension Provisioning {
    /// Removes the setup if the box has requested it, after its buttons were held and it lacks the rights itself. A
    /// request about an earlier setup is dropped. Blocks on the disk.
    /// - Returns: the paths that were removed.
    public static func resetIfRequested(_ path: String) throws -> [String] {
        let removed = try finishReset(path)
        guard SmallFile.exists(path) else { return removed }
        let request = ResetRequest(of: path, in: try Configuration(readingFile: path).stateDirectory)
        let requested = request.isStanding ? try reset(path) : []
        request.remove()
        return removed + requested
    }

    /// Removes the setup: `soundbox.yaml`, the secrets beside it, and later changes: volume, quiet hours, remote
    /// settings, signed-in phones. The inbox stays, so that no payment is spoken again when the box is set up again.
    /// Blocks on the disk.
    /// - Returns: the paths that were removed.
    public static func reset(_ path: String) throws -> [String] {
        try SetupLock.hold(beside: path) { try resetLocked(path) }
    }

    private static func resetLocked(_ path: String) throws(SetupError) -> [String] {
        var removed = try finishResetLocked(path)
        // Only here and not in `finishResetLocked`: a new claim may be there by then.
        removed += try remove(ClaimFile.paths(beside: path) + [CardSystem.keyFile(beside: path)])
        // A kill during an enrolment leaves this folder.
        let connection = ClaimFile.connectionFolder(beside: path)
        for name in (try? SmallFile.names(in: connection)) ?? [] { unlink("\(connection)/\(name)") }
        rmdir(connection)
        SmallFile.discard(path)
        let mark = resetMark(path)
        if rename(path, mark) == 0 {
            SmallFile.syncFolder(of: path)
        } else if errno != ENOENT {
            throw SetupError("\(path): cannot be renamed to \(mark): \(SystemError.last)")
        }
        // Without soundbox.yaml too: a kill during setup may have left secrets.
        removed += try isMarked(path) ? finishResetLocked(path) : remove(filesOfSetup(path))
        return removed
    }

    /// Completes a reset that was interrupted. Blocks on the disk.
    /// - Returns: the paths that were removed.
    @discardableResult
    static func finishReset(_ path: String) throws -> [String] {
        guard isMarked(path) else { return [] }
        return try SetupLock.hold(beside: path) { try finishResetLocked(path) }
    }

    /// ``finishReset(_:)`` for a caller that holds the lock.
    /// - Parameter besides: files to keep: those that the next setup names.
    @discardableResult
    static func finishResetLocked(_ path: String, besides: [String] = []) throws(SetupError) -> [String] {
        guard isMarked(path) else { return [] }
        let mark = resetMark(path)
        // A new soundbox.yaml may have been written by hand: its files and later settings do not belong to the old
        // setup. An unreadable one may name any file.
        let newer = InstalledSetup(path)
        guard !newer.isUnreadable else { return [] }
        let isReplaced = SmallFile.exists(path)
        // The renamed configuration names files in other folders.
        let files = filesOfSetup(path) + keptPaths(of: path, namedIn: mark, settings: !isReplaced, besides: newer)
        let removed = try remove(
            files.filter { file in !newer.names(file) && !besides.contains { SmallFile.isSame($0, file) } })
        _ = try remove([mark])
        return (isReplaced ? [] : [path]) + removed
    }

    private static func isMarked(_ path: String) -> Bool {
        var attributes = stat()
        return lstat(resetMark(path), &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFREG
    }

    /// The name of the configuration of a setup that is being removed.
    static func resetMark(_ path: String) -> String { "\(path).removed" }

    private static func filesOfSetup(_ path: String) -> [String] {
        let folder = SmallFile.absolute(SmallFile.folder(of: path))
        return ["\(path).old"] + SetupPart.all.flatMap(\.files).map { "\(folder)/\($0)" }
    }

    /// The files of a setup in other folders, also of an unusable one. Files of another setup may be in the same
    /// folder.
    /// - Parameters:
    ///   - settings: whether settings of the box and sessions of its page are included.
    ///   - newer: the installed setup. If it names the identity, all files of the identity stay.
    private static func keptPaths(
        of path: String, namedIn file: String, settings: Bool, besides newer: InstalledSetup
    ) -> [String] {
        let isInstalled = path == Configuration.defaultPath
        let document = try? YAMLDocument(readingFile: file)
        // An unreadable configuration does not say where. The package's setup has a fixed folder.
        guard document != nil || isInstalled else { return [] }
        let folder = document?["state_directory"] ?? Configuration.Default.stateDirectory
        var kept: [String] = []
        if settings {
            kept += StateDirectory.changedSettings(in: folder)
            if isInstalled { kept.append(ShopPageSettings.sessionsFile(in: ShopPageSettings.installedFolder)) }
        }
        let identity = IdentityFiles.path(in: folder)
        guard !newer.refers(to: identity), document.map({ $0["broker", "key_file"] == identity }) ?? true else {
            return kept
        }
        return kept + IdentityFiles.paths(in: folder)
    }

    /// Removes the files that exist, and returns when that is on the disk.
    private static func remove(_ files: [String]) throws(SetupError) -> [String] {
        var removed: [String] = []
        for file in files {
            // A prepared file that a kill has left contains the same secrets.
            SmallFile.discard(file)
            if unlink(file) == 0 {
                removed.append(file)
                continue
            }
            let reason = SystemError.last
            // On a read-only file system, removing a missing file fails too. A folder is not a file of a setup.
            if SmallFile.exists(file), reason.code != EISDIR {
                throw SetupError("\(file): cannot be removed: \(reason)")
            }
        }
        for file in removed { SmallFile.syncFolder(of: file) }
        return removed
    }
}

/// A request in the state folder to remove the setup, written by a box whose buttons take it out of service and that
/// lacks the rights to remove its setup.
///
/// It identifies one file: a newer setup is not removed by an old request.
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

    /// Whether there is a request about the installed setup. Blocks on the disk.
    ///
    /// Root reads it in a folder of the service's user at every start of the box, so no link is followed.
    var isStanding: Bool {
        (try? SmallFile.bytes(ofRegularFile: path, limit: 256)) == Array("\(setup)\n".utf8)
    }

    /// Blocks on the disk. A folder of this name stays.
    func remove() { unlink(path) }

    /// The identity of the installed file. Setup replaces the whole file, so another setup has another inode or time.
    private var setup: String {
        var attributes = stat()
        guard stat(configurationFile, &attributes) == 0 else { return "none" }
        let time = attributes.st_mtim
        return "\(attributes.st_dev):\(attributes.st_ino) \(time.tv_sec).\(time.tv_nsec)"
    }
}

extension SetupRemoval {
    /// Removes the setup. A service has no rights to do so: it writes a request to its state folder, and the
    /// unit then runs `setup reset --if-requested` as root. Blocks on the disk.
    ///
    /// - Parameter reset: removes the setup; see ``Provisioning/reset(_:)``.
    package init(
        of configurationFile: String, stateDirectory: String,
        reset: (String) throws -> [String] = { try Provisioning.reset($0) }
    ) throws {
        do {
            _ = try reset(configurationFile)
            self = .removed
        } catch {
            try ResetRequest(of: configurationFile, in: stateDirectory).write()
            self = .requested(reason: "\(error)")
        }
    }
}
