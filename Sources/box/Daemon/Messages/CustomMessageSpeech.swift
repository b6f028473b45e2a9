import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// Checks the words of custom messages and notices' texts on arrival, so that a refusal names its field, and everything
/// that is accepted can be spoken.
package struct CustomMessageSpeech: Sendable {
    /// The problem with a notice's text; `nil` for none.
    package var problemOfText: @Sendable (String) -> String?
    /// The problem with the words of a command; `nil` for none.
    package var problemOfWords: @Sendable (String) -> String?
    /// Whether a text is a prompt of the box that a command may use.
    package var isPrompt: @Sendable (String) -> Bool
    /// The first segment without a recording; `nil` if one voice has them all.
    package var missingSegment: @Sendable ([String]) -> String?
    /// The problem with a clip's address; `nil` for none.
    package var problemOfClip: @Sendable (ClipReference) -> String?
    /// The kinds that a custom message may have.
    package var kinds: [KindName: NewsKind]

    package init(
        kinds: [KindName: NewsKind] = [:],
        problemOfText: @escaping @Sendable (String) -> String? = { _ in textsAreOff },
        problemOfWords: @escaping @Sendable (String) -> String? = { _ in nil },
        isPrompt: @escaping @Sendable (String) -> Bool = { _ in false },
        missingSegment: @escaping @Sendable ([String]) -> String? = { _ in nil },
        problemOfClip: @escaping @Sendable (ClipReference) -> String? = { _ in clipsAreOff }
    ) {
        self.kinds = kinds
        self.problemOfText = problemOfText
        self.problemOfWords = problemOfWords
        self.isPrompt = isPrompt
        self.missingSegment = missingSegment
        self.problemOfClip = problemOfClip
    }

    /// The rules of a box with these voices.
    /// - Parameter saysNoticeTexts: whether notices' texts are spoken at all.
    package init(
        voices: Voices, saysNoticeTexts: Bool, problemOfClip: @escaping @Sendable (ClipReference) -> String?
    ) {
        let rules = voices.textRules
        self.init(
            kinds: voices.customMessageNews,
            problemOfText: { text in
                guard saysNoticeTexts else { return Self.textsAreOff }
                if let problem = CustomMessage.problem(ofText: text) { return problem }
                do throws(TextProblem) { try rules.check(text, by: .payer) } catch { return error.description }
                return nil
            },
            problemOfWords: { words in
                do throws(TextProblem) { try rules.check(words, by: .provider) } catch { return error.description }
                return nil
            },
            isPrompt: rules.isFreePrompt,
            missingSegment: { segments in
                do throws(SpeechError) { _ = try voices.script(ofSegments: segments) } catch {
                    if case .missingPhrase(let segment) = error { return segment }
                }
                return nil
            }, problemOfClip: problemOfClip)
    }

    /// The problem of every clip if none is allowed.
    package static let clipsAreOff = "clips: not allowed here; set clips.hosts"
    /// The problem of every notice's text if none is spoken.
    package static let textsAreOff = "not said here; payments.text is not set"

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
