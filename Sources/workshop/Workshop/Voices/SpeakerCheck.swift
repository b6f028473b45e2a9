import SoundboxCore
import SoundboxVoice
import SoundboxYAML

/// Checks that all speakers of a language have the same words and rules:
///
///     for problem in SpeakerCheck(VoiceFolder(path: "sounds")).problems() { print(problem) }
///
/// Each speaker's folder is complete, so that its package works alone. A rule that is corrected in one must be
/// corrected in all.
public struct SpeakerCheck: Sendable {
    /// Top-level keys that may differ. Of `recordings`, texts and files are compared.
    private static let ownKeys: Set<String> = ["speaker", "synthesis", "recording_format", "recordings"]

    private let folder: VoiceFolder

    public init(_ folder: VoiceFolder) { self.folder = folder }

    /// The differences from the language's usual folder, one line each; empty for none.
    /// Blocks on the disk.
    /// - Parameter names: only languages of these voices; `nil` for all.
    public func problems(of names: [String]? = nil) -> [String] {
        let groups = Dictionary(grouping: folder.entries, by: \.locale).values.filter { group in
            group.count > 1 && names.map { names in group.contains { names.contains($0.name) } } ?? true
        }
        return groups.flatMap { problems(among: $0) }.sorted()
    }

    private func problems(among group: [VoiceEntry]) -> [String] {
        var problems = group.filter { $0.speaker == nil }.map {
            "\(path(of: $0)): speaker: this key is missing; expected {id: …, name: …}, since others speak \($0.locale), too"
        }
        for (id, speaking) in Dictionary(grouping: group, by: { $0.speaker?.id }) where id != nil && speaking.count > 1
        {
            problems += speaking.dropFirst().map {
                "\(path(of: $0)): speaker.id: \"\(id ?? "")\" is \(speaking[0].name), too; expected another id"
            }
        }
        guard let model = group.first(where: \.isUsual) ?? group.first else { return problems }
        for entry in group where entry != model {
            do throws(YAMLError) {
                problems += try differences(of: entry, from: model)
            } catch {
                problems.append(error.description)
            }
        }
        return problems
    }

    private func differences(of entry: VoiceEntry, from model: VoiceEntry) throws(YAMLError) -> [String] {
        let own = try YAMLValue(readingFile: path(of: entry)).mapping()
        let expected = try YAMLValue(readingFile: path(of: model)).mapping()
        var comparison = DocumentComparison(model: model.name)
        try comparison.compare(own, with: expected, except: Self.ownKeys)
        try comparison.compareRecordings(own.optional("recordings"), with: expected.optional("recordings"))
        return comparison.differences.map(\.description)
    }

    private func path(of entry: VoiceEntry) -> String { "\(folder.path)/\(entry.name)/voice.yaml" }
}

/// Compares two documents.
private struct DocumentComparison {
    /// The name of the other folder.
    let model: String
    var differences: [YAMLError] = []

    mutating func compare(
        _ own: YAMLMapping, with expected: YAMLMapping, except: Set<String> = []
    ) throws(YAMLError) {
        for (key, value) in expected.entries where !except.contains(key) {
            if let found = own.entries.first(where: { $0.key == key })?.value {
                try compare(found, with: value)
            } else {
                differences.append(own.value.error("\"\(key)\" is missing; expected it as in \(model)"))
            }
        }
        for (key, value) in own.entries
        where !except.contains(key) && !expected.entries.contains(where: { $0.key == key }) {
            differences.append(value.error("\(model) does not have this; expected both or neither"))
        }
    }

    private mutating func compare(_ own: YAMLValue, with expected: YAMLValue) throws(YAMLError) {
        if own.isMapping, expected.isMapping { return try compare(own.mapping(), with: expected.mapping()) }
        if own.isList, expected.isList {
            let (found, wanted) = (try own.list(), try expected.list())
            for (left, right) in zip(found, wanted) { try compare(left, with: right) }
            if found.count != wanted.count {
                differences.append(own.error("it has \(found.count) items; expected \(wanted.count) as in \(model)"))
            }
        } else if own.isMapping || own.isList || expected.isMapping || expected.isList {
            differences.append(own.error("it is of another kind; expected it as in \(model)"))
        } else if try own.string() != expected.string() {
            differences.append(own.error(Self.problem(try own.string(), try expected.string(), in: model)))
        }
    }

    /// Reports only the first different line of a block of rules.
    private static func problem(_ own: String, _ expected: String, in model: String) -> String {
        let (own, expected) = (own.split(separator: "\n"), expected.split(separator: "\n"))
        let place = zip(own, expected).prefix { $0 == $1 }.count
        func line(_ lines: [Substring]) -> String { lines.indices.contains(place) ? "\"\(lines[place])\"" : "nothing" }
        return "found \(line(own)); expected \(line(expected)) as in \(model)"
    }

    /// The order and the synthesiser's keys may differ.
    mutating func compareRecordings(_ own: YAMLValue?, with expected: YAMLValue?) throws(YAMLError) {
        guard let own, let expected else { return }
        let found = try Self.files(of: own)
        let wanted = try Self.files(of: expected)
        let missing = wanted.keys.filter { found[$0] == nil }
        if let first = missing.min() {
            differences.append(
                own.error("\(missing.count) phrases of \(model) are missing; expected them too, such as \"\(first)\""))
        }
        for entry in try own.list() {
            let text = try Self.spoken(entry.mapping())
            let file = try entry.mapping().required("file").string()
            switch wanted[text] {
            case nil: differences.append(entry.error("\(model) has no \"\(text)\"; expected both or neither"))
            case file: break
            case let other?:
                differences.append(
                    entry.error("\"\(text)\" is in \"\(file)\"; expected \"\(other)\" as in \(model)"))
            }
        }
    }

    private static func files(of recordings: YAMLValue) throws(YAMLError) -> [String: String] {
        var files: [String: String] = [:]
        for entry in try recordings.list() {
            let mapping = try entry.mapping()
            files[try spoken(mapping)] = try mapping.required("file").string()
        }
        return files
    }

    /// The identity of a recording: a text may occur twice, the second time as an ending.
    private static func spoken(_ entry: YAMLMapping) throws(YAMLError) -> String {
        let isEnding = try entry.optional("ending")?.bool() ?? false
        return try entry.required("text").string() + (isEnding ? " (ending)" : "")
    }
}
