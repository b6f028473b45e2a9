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
    public static func reset(_ path: String) throws(SetupError) -> [String] {
        var removed = try finishReset(path)
        // First, and not again: by the time that a reset is finished there may be another one.
        removed += try remove(ClaimFile.paths(beside: path))
        // As a kill in the middle of an enrolment leaves it.
        let connection = ClaimFile.connectionFolder(beside: path)
        for name in (try? SmallFile.names(in: connection)) ?? [] { unlink("\(connection)/\(name)") }
        rmdir(connection)
        SmallFile.discard(path)
        if rename(path, resetMark(path)) == 0 {
            SmallFile.syncFolder(of: path)
        } else if errno != ENOENT {
            throw SetupError("\(path): cannot be removed: \(SystemError.last)")
        }
        // What a kill has left of a setup that was never there holds secrets, too.
        removed += try SmallFile.exists(resetMark(path)) ? finishReset(path) : remove(filesOfSetup(path))
        return removed
    }

    /// Does what is left of a reset that was cut off. Blocks on the disk.
    /// - Returns: the paths that were removed.
    @discardableResult
    static func finishReset(_ path: String) throws(SetupError) -> [String] {
        let mark = resetMark(path)
        guard SmallFile.exists(mark) else { return [] }
        // The mark is what names the files elsewhere.
        let files = filesOfSetup(path) + keptPaths(of: path, namedIn: mark)
        let kept = filesNamed(in: path)
        let removed = try remove(files.filter { file in !kept.contains { SmallFile.isSame($0, file) } })
        _ = try remove([mark])
        return [path] + removed
    }

    /// Somebody has written a `soundbox.yaml` by hand before the reset was finished: what it names is not the old setup's.
    private static func filesNamed(in path: String) -> [String] {
        guard SmallFile.exists(path) else { return [] }
        guard let document = try? YAMLDocument(readingFile: path) else { return filesOfSetup(path) }
        return SetupPart.all.compactMap { document[path: $0.reference] }
    }

    /// The configuration under this name belongs to a setup that is being removed.
    static func resetMark(_ path: String) -> String { "\(path).removed" }

    private static func filesOfSetup(_ path: String) -> [String] {
        let folder = SmallFile.folder(of: path)
        return ["\(path).old"] + SetupPart.all.flatMap(\.files).map { "\(folder)/\($0)" }
    }

    /// What a setup keeps in its state folder, also one that cannot be used. Another setup's may be in the same place.
    private static func keptPaths(of path: String, namedIn file: String) -> [String] {
        let isInstalled = path == Configuration.defaultPath
        let page = isInstalled ? [Configuration.Page.sessionsFile(in: Configuration.Page.installedFolder)] : []
        guard let document = try? YAMLDocument(readingFile: file) else {
            // It does not say where; the package's setup has one place.
            let folder = Configuration.Default.stateDirectory
            return isInstalled
                ? page + StateDirectory.changedSettings(in: folder) + IdentityFiles.paths(in: folder) : []
        }
        let folder = document["state_directory"] ?? Configuration.Default.stateDirectory
        let kept = page + StateDirectory.changedSettings(in: folder)
        guard document["broker", "key_file"] == IdentityFiles.path(in: folder) else { return kept }
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
            // Where nothing may be written, what is not there cannot be removed either.
            if SmallFile.exists(file) { throw SetupError("\(file): cannot be removed: \(reason)") }
        }
        for file in removed { SmallFile.syncFolder(of: file) }
        return removed
    }
}
