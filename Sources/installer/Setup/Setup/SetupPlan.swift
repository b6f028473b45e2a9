import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// The files that setup writes: `soundbox.yaml`, and one file per secret beside it.
///
///     let document = try YAMLDocument(readingFile: path).applying(answers)
///     let plan = try SetupPlan(document, source: path, to: path)
///     for path in try plan.write() { print("wrote \(path)") }
public struct SetupPlan: Sendable, Equatable {
    public struct File: Sendable, Equatable {
        public var path: String
        /// `nil` for an existing file: setup changes only its owner and mode.
        var content: String?
        public var mode: UInt16
        public var isSecret: Bool
    }

    /// Secrets first, so that an installed `soundbox.yaml` never names a missing file.
    public var files: [File]
    /// The configuration as it will be read.
    public var configuration: Configuration { get throws { try Configuration(parsing: text, file: path) } }

    /// What the installer should know of what is written, as lines: the currency of payments that name none, and a zone
    /// whose name misleads.
    public var remarks: [String] {
        guard let configuration = try? configuration else { return [] }
        let zone = configuration.features.day.timeZone.flatMap(ProcessTimeZone.surprise).map { "day.time_zone: \($0)." }
        return ["Payments that name no currency are in \(configuration.features.announcements.currency.code)."]
            + [zone].compactMap(\.self)
    }
    let path: String
    /// The setup that was installed when the document was made.
    let basis: InstalledSetup
    /// Files in other folders that `soundbox.yaml` names.
    private(set) var others: [String] = []
    /// The content of `soundbox.yaml`.
    public let text: String

    /// Splits a provisioning document into files, and checks the result like the box.
    ///
    /// - Parameters:
    ///   - document: the keys of `soundbox.yaml`, and also `password`, `ca`, `certificate` and `key` of `broker`, `key`
    ///     and `next_key` of `authenticity` and `issuer` of `enrolment`, whose contents go into separate files. A
    ///     signing key in a file that the document names is read too, because the box does not start with a bad one.
    ///   - source: the document's name for errors.
    ///   - path: the path of `soundbox.yaml`.
    ///   - basis: the setup that the document was made from; `nil` for the installed one.
    public init(
        _ document: YAMLDocument, source: String, to path: String, basis: InstalledSetup? = nil
    ) throws(YAMLError) {
        var document = document
        // Boards and cards of a batch differ, and `default`, the value without this key, is often HDMI.
        if document["audio", "device"] == nil { document["audio", "device"] = SetupAnswers.usualAudioDevice }
        var files: [File] = []
        let path = SmallFile.absolute(path)
        let installed = InstalledSetup(path)
        self.basis = basis ?? installed
        if document["announce", "currency"] == nil {
            // A running shop keeps its unit, whatever its voice; another shop has the voice's.
            let isSameShop = installed.merchant != nil && installed.merchant == document["merchant_id"]
            document["announce", "currency"] =
                isSameShop ? installed.currency : VoiceFolder.currency(saidBy: document)
        }
        let (certificate, key) = (document["broker", "certificate"], document["broker", "key"])
        for part in SetupPart.all {
            guard let text = document[path: part.inline] else {
                guard let named = document[path: part.reference] else { continue }
                // One file with a certificate and a key has the mode of the secret.
                if !part.isSecret,
                    SetupPart.all.contains(where: { $0.isSecret && document[path: $0.reference] == named })
                {
                    continue
                }
                let isBeside = SmallFile.folder(of: named) == SmallFile.folder(of: path)
                if let problem = part.problem(inFile: named, getsItsMode: isBeside) {
                    throw YAMLError(
                        file: source, line: nil, key: part.reference.joined(separator: "."), problem: problem)
                }
                if isBeside {
                    files.append(File(part, path: named, content: nil))
                } else {
                    others.append(named)
                }
                continue
            }
            let content: String
            do { content = try part.installable(text) } catch {
                throw YAMLError(
                    file: source, line: nil, key: part.inline.joined(separator: "."), problem: error.description)
            }
            let file = part.path(for: content, in: SmallFile.folder(of: path), beside: installed)
            files.append(File(part, path: file, content: content))
            document[path: part.inline] = nil
            document[path: part.reference] = file
        }
        if let certificate, let key {
            do { try SetupPart.checkCertificates(in: certificate, key: ClientKey(text: key)) } catch {
                throw YAMLError(file: source, line: nil, key: "broker.key", problem: error.description)
            }
        }
        text = Self.heading + document.text
        self.path = path
        try Self.checkChoices(of: Configuration(parsing: document.text, file: source), source)
        self.files = files + [File(path: path, content: text, mode: 0o640, isSecret: false)]
    }

    /// Checks that board and voices are installed: a box does not work without one of them. A folder that is missing as a
    /// whole is left to the doctor.
    private static func checkChoices(of configuration: Configuration, _ source: String) throws(YAMLError) {
        if SmallFile.exists(configuration.boardDirectory) {
            do { _ = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory) } catch {
                throw YAMLError(file: source, line: nil, key: "board", problem: error.description)
            }
        }
        let voices = configuration.voice
        guard SmallFile.exists(voices.directory) else { return }
        for locale in voices.locales {
            do throws(VoiceError) {
                _ = try VoiceFolder(path: voices.directory).speaking(locale, speaker: voices.speakers[locale]) { $0 }
            } catch {
                throw YAMLError(file: source, line: nil, key: "voice.locale", problem: error.description)
            }
        }
    }

    private static let heading = """
        # Written by `soundbox setup`, which can be run again at any time; every key: docs/configuration.md.

        """
}

extension YAMLDocument {
    /// The document with the installer's answers. Reads the files that they name; all other keys stay. Blocks on the
    /// disk.
    public func applying(_ answers: SetupAnswers) throws -> YAMLDocument {
        var document = self
        for question in SetupQuestion.allCases { try question.write(answers, &document) }
        return document
    }
}

/// The files that a `soundbox.yaml` names. They must not be replaced or removed while it is installed.
public struct InstalledSetup: Sendable, Equatable {
    /// The text, even if it is not valid YAML.
    private let text: String
    private let references: [[String]: String]
    let merchant: String?
    /// The code for amounts that name none; `nil` if it is not said.
    let currency: String?
    /// Whether the file exists and is not valid YAML.
    let isUnreadable: Bool

    /// Blocks on the disk. A missing file names nothing.
    public init(_ path: String) {
        let bytes = try? SmallFile.bytes(of: path, limit: 64 << 20)
        self.init(text: String(decoding: bytes ?? [], as: UTF8.self), isThere: SmallFile.exists(path))
    }

    init(text: String, isThere: Bool = true) {
        self.text = text
        let document = isThere ? try? YAMLDocument(parsing: text, file: "installed") : nil
        references = Dictionary(
            uniqueKeysWithValues: SetupPart.all.compactMap { part in
                document?[path: part.reference].map { (part.reference, $0) }
            })
        merchant = document?["merchant_id"]
        currency = document?["announce", "currency"]
        isUnreadable = isThere && document == nil
    }

    func reference(of part: SetupPart) -> String? { references[part.reference] }

    /// Whether one of its keys names the file.
    func refers(to file: String) -> Bool {
        references.values.contains { Self.mean($0, file) }
    }

    /// Whether it names the file anywhere, also under a misspelt key or in a line with an error.
    func names(_ file: String) -> Bool { refers(to: file) || text.contains(SmallFile.name(of: file)) }

    /// A relative path may be relative to any folder, so only its last part is compared.
    static func mean(_ reference: String, _ file: String) -> Bool {
        SmallFile.isSame(reference, file)
            || !reference.hasPrefix("/") && SmallFile.name(of: reference) == SmallFile.name(of: file)
    }
}
