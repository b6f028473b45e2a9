import SoundboxCore
import SoundboxSpeech

/// The voices of one box: each of them says every announcement, one after the other. Most boxes have one.
///
///     let voices = Voices(first: chinese, others: [english])
///     let script = voices.script(for: .prompt(.greeting))
///
/// Recordings are numbered continuously: those of the first voice, then those of the second.
public struct Voices: Sendable {
    /// The pause between one language and the next.
    static let rest = Duration.milliseconds(400)

    var voices: [Voice]

    /// The voices speak in this order. The chime is the first one's.
    public init(first: Voice, others: [Voice] = []) {
        voices = [first] + others
    }

    /// `zh-CN`, or `zh-CN-yunxi, en-US`.
    public var names: String { voices.map(\.name).joined(separator: ", ") }

    package var hasChime: Bool { voices[0].recordings.chime != nil && voices[0].leftOut[.chime] == nil }

    /// Never fails: what a voice cannot say exactly it says without the amount, and the script contains the reason.
    public func script(for utterance: Utterance) -> AnnouncementScript {
        // Until one of the voices says the amount.
        var whole = AnnouncementScript(text: "", elements: [], lacksAmount: true)
        var offset = 0
        let speakers = speakers(of: utterance)
        for (index, voice) in voices.enumerated() {
            defer { offset += voice.recordings.playable.count }
            guard speakers.contains(index) else { continue }
            let script = voice.writer.script(for: utterance)
            if !whole.elements.isEmpty, !script.elements.isEmpty { whole.elements.append(.pause(Self.rest)) }
            whole.text += (whole.text.isEmpty ? "" : " ") + script.text
            let begin = whole.elements.count
            whole.elements += script.elements.map { $0.numbered(from: offset) }
            whole.amountRanges += script.amountRanges.map { $0.lowerBound + begin..<$0.upperBound + begin }
            whole.shortcoming = whole.shortcoming ?? script.shortcoming
            whole.lacksAmount = whole.lacksAmount && script.lacksAmount
        }
        return whole
    }

    /// Which of the voices say it: all; for news of a kind only those that know the kind, if any does.
    private func speakers(of utterance: Utterance) -> Set<Int> {
        let all = Set(voices.indices)
        guard case .kind(let kind, _, let number) = utterance.withoutRepetition else { return all }
        let knowing = all.filter { voices[$0].language.kinds[kind].map { $0.hasNumber == (number != nil) } ?? false }
        return knowing.isEmpty ? all : knowing
    }

    /// Decodes one recording for a device's rate; see ``Voice/samples(of:at:)``.
    package func samples(of part: Voice.Part, at sampleRate: Int) throws(RecordingError) -> [Int16] {
        let (index, part) = owner(of: part)
        return try voices[index].samples(of: part, at: sampleRate)
    }

    package func isLeftOut(_ part: Voice.Part) -> Bool {
        let (index, part) = owner(of: part)
        return voices[index].leftOut[part] != nil
    }

    /// The voice that a recording belongs to, and its number there.
    func owner(of part: Voice.Part) -> (index: Int, part: Voice.Part) {
        guard case .phrase(var number) = part else { return (0, part) }
        var index = 0
        while index + 1 < voices.count, number >= voices[index].recordings.playable.count {
            number -= voices[index].recordings.playable.count
            index += 1
        }
        return (index, .phrase(number))
    }
}

extension AnnouncementScript.Element {
    func numbered(from offset: Int) -> Self {
        if case .phrase(let number) = self { .phrase(number + offset) } else { self }
    }
}

extension Utterance {
    /// The repeated utterance, if this is a repetition.
    fileprivate var withoutRepetition: Utterance {
        if case .replay(let repeated) = self { repeated.withoutRepetition } else { self }
    }
}

extension Voices {
    /// The language of text without recordings.
    package var locale: String { voices[0].language.locale }

    /// The voices' languages, in the order in which they speak.
    package var languages: [Language] { voices.map(\.language) }

    /// The kinds that custom messages may have, each with the words of the first voice that knows it.
    package var customMessageNews: [KindName: NewsKind] {
        voices.reduce(into: [:]) { all, voice in
            all.merge(voice.language.kinds.filter { voice.language.customMessageKinds.contains($0.key) }) { first, _ in
                first
            }
        }
    }
}

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
