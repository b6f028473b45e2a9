import SoundboxCore
import SoundboxYAML

/// Who speaks a voice. Speakers of one language say the same words, each with recordings of their own.
public struct VoiceSpeaker: Sendable, Equatable {
    /// The part of the folder's name after the locale: `yunxi` of `zh-CN-yunxi`. See ``isID(_:)``.
    public let id: String
    /// For people: 云希.
    public let name: String

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// Whether `text` can be a speaker's id: 2 to 32 lower-case letters and digits, beginning with a letter.
    public static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[a-z][a-z0-9]{1,31}/) != nil }

    /// - Throws: ``YAMLError`` naming file, line and key.
    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let id = try mapping.required("id")
        let name = try mapping.required("name")
        try mapping.refuseOtherKeys()
        self.id = try id.string()
        guard Self.isID(self.id) else {
            throw id.error(
                "expected 2 to 32 small letters and digits, beginning with a letter, found \"\(self.id)\"")
        }
        self.name = try name.string()
        guard self.name.contains(where: { !$0.isWhitespace }) else { throw name.error("expected a name for people") }
    }
}

/// Which voice a folder holds, without its words.
public struct VoiceEntry: Sendable, Equatable {
    /// The folder's name: `zh-CN`, `zh-CN-yunxi`.
    public let name: String
    public let locale: String
    /// `nil` for a voice that names no speaker.
    public let speaker: VoiceSpeaker?

    /// Whether it is the language's own folder, which speaks if no speaker was chosen.
    public var isUsual: Bool { name == locale }

    /// Blocks on the disk. If the file is invalid, the folder's name is used as the locale: opening the voice reports
    /// the error.
    init(name: String, in folder: String) {
        self.name = name
        let top = try? YAMLValue(readingFile: "\(folder)/\(name)/voice.yaml").mapping()
        locale = (try? top?.optional("locale")?.string()) ?? name
        speaker = top?.optional("speaker").flatMap { try? VoiceSpeaker(reading: $0) }
    }
}
