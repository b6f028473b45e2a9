import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// The script that a speaker reads aloud for a voice, in the order of its list:
///
///     let script = try RecordingScript(directory: "sounds/zh-CN", selection: .missing)
///     for line in script.lines { print(line.entry.text) }
public struct RecordingScript: Sendable, Equatable {
    /// The entries of the list to include.
    public enum Selection: Sendable {
        case all
        /// Entries without a readable file.
        case missing
        /// Entries that no person has spoken: missing ones and synthesised ones.
        case notSpokenByPerson
    }

    public struct Line: Sendable, Equatable {
        /// The comment above its group in `voice.yaml`; the same for every line of the group, `nil` without one.
        public let heading: String?
        public let entry: RecordingEntry
    }

    public let lines: [Line]

    /// Blocks on the disk.
    /// - Parameter directory: the voice's folder.
    /// - Throws: ``YAMLError`` for the list.
    public init(directory: String, selection: Selection = .all) throws {
        let path = "\(directory)/voice.yaml"
        let yaml = try YAMLValue(readingFile: path)
        let list = try RecordingList(reading: yaml)
        let headings = try Self.headings(
            of: yaml, text: String(decoding: SmallFile.bytes(of: path, limit: YAMLDocument.mostBytes), as: UTF8.self))
        lines = zip(list.entries, headings).map { Line(heading: $1, entry: $0) }
            .filter { Self.isChosen($0.entry, by: selection, in: directory) }
    }

    private static func isChosen(_ entry: RecordingEntry, by selection: Selection, in directory: String) -> Bool {
        if selection == .all { return true }
        guard let file = try? AudioFile(reading: RecordingFormat.path(of: "\(directory)/\(entry.file)")) else {
            return true
        }
        return selection == .notSpokenByPerson && file.isSynthesized
    }

    /// A comment between two entries is the heading of the following ones. YAML readers drop comments, so the text is
    /// searched.
    private static func headings(of yaml: YAMLValue, text: String) throws(YAMLError) -> [String?] {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let entries = try yaml.mapping().required("recordings")
        var heading: String?
        var place = entries.line ?? 0
        return try entries.list().map { entry in
            let line = (entry.line ?? 1) - 1
            if place < line {
                let comments = lines[place..<line].compactMap { line -> String? in
                    let line = line.drop(while: \.isWhitespace)
                    return line.first == "#" ? String(line.drop { $0 == "#" || $0 == " " }) : nil
                }
                if !comments.isEmpty { heading = comments.joined(separator: " ") }
            }
            place = line + 1
            return heading
        }
    }
}
