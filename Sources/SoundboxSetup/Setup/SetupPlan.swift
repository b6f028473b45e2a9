import CNIOLinux
import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// What setup is about to write: `soundbox.yaml`, and one file per secret beside it.
public struct SetupPlan: Sendable, Equatable {
    public struct File: Sendable, Equatable {
        public var path: String
        var content: String
        public var mode: UInt16
        public var isSecret: Bool
    }

    /// Secrets first, so that a `soundbox.yaml` that is there finds all it names.
    public var files: [File]
    /// The configuration as it will be read.
    public var configuration: Configuration { get throws { try Configuration(parsing: text, file: path) } }
    let path: String
    /// What `soundbox.yaml` will hold.
    public let text: String

    /// Splits a provisioning document into files, and checks the result as the box will.
    ///
    /// - Parameters:
    ///   - document: the keys of `soundbox.yaml`, and also `password`, `ca`, `certificate` and `key` of `broker` and
    ///     `key` and `next_key` of `authenticity`, which hold what the box keeps in files of their own. A key in a file that
    ///     is named instead is read, since a box with a bad one does not start.
    ///   - source: what errors name as the document's file.
    ///   - path: where `soundbox.yaml` goes.
    public init(_ document: YAMLDocument, source: String, to path: String) throws(YAMLError) {
        var document = document
        var files: [File] = []
        for part in SetupPart.all {
            guard let text = document[path: part.inline] else {
                guard let path = document[path: part.reference], let problem = part.problem(inFile: path) else {
                    continue
                }
                throw YAMLError(
                    file: source, line: nil, key: part.reference.joined(separator: "."), problem: problem)
            }
            let content: String
            do { content = try part.installable(text) } catch {
                throw YAMLError(
                    file: source, line: nil, key: part.inline.joined(separator: "."), problem: error.description)
            }
            let file = "\(SmallFile.folder(of: path))/\(part.file)"
            files.append(
                File(
                    path: file, content: content, mode: part.isSecret ? 0o600 : 0o644, isSecret: part.isSecret))
            document[path: part.inline] = nil
            document[path: part.reference] = file
        }
        text = Self.heading + document.text
        self.path = path
        _ = try Configuration(parsing: document.text, file: source)
        self.files = files + [File(path: path, content: text, mode: 0o640, isSecret: false)]
    }

    /// Which of the files would differ from what is installed. Blocks on the disk.
    public var changes: [File] { files.filter { !Self.isInstalled($0) } }

    /// Writes what differs; the previous `soundbox.yaml`, with its comments, stays beside it as `soundbox.yaml.old`.
    /// Blocks on the disk.
    /// - Returns: the paths that changed.
    @discardableResult
    public func write() throws -> [String] {
        let owners = FileOwners.installed
        try SmallFile.createFolder(of: path, mode: 0o750, owner: owners.settings)
        let changes = changes
        for file in changes {
            if file.path == path, let old = try? SmallFile.read(path) {
                try SmallFile.replace("\(path).old", with: old, mode: 0o640, owner: owners.settings)
            }
            try SmallFile.replace(
                file.path, with: file.content, mode: mode_t(file.mode),
                owner: file.isSecret ? owners.secrets : owners.settings)
        }
        return changes.map(\.path)
    }

    private static func isInstalled(_ file: File) -> Bool {
        var attributes = stat()
        guard stat(file.path, &attributes) == 0, attributes.st_mode & 0o777 == mode_t(file.mode),
            let content = try? SmallFile.read(file.path)
        else { return false }
        if content == file.content { return true }
        // A configuration that says the same with other words and comments is left alone.
        guard let installed = try? YAMLDocument(parsing: content, file: file.path),
            let planned = try? YAMLDocument(parsing: file.content, file: file.path)
        else { return false }
        return installed == planned
    }

    private static let heading = """
        # Written by `soundbox setup`, which can be run again at any time; every key: docs/configuration.md.

        """
}

extension YAMLDocument {
    /// The document with the installer's answers in it; the files they name are read, and everything else stays.
    /// Blocks on the disk.
    public func applying(_ answers: SetupAnswers) throws -> YAMLDocument {
        var document = self
        document["merchant_id"] = answers.merchantID
        document["device_id"] = answers.deviceID
        document["broker", "url"] = answers.brokerURL
        document["broker", "username"] = answers.username
        if answers.username == nil { document["broker", "password_file"] = nil }
        if !answers.usesTLS { document["broker", "pin_sha256"] = nil }
        if let password = answers.password { document["broker", "password"] = password.value }
        for (path, reference, inline) in [
            (answers.caFile, "ca_file", "ca"), (answers.certFile, "cert_file", "certificate"),
            (answers.keyFile, "key_file", "key"),
        ] where path != document["broker", reference] {
            document["broker", reference] = nil
            document["broker", inline] = try path.map { try SmallFile.read($0) }
        }
        document[list: "voice", "locale"] = answers.voices
        document["announce", "currency"] = answers.currency
        document["board"] = answers.board
        document["audio", "device"] = answers.audioDevice
        document["audio", "volume"] = String(answers.volume)
        return document
    }
}
