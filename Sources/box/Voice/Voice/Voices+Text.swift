import SoundboxCore
import SoundboxSpeech

/// Text from others, spoken with the existing recordings. Whether it may be spoken is decided by ``textRules``.
extension Voices {
    /// The rules for text in all voices of the box. Takes some milliseconds to make: keep it.
    public var textRules: TextRules { TextRules(voices.map(\.language)) }

    /// The kinds that notices may have; see ``Language/noticeKinds``.
    public var noticeKinds: Set<KindName> { voices.reduce(into: []) { $0.formUnion($1.language.noticeKinds) } }

    /// Light and vibration for a kind, from the first voice that knows it.
    public func pattern(of kind: KindName) -> OutputPattern {
        voices.lazy.compactMap { $0.language.kinds[kind]?.pattern }.first ?? NewsKind.plainPattern
    }

    /// The text by the first voice whose recordings cover it; `nil` when none do.
    public func script(ofText text: String) -> AnnouncementScript? { try? script(ofSegments: [text]) }

    /// The segments in order, by the first voice that has recordings for all of them.
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
