import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A box's whole setup in one file: `soundbox.yaml` with the secrets in it. What `setup export` writes, and what
/// `setup import` and the first boot read.
public enum Provisioning {
    /// The setup that is installed, secrets included. Blocks on the disk.
    public static func export(_ path: String) throws -> String {
        _ = try Configuration(readingFile: path)
        var document = try YAMLDocument(readingFile: path)
        let service = ServiceView.installed(for: path)
        for part in SetupPart.all {
            guard let file = document[path: part.reference] else { continue }
            document[path: part.reference] = nil
            document[path: part.inline] = try ServiceView.look(service) { try part.read(file) }
        }
        // The box that gets this has the certificate, and not the place where it is renewed.
        document[path: ["enrolment"]] = nil
        return """
            # SECRET: whoever has this file can be this box. Delete it when the new box works.
            # Install it with: soundbox setup import FILE

            """ + document.text
    }

    /// Writes an export where nobody but its owner may read it. Refuses to replace a file.
    public static func write(_ text: String, to path: String) throws(FileError) {
        guard !SmallFile.exists(path) else {
            throw FileError(path: path, problem: "is there already; give another name")
        }
        try SmallFile.replace(path, with: text, mode: 0o600, owner: nil)
    }

    /// Reads a provisioning file and plans its installation. Blocks on the disk.
    public static func plan(_ file: String, to path: String) throws -> ProvisioningPlan {
        // Read once: it may be a pipe, from a program that decrypts it.
        try ProvisioningPlan(parsing: try SmallFile.read(file, patience: nil), file: file, to: path)
    }

    /// Removes the setup if the box has asked for it: its buttons did, and the box may not do so itself. A request
    /// about an earlier setup is forgotten. Blocks on the disk.
    /// - Returns: the paths that were removed.
    public static func resetIfRequested(_ path: String) throws -> [String] {
        guard SmallFile.exists(path) else { return [] }
        let request = ResetRequest(of: path, in: try Configuration(readingFile: path).stateDirectory)
        let removed = request.isStanding ? try reset(path) : []
        request.remove()
        return removed
    }

    /// Removes the setup: `soundbox.yaml`, the secrets that setup keeps beside it, and what was changed since: volume, quiet
    /// hours, settings from afar. The inbox stays, so that no payment is spoken again when the box is set up once more.
    /// - Returns: the paths that were removed.
    public static func reset(_ path: String) throws(SetupError) -> [String] {
        let folder = SmallFile.folder(of: path)
        let kept = keptPaths(namedIn: path)
        // The configuration first: without it, nothing refers to the others.
        var removed: [String] = []
        for file in [path, "\(path).old"] + SetupPart.all.map({ "\(folder)/\($0.file)" })
            + ClaimFile.paths(beside: path) + kept
        {
            // What a kill has left of a setup holds the same secrets.
            SmallFile.discard(file)
            if unlink(file) == 0 {
                removed.append(file)
            } else if errno != ENOENT {
                throw SetupError("\(file): cannot be removed: \(SystemError.last)")
            }
        }
        // As a kill in the middle of an enrolment leaves it.
        let connection = ClaimFile.connectionFolder(beside: path)
        for name in (try? SmallFile.names(in: connection)) ?? [] { unlink("\(connection)/\(name)") }
        rmdir(connection)
        return removed
    }

    /// What a setup keeps in its state folder, also one that cannot be used. Another setup's may be in the same place.
    private static func keptPaths(namedIn path: String) -> [String] {
        guard let document = try? YAMLDocument(readingFile: path) else { return [] }
        let folder = document["state_directory"] ?? Configuration.Default.stateDirectory
        let changed = StateDirectory.changedSettings(in: folder)
        guard document["broker", "key_file"] == IdentityFiles.path(in: folder) else { return changed }
        return changed + IdentityFiles.paths(in: folder)
    }
}
