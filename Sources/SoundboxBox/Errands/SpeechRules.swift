import SoundboxCore
import SoundboxVoice

/// What senders may have said, beside what is spoken of money. Asked when a message arrives: what is refused then is
/// refused with its field, and what is taken can be said.
package struct SpeechRules: Sendable {
    /// What is wrong with the words of a text; `nil` when nothing is.
    package var problemOfWords: @Sendable (String) -> String?
    /// The first of these that no voice with recordings of the others has; `nil` when one has them all.
    package var missingSegment: @Sendable ([String]) -> String?
    /// What is wrong with a clip, as far as its address tells; `nil` when nothing is.
    package var problemOfClip: @Sendable (ClipReference) -> String?
    /// What an errand may be of.
    package var kinds: [KindName: NewsKind]

    package init(
        kinds: [KindName: NewsKind] = [:],
        problemOfWords: @escaping @Sendable (String) -> String? = Errand.problem(ofText:),
        missingSegment: @escaping @Sendable ([String]) -> String? = { _ in nil },
        problemOfClip: @escaping @Sendable (ClipReference) -> String? = { _ in clipsAreOff }
    ) {
        self.kinds = kinds
        self.problemOfWords = problemOfWords
        self.missingSegment = missingSegment
        self.problemOfClip = problemOfClip
    }

    /// The rules of a box that speaks with these voices.
    package init(voices: Voices, problemOfClip: @escaping @Sendable (ClipReference) -> String?) {
        let words = voices.textRules
        self.init(
            kinds: voices.errandNews,
            problemOfWords: { text in
                do throws(TextProblem) { try words.check(text) } catch { return error.description }
                return nil
            },
            missingSegment: { segments in
                do throws(SpeechError) { _ = try voices.script(ofSegments: segments) } catch {
                    if case .missingPhrase(let segment) = error { return segment }
                }
                return nil
            }, problemOfClip: problemOfClip)
    }

    /// What is said of every clip where none is allowed.
    package static let clipsAreOff = "clips: not allowed here; set clips.hosts"

    /// Why a text may not be said; `nil` when it may.
    func problem(ofText text: String) -> String? { problemOfWords(text) }

    /// Why something may not be asked for, with its field; `nil` when it may.
    func problem(of errand: Errand) -> String? {
        switch errand.content {
        case .tone: return nil
        case .text(let text): return problem(ofText: text).map { "text: \($0)" }
        case .segments(let segments): return problem(ofSegments: segments)
        case .clip(let clip, let otherwise):
            return problemOfClip(clip) ?? otherwise.flatMap(problem(ofText:)).map { "text: \($0)" }
        case .kind(let name, let number): return problem(of: name, number)
        }
    }

    private func problem(ofSegments segments: [String]) -> String? {
        if let missing = missingSegment(segments) {
            let index = segments.firstIndex(of: missing) ?? 0
            return "segments[\(index)]: the voice has no recording of \(missing.excerpt)"
        }
        // What is harmless piece by piece may tell of money as a whole, however the pieces are heard.
        let problem = problemOfWords(segments.joined()) ?? problemOfWords(segments.joined(separator: " "))
        return problem.map { "segments: \($0)" }
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
