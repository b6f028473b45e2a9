import SoundboxCore
import SoundboxSpeech

/// What others ask to be said, with the recordings there are. Whether it may be said is for ``textRules`` to judge.
extension Voices {
    /// What no voice of the box may be made to say. Takes some milliseconds to make: keep it.
    public var textRules: TextRules { TextRules(voices.map(\.language)) }

    /// The kinds that notices may be of; see ``Language/noticeKinds``.
    public var noticeKinds: Set<KindName> { voices.reduce(into: []) { $0.formUnion($1.language.noticeKinds) } }

    /// What light and vibration do for a kind: as the first voice that has it says.
    public func pattern(of kind: KindName) -> OutputPattern {
        voices.lazy.compactMap { $0.language.kinds[kind]?.pattern }.first ?? NewsKind.plainPattern
    }

    /// The text by the first voice whose recordings cover it; `nil` when none do.
    public func script(ofText text: String) -> AnnouncementScript? { try? script(ofSegments: [text]) }

    /// The segments, one after the other, by the first voice that has recordings for all of them.
    /// - Throws: ``SpeechError/missingPhrase(_:)`` with the segment that the first voice lacks.
    public func script(ofSegments segments: [String]) throws(SpeechError) -> AnnouncementScript {
        var offset = 0
        var missing: String?
        for voice in voices {
            var whole = AnnouncementScript(text: "", elements: [])
            var lacking: String?
            for segment in segments {
                guard let script = try? voice.writer.script(ofText: segment), !script.elements.isEmpty else {
                    lacking = segment
                    break
                }
                whole.text += (whole.text.isEmpty ? "" : voice.language.wordsAreSpaced ? " " : "") + script.text
                whole.elements += script.elements.map { $0.numbered(from: offset) }
            }
            guard let lacking else { return whole }
            missing = missing ?? lacking
            offset += voice.recordings.playable.count
        }
        throw .missingPhrase(missing ?? "")
    }
}
