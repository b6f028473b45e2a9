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
        // Without the key, a plan chooses anew.
        document["audio", "device"] = document["audio", "device"] ?? Configuration.Default.audioDevice
        // The box that gets this has the certificate, and not the place where it is renewed.
        document[path: ["enrolment"]] = nil
        return """
            # SECRET: whoever has this file can be this box. Delete it when the new box works.
            # Install it with: soundbox setup import FILE

            """ + document.text + "\(WholeFile.end)\n"
    }

    /// Writes an export where nobody but its owner may read it. Refuses to replace a file.
    public static func write(_ text: String, to path: String) throws(FileError) {
        guard !SmallFile.exists(path) else {
            throw FileError(path: path, problem: "is there already; give another name")
        }
        try SmallFile.replace(path, with: text, mode: 0o600, owner: nil)
    }

    /// The key of `soundbox.yaml` that names a file with this secret of a provisioning file: `broker.password_file` for
    /// `broker.password`. `nil` for what is no secret.
    public static func fileKey(ofSecret key: [String]) -> String? {
        SetupPart.all.first { $0.isSecret && $0.inline == key }?.reference.joined(separator: ".")
    }

    /// Reads a provisioning file and plans its installation. Blocks on the disk.
    public static func plan(_ file: String, to path: String) throws -> ProvisioningPlan {
        try ProvisioningPlan(parsing: try WholeFile.read(file, timeout: nil), file: file, to: path)
    }
}
