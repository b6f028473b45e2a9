import SoundboxCore

/// One recording of a voice: the file, what it says, and how the synthesiser should say it.
public struct RecordingEntry: Sendable, Equatable {
    /// File name without its ending: lower-case letters, digits and hyphens.
    public let file: String
    /// The spoken words, as the language writes them.
    public let text: String
    /// The synthesiser's input; `nil` for a person's recording, which no tool may overwrite.
    public let say: String?
    /// How fast this one is spoken, relative to the voice's speed; 0.5–2.
    public let pace: Double
    /// Whether it is spoken with the falling melody of a sentence's end, and played only there.
    public let isEnding: Bool
}

/// How `make sounds` speaks the recordings.
public struct SynthesisSettings: Sendable, Equatable {
    /// The supported synthesisers, with their own settings.
    public enum Program: Sendable, Equatable {
        /// Words per minute as espeak-ng counts them, 80–450, and pitch, 0–99.
        case espeakNG(speed: Int, pitch: Int)
        /// Kokoro-82M. The spelling of its input (`pinyin`, `english`, `espeak:VOICE`), and the speed relative to the
        /// model's own, 0.5–2.
        case kokoro(phonemes: String, speed: Double)

        /// The name in `voice.yaml`.
        public var name: String {
            switch self {
            case .espeakNG: Name.espeakNG.rawValue
            case .kokoro: Name.kokoro.rawValue
            }
        }

        fileprivate enum Name: String, CaseIterable {
            case espeakNG = "espeak-ng"
            case kokoro
        }
    }

    public let program: Program
    /// The program's name for the voice, such as `cmn-latn-pinyin`.
    public let voice: String

    public init(program: Program, voice: String) {
        self.program = program
        self.voice = voice
    }
}

/// The part of a `voice.yaml` that lists the recordings and their requirements.
///
///     let list = try RecordingList(reading: try YAMLValue(readingFile: "sounds/zh-CN/voice.yaml"))
///     print(list.sampleRate, list.entries.count)
public struct RecordingList: Sendable, Equatable {
    /// Frames per second of every recording.
    public let sampleRate: Int
    /// The loudness of every recording, in LUFS.
    public let loudness: Double
    /// `nil` for a voice that is not synthesised.
    public let synthesis: SynthesisSettings?
    /// The file, without its ending, that is played before the speech; `nil` for a voice without a chime.
    public let chime: String?
    public let entries: [RecordingEntry]
    /// The files, without its ending, that are played before the words of a kind.
    public let chimesOfKinds: [KindName: String]

    /// Every file of the voice, without its ending.
    package var files: [String] { (chime.map { [$0] } ?? []) + playable }

    /// The files of the entries, then the chimes of kinds, each once.
    package var playable: [String] { entries.map(\.file) + Set(chimesOfKinds.values).sorted() }

    /// - Parameter voice: the whole `voice.yaml`. Ignores other top-level keys.
    /// - Throws: ``YAMLError`` naming file, line and key.
    public init(reading voice: YAMLValue) throws(YAMLError) {
        let top = try voice.mapping()
        let format = try top.required("recording_format").mapping()
        sampleRate = try format.required("sample_rate").integer(in: 8000...96_000)
        loudness = try format.required("loudness").decimal(in: -40 ... -10)
        try format.refuseOtherKeys()
        synthesis = if let value = top.optional("synthesis") { try SynthesisSettings(reading: value) } else { nil }

        var files: Set<String> = []
        var texts: Set<RecordedText> = []
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

/// A text may occur twice: as it sounds within a sentence, and at its end.
private struct RecordedText: Hashable {
    let text: String
    let isEnding: Bool
}

extension RecordingEntry {
    fileprivate init(
        reading value: YAMLValue, unlike files: inout Set<String>, _ texts: inout Set<RecordedText>
    ) throws(YAMLError) {
        let mapping = try value.mapping()
        file = try fileName(mapping.required("file"), unlike: &files)
        let textValue = try mapping.required("text")
        text = try nonEmpty(textValue)
        say = if let value = mapping.optional("say") { try nonEmpty(value) } else { nil }
        pace = if let value = mapping.optional("pace") { try value.decimal(in: 0.5...2) } else { 1 }
        isEnding = if let value = mapping.optional("ending") { try value.bool() } else { false }
        try mapping.refuseOtherKeys()
        guard texts.insert(RecordedText(text: text, isEnding: isEnding)).inserted else {
            throw textValue.error(
                """
                "\(text)" has a recording already; expected each text once\(isEnding ? " as an ending" : "")
                """)
        }
    }
}

extension SynthesisSettings {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        voice = try nonEmpty(mapping.required("voice"))
        switch try mapping.required("program").choice(of: Program.Name.self) {
        case .espeakNG:
            program = .espeakNG(
                speed: try mapping.required("speed").integer(in: 80...450),
                pitch: try mapping.required("pitch").integer(in: 0...99))
        case .kokoro:
            let phonemes = try nonEmpty(mapping.required("phonemes"))
            let speed = if let value = mapping.optional("speed") { try value.decimal(in: 0.5...2) } else { 1.0 }
            program = .kokoro(phonemes: phonemes, speed: speed)
        }
        try mapping.refuseOtherKeys()
    }
}

/// - Parameters:
///   - chime: the chime of payments, which no kind may use.
///   - files: the files named so far. Kinds may share a chime.
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
