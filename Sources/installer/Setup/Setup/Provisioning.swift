import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A whole setup in one file: `soundbox.yaml` with the secrets in it. `setup export` writes it; `setup import` and the
/// first boot read it.
///
///     try Provisioning.write(try Provisioning.export("/etc/soundbox/soundbox.yaml"), to: "box.yaml")
///     try Provisioning.plan("box.yaml", to: "/etc/soundbox/soundbox.yaml").write()
public enum Provisioning {
    /// The installed setup with its secrets. Blocks on the disk.
    public static func export(_ path: String) throws -> String {
        _ = try Configuration(readingFile: path)
        var document = try YAMLDocument(readingFile: path)
        let service = ServiceView.installed(for: path)
        for part in SetupPart.all {
            guard let file = document[path: part.reference] else { continue }
            document[path: part.reference] = nil
            document[path: part.inline] = try ServiceView.look(service) { try part.read(file) }
        }
        // Without this key, a plan would choose a device.
        document["audio", "device"] = document["audio", "device"] ?? Configuration.Default.audioDevice
        // The export contains the certificate. The box that imports it cannot renew it.
        document[path: ["enrolment"]] = nil
        return """
            # SECRET: whoever has this file can be this box. Delete it when the new box works.
            # Install it with: soundbox setup import FILE

            """ + document.text + "\(WholeFile.end)\n"
    }

    /// Writes an export that only its owner can read. Refuses to replace a file.
    public static func write(_ text: String, to path: String) throws(FileError) {
        guard !SmallFile.exists(path) else {
            throw FileError(path: path, problem: "is there already; give another name")
        }
        try SmallFile.replace(path, with: text, mode: 0o600, owner: nil)
    }

    /// The key of `soundbox.yaml` for the file with a secret of a provisioning file: `broker.password_file` for
    /// `broker.password`; `nil` if the key is not a secret.
    public static func fileKey(ofSecret key: [String]) -> String? {
        SetupPart.all.first { $0.isSecret && $0.inline == key }?.reference.joined(separator: ".")
    }

    /// Reads a provisioning file and plans its installation. Blocks on the disk.
    public static func plan(_ file: String, to path: String) throws -> ProvisioningPlan {
        try ProvisioningPlan(parsing: try WholeFile.read(file, timeout: nil), file: file, to: path)
    }
}
