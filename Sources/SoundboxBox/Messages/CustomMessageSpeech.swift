import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// What senders may have said, beside what is spoken of money. Asked when a message arrives: what is refused then is
/// refused with its field, and what is taken can be said.
package struct CustomMessageSpeech: Sendable {
    /// What is wrong with the text of a notice; `nil` when nothing is.
    package var problemOfText: @Sendable (String) -> String?
    /// What is wrong with the words of a command; `nil` when nothing is.
    package var problemOfWords: @Sendable (String) -> String?
    /// Whether it is a prompt of the box that a command may have said as it is.
    package var isPrompt: @Sendable (String) -> Bool
    /// The first of these that no voice with recordings of the others has; `nil` when one has them all.
    package var missingSegment: @Sendable ([String]) -> String?
    /// What is wrong with a clip, as far as its address tells; `nil` when nothing is.
    package var problemOfClip: @Sendable (ClipReference) -> String?
    /// What a custom message may be of.
    package var kinds: [KindName: NewsKind]
    private let recent = RecentWords()

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

    /// The rules of a box that speaks with these voices.
    /// - Parameter saysNoticeTexts: whether the texts of notices are said at all.
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

    /// What is said of every clip where none is allowed.
    package static let clipsAreOff = "clips: not allowed here; set clips.hosts"
    /// What is said of every notice's text where none is.
    package static let textsAreOff = "not said here; payments.text is not set"

    /// Why something may not be asked for, with its field; `nil` when it may. Words that may are remembered for
    /// ``RecentWords/span``.
    /// - Parameter now: on the monotonic clock.
    func problem(of customMessage: CustomMessage, at now: Duration) -> String? {
        let field: String
        // What is heard one after the other.
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
            field = "kind"
            if let problem = problem(of: name, number) { return problem }
            // The voice's own words: nothing in them is refused, and they may be a part of what others complete.
            let words = kinds[name]?.words.replacing(/\{[^}]*\}/, with: number.map { "\($0)" } ?? "") ?? ""
            return recent.add([words], of: customMessage.id, at: now, problem: { _ in nil })
        }
        pieces.removeAll(where: isPrompt)
        guard !pieces.isEmpty else { return nil }
        // What is harmless piece by piece may tell of money as a whole, however the pieces are heard.
        let problem =
            problem(ofJoined: pieces)
            ?? recent.add(pieces, of: customMessage.id, at: now, problem: problem(ofJoined:)).map {
                "\($0), with the words of the last \(RecentWords.span.components.seconds) s before it"
            }
        return problem.map { "\(field): \($0)" }
    }

    private func problem(ofJoined pieces: [String]) -> String? {
        problemOfWords(pieces.joined()) ?? problemOfWords(pieces.joined(separator: " "))
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
