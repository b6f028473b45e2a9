import SoundboxCore

/// One recording of a voice: the file, what it says, and how to say it to the synthesiser.
public struct RecordingEntry: Sendable, Equatable {
    /// File name without `.flac`: small letters, digits and hyphens.
    public let file: String
    /// The words that are heard, as the language writes them.
    public let text: String
    /// What the synthesiser is given; `nil` for a person's recording, which no tool may overwrite.
    public let say: String?
}

/// How `make sounds` speaks the recordings.
public struct SynthesisSettings: Sendable, Equatable {
    /// The synthesisers that there is code for.
    public enum Program: String, Sendable, CaseIterable {
        case espeakNG = "espeak-ng"
    }

    public let program: Program
    /// The program's name for the voice, such as `cmn-latn-pinyin`.
    public let voice: String
    /// Words per minute as espeak-ng counts them, 80–450.
    public let speed: Int
    /// 0–99.
    public let pitch: Int
}

/// The part of a `voice.yaml` that names the recordings and what they must be like.
public struct RecordingList: Sendable, Equatable {
    /// Frames per second of every recording.
    public let sampleRate: Int
    /// What every recording is levelled to, in LUFS.
    public let loudness: Double
    /// `nil` for a voice that nobody synthesises.
    public let synthesis: SynthesisSettings?
    /// The file, without `.flac`, that is played before the speech; `nil` for a voice without one.
    public let chime: String?
    public let entries: [RecordingEntry]
    /// The files, without `.flac`, that are played before the words of a kind.
    public let chimesOfKinds: [KindName: String]

    /// Every file that the voice needs, without `.flac`.
    package var files: [String] { (chime.map { [$0] } ?? []) + playable }

    /// The files of the entries, then the chimes of kinds, each once.
    package var playable: [String] { entries.map(\.file) + Set(chimesOfKinds.values).sorted() }

    /// - Parameter voice: the whole `voice.yaml`. Keys at the top that are not asked for here are left to others.
    /// - Throws: ``YAMLError`` naming file, line and key.
    public init(reading voice: YAMLValue) throws(YAMLError) {
        let top = try voice.mapping()
        let format = try top.required("recording_format").mapping()
        sampleRate = try format.required("sample_rate").integer(in: 8000...96_000)
        loudness = try format.required("loudness").decimal(in: -40 ... -10)
        try format.refuseOtherKeys()
        synthesis = if let value = top.optional("synthesis") { try SynthesisSettings(reading: value) } else { nil }

        var files: Set<String> = []
        var texts: Set<String> = []
        chime = if let value = top.optional("chime") { try fileName(value, unlike: &files) } else { nil }
        chimesOfKinds = try readChimes(top.optional("kinds"), unlike: chime, &files)
        var entries: [RecordingEntry] = []
        for value in try top.required("recordings").list() {
            let entry = try RecordingEntry(reading: value, unlike: &files, &texts)
            if entry.say != nil, synthesis == nil {
                throw value.error("\"say\" needs the top-level key \"synthesis\", which says who speaks it")
            }
            entries.append(entry)
        }
        self.entries = entries
    }
}

extension RecordingEntry {
    fileprivate init(
        reading value: YAMLValue, unlike files: inout Set<String>, _ texts: inout Set<String>
    ) throws(YAMLError) {
        let mapping = try value.mapping()
        file = try fileName(mapping.required("file"), unlike: &files)
        let textValue = try mapping.required("text")
        text = try nonEmpty(textValue)
        say = if let value = mapping.optional("say") { try nonEmpty(value) } else { nil }
        try mapping.refuseOtherKeys()
        guard texts.insert(text).inserted else {
            throw textValue.error("\"\(text)\" has a recording already; expected each text once")
        }
    }
}

extension SynthesisSettings {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        program = try mapping.required("program").choice(of: Program.self)
        voice = try nonEmpty(mapping.required("voice"))
        speed = try mapping.required("speed").integer(in: 80...450)
        pitch = try mapping.required("pitch").integer(in: 0...99)
        try mapping.refuseOtherKeys()
    }
}

/// - Parameters:
///   - chime: that of arrivals, which is theirs alone.
///   - files: what is named already. Kinds may share a chime.
private func readChimes(
    _ kinds: YAMLValue?, unlike chime: String?, _ files: inout Set<String>
) throws(YAMLError) -> [KindName: String] {
    var chimes: [KindName: String] = [:]
    for (key, value) in try kinds?.mapping().entries ?? [] {
        guard let name = KindName(key), let value = try value.mapping().optional("chime") else { continue }
        let file = try value.string()
        guard file != chime else { throw value.error("this chime belongs to payments alone; expected another file") }
        if !chimes.values.contains(file) { _ = try fileName(value, unlike: &files) }
        chimes[name] = file
    }
    return chimes
}

private func fileName(_ value: YAMLValue, unlike files: inout Set<String>) throws(YAMLError) -> String {
    let name = try value.string()
    guard !name.isEmpty, name.utf8.allSatisfy(isFileNameByte) else {
        throw value.error("expected a file name of the letters a–z, digits and hyphens, found \"\(name)\"")
    }
    guard files.insert(name).inserted else {
        throw value.error("the file \"\(name)\" is named already; expected each file once")
    }
    return name
}

private func isFileNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
}

private func nonEmpty(_ value: YAMLValue) throws(YAMLError) -> String {
    let text = try value.string()
    guard text.contains(where: { !$0.isWhitespace }) else { throw value.error("expected text, found nothing") }
    return text
}
