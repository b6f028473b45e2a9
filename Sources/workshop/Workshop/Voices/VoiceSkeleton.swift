import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Creates the folder of a new voice, with a `voice.yaml` that is complete except for its recordings:
///
///     let directory = try VoiceSkeleton(locale: "ms-MY", in: "sounds").create()
public struct VoiceSkeleton: Sendable {
    /// The folder of the voices; made if it is missing.
    private let folder: String
    private let locale: String

    /// - Parameter locale: a BCP 47 tag; see ``isLocale(_:)``.
    public init(locale: String, in folder: String) {
        self.locale = locale
        self.folder = folder
    }

    /// Whether `text` looks like a BCP 47 tag of language, script, region and variants: `ms`, `zh-Hant-TW`.
    public static func isLocale(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z]{2,3}(-[A-Za-z0-9]{2,8})*/) != nil
    }

    /// Writes the folder: `voice.yaml`, and the computed chime.
    ///
    /// - Parameter origin: the folder of a voice whose rules, sentences and list are copied, without recordings and
    ///   without the synthesiser's texts; `nil` for a voice that reads digit by digit in English.
    /// - Returns: the new folder.
    /// - Throws: ``SkeletonError`` if the voice exists, ``YAMLError`` for the origin, ``RecordingError`` for the chime.
    ///   Existing files are not changed.
    public func create(from origin: String? = nil) throws -> String {
        let directory = "\(folder)/\(locale)"
        let path = "\(directory)/voice.yaml"
        let text =
            if let origin { try Self.outline(of: origin, as: locale) } else { Self.firstVoice(locale) }
        let list = try RecordingList(reading: YAMLValue(parsing: text, file: path))
        for directory in [folder, directory] where mkdir(directory, 0o755) != 0 && errno != EEXIST {
            throw SkeletonError.unwritable(path: directory, reason: SystemError.last.description)
        }
        try Self.createFile(path, text)
        if let chime = list.chime, access(RecordingFormat.path(of: "\(directory)/\(chime)"), F_OK) != 0 {
            _ = try VoiceWorkshop(directory: directory).makeChime()
        }
        return directory
    }

    private static func createFile(_ path: String, _ text: String) throws(SkeletonError) {
        // Exclusive, so that an existing file stays.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .exists(path) }
            throw .unwritable(path: path, reason: SystemError.last.description)
        }
        guard let file = fdopen(descriptor, "w") else {
            close(descriptor)
            throw .unwritable(path: path, reason: SystemError.last.description)
        }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        // `fclose` writes the rest, so a full disk shows here at the latest.
        guard fclose(file) == 0, written == bytes.count else {
            let reason = SystemError.last.description
            unlink(path)
            throw .unwritable(path: path, reason: reason)
        }
    }

    /// The origin's `voice.yaml` for another locale: comments, rules and sentences unchanged; the list without `say`,
    /// because the synthesiser's texts belong to one language.
    private static func outline(of origin: String, as locale: String) throws -> String {
        let source = "\(origin)/voice.yaml"
        let lines = try RecordingScript(directory: origin).lines
        let text = try String(decoding: SmallFile.bytes(of: source, limit: YAMLDocument.mostBytes), as: UTF8.self)
        var output: [String] = []
        for section in sections(of: text) {
            switch section.key {
            case "locale": output.append("# Begun from \(origin.split(separator: "/").last ?? "").\nlocale: \(locale)")
            case "name": output.append("# What the language calls itself.\nname: \(locale)")
            case "synthesis": continue
            case "recordings": output.append(recordings(lines))
            default: output.append(section.text)
            }
        }
        return output.joined(separator: "\n") + "\n"
    }

    private static func recordings(_ lines: [RecordingScript.Line]) -> String {
        var text = "# file: name without its ending; text: what it says.\nrecordings:"
        var heading: String?
        for line in lines {
            if line.heading != heading {
                heading = line.heading
                text += "\n  # \(heading ?? "")"
            }
            let escaped = line.entry.text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            text += "\n  - {file: \(line.entry.file), text: \"\(escaped)\"}"
        }
        return text
    }

    /// The text from one top-level key to the next; comments and blank lines belong to the key below them.
    private static func sections(of text: String) -> [(key: Substring, text: String)] {
        var sections: [(key: Substring, text: String)] = []
        var above: [Substring] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if let first = line.first, first.isLetter, let colon = line.firstIndex(of: ":") {
                sections.append((line[..<colon], (above + [line]).joined(separator: "\n")))
                above = []
            } else if line.isEmpty || line.first == "#" || sections.isEmpty {
                above.append(line)
            } else {
                sections[sections.count - 1].text += (above + [line]).map { "\n" + $0 }.joined()
                above = []
            }
        }
        return sections
    }
}

/// Why no voice was created.
public enum SkeletonError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The voice exists already.
    case exists(String)
    case unwritable(path: String, reason: String)

    public var description: String {
        switch self {
        case .exists(let path): "\(path) is there already and stays as it is; choose another locale or folder"
        case .unwritable(let path, let reason): "cannot write \"\(path)\": \(reason)"
        }
    }
}
