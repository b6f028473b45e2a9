import Glibc
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
            document[path: part.inline] = try ServiceView.withRights(of: service) { try part.read(file) }
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
        try ProvisioningPlan(parsing: try WholeFile.read(file, mayBePipe: true), file: file, to: path)
    }
}

/// The paths of a claim: beside the `soundbox.yaml` that it will bring.
enum ClaimFile {
    static func path(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim.yaml"
    }

    /// The private key of the requested certificate.
    static func keyPath(beside configuration: String) -> String { "\(SmallFile.folder(of: configuration))/claim.key" }

    /// The folder for the connection to the claim's broker during an attempt: libraries read certificates from files.
    static func connectionFolder(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim"
    }

    /// All files of a claim, without the folder above, which is removed after each attempt.
    static func paths(beside configuration: String) -> [String] {
        [path(beside: configuration), keyPath(beside: configuration)]
    }
}

/// Locks a folder for one setup at a time. Two at once could leave the `soundbox.yaml` of one with the secrets of the
/// other.
enum SetupLock {
    /// Longer than the time to write a setup.
    private static let timeout = Duration.seconds(10)

    /// Runs `body` while no other program writes or removes a setup beside `path`. Blocks for ``timeout`` at most
    /// before that. A missing folder needs no lock.
    static func hold<Result>(beside path: String, _ body: () throws -> Result) throws -> Result {
        let folder = SmallFile.folder(of: path)
        let end = Duration.monotonicNow + timeout
        while true {
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return try body() }
            if let lock = FileLock(closing: descriptor) { return try withExtendedLifetime(lock, body) }
            guard .monotonicNow < end else {
                throw SetupError("\(folder): another setup is being written or removed there; try again")
            }
            usleep(20_000)
        }
    }
}

/// Reads a provisioning file or a claim, and checks that it is complete. A truncated copy can be valid YAML, for
/// example without the signing key. So the file must end with YAML's mark for the end of a document (YAML 1.2.2,
/// 9.1.2).
enum WholeFile {
    static let end = "..."

    /// Reads the file once, because it may be a pipe of a program that decrypts it. Blocks on the disk.
    /// - Parameter mayBePipe: see ``SmallFile/bytes(of:limit:mayBePipe:)``.
    static func read(_ path: String, mayBePipe: Bool = false) throws(FileError) -> String {
        let content = try SmallFile.content(of: path, mayBePipe: mayBePipe)
        guard ![[0xFE, 0xFF], [0xFF, 0xFE]].contains(Array(content.prefix(2))) else {
            throw FileError(path: path, problem: "the file is in UTF-16; save it as UTF-8")
        }
        // Before decoding: the copy may be cut inside a character.
        guard isWhole(content) else {
            throw FileError(path: path, problem: "the file does not end with a line of three dots: is it whole?")
        }
        return try SmallFile.text(content, of: path)
    }

    /// Whether only blank lines and comments follow the mark, which is never indented.
    private static func isWhole(_ content: [UInt8]) -> Bool {
        let lines = content.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let last = lines.last(where: { !isBlank($0) }), last.starts(with: end.utf8) else { return false }
        let rest = last.dropFirst(end.utf8.count)
        return isBlank(rest) && rest.first != UInt8(ascii: "#")
    }

    /// Whether a part of a line is blank or a comment.
    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        let first = line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return first == nil || first == UInt8(ascii: "#")
    }
}
