import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// How a setup goes. From the moment that `soundbox.yaml` has another name the box has none; what is cut off then is done
/// by the next start, or by the next setup, before either looks at anything else.
extension Provisioning {
    /// Removes the setup if the box has asked for it: its buttons did, and the box may not do so itself. A request
    /// about an earlier setup is forgotten. Blocks on the disk.
    /// - Returns: the paths that were removed.
    public static func resetIfRequested(_ path: String) throws -> [String] {
        let removed = try finishReset(path)
        guard SmallFile.exists(path) else { return removed }
        let request = ResetRequest(of: path, in: try Configuration(readingFile: path).stateDirectory)
        let requested = request.isStanding ? try reset(path) : []
        request.remove()
        return removed + requested
    }

    /// Removes the setup: `soundbox.yaml`, the secrets that setup keeps beside it, and what was changed since: volume, quiet
    /// hours, settings from afar, phones that are signed in. The inbox stays, so that no payment is spoken again when the
    /// box is set up once more. Blocks on the disk.
    /// - Returns: the paths that were removed.
    public static func reset(_ path: String) throws -> [String] {
        try SetupLock.hold(beside: path) { try resetLocked(path) }
    }

    private static func resetLocked(_ path: String) throws(SetupError) -> [String] {
        var removed = try finishResetLocked(path)
        // First, and not again: by the time that a reset is finished there may be another one.
        removed += try remove(ClaimFile.paths(beside: path) + [CardSystem.keyFile(beside: path)])
        // As a kill in the middle of an enrolment leaves it.
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
        // What a kill has left of a setup that was never there holds secrets, too.
        removed += try isMarked(path) ? finishResetLocked(path) : remove(filesOfSetup(path))
        return removed
    }

    /// Does what is left of a reset that was cut off. Blocks on the disk.
    /// - Returns: the paths that were removed.
    @discardableResult
    static func finishReset(_ path: String) throws -> [String] {
        guard isMarked(path) else { return [] }
        return try SetupLock.hold(beside: path) { try finishResetLocked(path) }
    }

    /// The same for who holds the lock.
    /// - Parameter besides: what a setup that is about to be written names, and stays.
    @discardableResult
    static func finishResetLocked(_ path: String, besides: [String] = []) throws(SetupError) -> [String] {
        guard isMarked(path) else { return [] }
        let mark = resetMark(path)
        // Somebody may have written a soundbox.yaml by hand since: what that names is not the old setup's, and neither is
        // what was set at the box from then on. As long as nobody can read it, it may name anything.
        let newer = InstalledSetup(path)
        guard !newer.isUnreadable else { return [] }
        let isReplaced = SmallFile.exists(path)
        // The mark is what names the files elsewhere.
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

    /// The configuration under this name belongs to a setup that is being removed.
    static func resetMark(_ path: String) -> String { "\(path).removed" }

    private static func filesOfSetup(_ path: String) -> [String] {
        let folder = SmallFile.absolute(SmallFile.folder(of: path))
        return ["\(path).old"] + SetupPart.all.flatMap(\.files).map { "\(folder)/\($0)" }
    }

    /// What a setup keeps elsewhere, also one that cannot be used. Another setup's may be in the same place.
    /// - Parameters:
    ///   - settings: whether what was set at the box, and who is signed in to its page, goes too.
    ///   - newer: what is installed; an identity that it names stays with all that belongs to it.
    private static func keptPaths(
        of path: String, namedIn file: String, settings: Bool, besides newer: InstalledSetup
    ) -> [String] {
        let isInstalled = path == Configuration.defaultPath
        let document = try? YAMLDocument(readingFile: file)
        // What cannot be read does not say where; the package's setup has one place.
        guard document != nil || isInstalled else { return [] }
        let folder = document?["state_directory"] ?? Configuration.Default.stateDirectory
        var kept: [String] = []
        if settings {
            kept += StateDirectory.changedSettings(in: folder)
            if isInstalled { kept.append(Configuration.Page.sessionsFile(in: Configuration.Page.installedFolder)) }
        }
        let identity = IdentityFiles.path(in: folder)
        guard !newer.refers(to: identity), document.map({ $0["broker", "key_file"] == identity }) ?? true else {
            return kept
        }
        return kept + IdentityFiles.paths(in: folder)
    }

    /// Removes what is there of these, and is done when the disk is.
    private static func remove(_ files: [String]) throws(SetupError) -> [String] {
        var removed: [String] = []
        for file in files {
            // What a kill has left of a setup holds the same secrets.
            SmallFile.discard(file)
            if unlink(file) == 0 {
                removed.append(file)
                continue
            }
            let reason = SystemError.last
            // Where nothing may be written, what is not there cannot be removed either. A folder is none of a setup's files.
            if SmallFile.exists(file), reason.code != EISDIR {
                throw SetupError("\(file): cannot be removed: \(reason)")
            }
        }
        for file in removed { SmallFile.syncFolder(of: file) }
        return removed
    }
}
