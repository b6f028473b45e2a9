import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Checks the words of custom messages and notices' texts on arrival, so that a refusal names its field, and everything
/// that is accepted can be spoken.
package protocol CustomMessageRules: Sendable {
    /// The kinds that a custom message may have.
    var kinds: [KindName: NewsKind] { get }
    /// The problem with a notice's text; `nil` for none.
    func problemOfText(_ text: String) -> String?
    /// The problem with the words of a command; `nil` for none.
    func problemOfWords(_ words: String) -> String?
    /// Whether a text is a prompt of the box that a command may use.
    func isPrompt(_ text: String) -> Bool
    /// The first segment without a recording; `nil` if one voice has them all.
    func missingSegment(_ segments: [String]) -> String?
    /// The problem with a clip's address; `nil` for none.
    func problemOfClip(_ clip: ClipReference) -> String?
}

/// The rules of a box with its voices. Any thread; never blocks.
package struct CustomMessageSpeech: CustomMessageRules {
    /// The problem of every clip if none is allowed.
    package static let clipsAreOff = "clips: not allowed here; set clips.hosts"
    /// The problem of every notice's text if none is spoken.
    package static let textsAreOff = "not said here; payments.text is not set"

    package let kinds: [KindName: NewsKind]
    private let voices: Voices
    private let rules: TextRules
    private let saysNoticeTexts: Bool
    private let clips: (any ClipSource)?

    /// - Parameters:
    ///   - saysNoticeTexts: whether notices' texts are spoken at all.
    ///   - clips: `nil` if none are allowed.
    package init(voices: Voices, saysNoticeTexts: Bool, clips: (any ClipSource)?) {
        kinds = voices.customMessageNews
        rules = voices.textRules
        (self.voices, self.saysNoticeTexts, self.clips) = (voices, saysNoticeTexts, clips)
    }

    package func problemOfText(_ text: String) -> String? {
        guard saysNoticeTexts else { return Self.textsAreOff }
        if let problem = CustomMessage.problem(ofText: text) { return problem }
        do throws(TextProblem) { try rules.check(text, by: .payer) } catch { return error.description }
        return nil
    }

    package func problemOfWords(_ words: String) -> String? {
        do throws(TextProblem) { try rules.check(words, by: .provider) } catch { return error.description }
        return nil
    }

    package func isPrompt(_ text: String) -> Bool { rules.isFreePrompt(text) }

    package func missingSegment(_ segments: [String]) -> String? {
        do throws(SpeechError) { _ = try voices.script(ofSegments: segments) } catch {
            if case .missingPhrase(let segment) = error { return segment }
        }
        return nil
    }

    package func problemOfClip(_ clip: ClipReference) -> String? {
        guard let clips else { return Self.clipsAreOff }
        return clips.problem(of: clip)
    }
}

extension CustomMessageRules {
    /// Why a message is refused, with its field; `nil` if it is accepted. Each is judged by itself: the marker before a
    /// text separates it from what is said before it.
    func problem(of customMessage: CustomMessage) -> String? {
        let field: String
        // In the order of speaking.
        var pieces: [String] = []
        switch customMessage.content {
        case .tone: return nil
        case .text(let text):
            field = "text"
            pieces = [text]
        case .segments(let segments):
            field = "segments"
            if let missing = missingSegment(segments) {
                let index = segments.firstIndex(of: missing) ?? 0
                return "segments[\(index)]: the voice has no recording of \(missing.excerpt)"
            }
            pieces = segments
        case .clip(let clip, let otherwise):
            field = "text"
            if let problem = problemOfClip(clip) { return problem }
            pieces = otherwise.map { [$0] } ?? []
        case .kind(let name, let number):
            return problem(of: name, number)
        }
        pieces.removeAll(where: isPrompt)
        guard !pieces.isEmpty else { return nil }
        // Harmless pieces may announce money when they are joined, with or without blanks.
        let problem = problemOfWords(pieces.joined()) ?? problemOfWords(pieces.joined(separator: " "))
        return problem.map { "\(field): \($0)" }
    }

    private func problem(of name: KindName, _ number: Int64?) -> String? {
        guard let kind = kinds[name] else {
            let names = kinds.keys.map(\.text).sorted()
            let expected = names.isEmpty ? "the voice defines no kind" : "expected \(names.joined(separator: " or "))"
            return "kind: \(name) is unknown; \(expected)"
        }
        switch (kind.hasNumber, number) {
        case (true, nil): return "number: this field is missing, and the words of \(name) need it"
        case (false, .some): return "number: the words of \(name) have no place for it"
        case (true, .some), (false, nil): return nil
        }
    }
}
