import SoundboxVoice
import SoundboxYAML

/// The answer to the question of the speaker: `yunxi`, or with several languages `zh-CN=yunxi, en-US=emma`.
enum SpeakerAnswer {
    /// The current choice in this form, or the usual speakers; empty if there is no choice.
    static func usual(_ answers: SetupAnswers, _ choices: SetupChoices) -> String {
        let samples = choices.samples(for: answers)
        let locales = answers.voices.filter { voice in samples.contains { $0.locale == voice } }
        return locales.compactMap { locale in
            let known = samples.filter { $0.locale == locale }.map(\.speaker.id)
            let chosen = answers.speakers[locale].flatMap { known.contains($0) ? $0 : nil } ?? known.first
            return chosen.map { locales.count == 1 ? $0 : "\(locale)=\($0)" }
        }.joined(separator: ", ")
    }

    /// The speakers by language. Languages without an answer keep their speaker.
    /// - Throws: ``SetupError`` for a speaker who is not installed; it lists the installed ones.
    static func speakers(
        _ text: String, _ answers: SetupAnswers, _ choices: SetupChoices
    ) throws -> [String: String] {
        var speakers = answers.speakers
        var named: Set<String> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            let locale = try sides.count == 2 ? sides[0] : self.locale(ofSpeaker: sides[0], answers, choices)
            let id = sides[sides.count - 1]
            let known = choices.samples.filter { $0.locale == locale }.map(\.speaker.id)
            guard answers.voices.contains(locale) else {
                throw SetupError("\(locale) is not spoken; expected \(answers.voices.joined(separator: " or "))")
            }
            guard known.contains(id) else {
                throw SetupError(
                    known.isEmpty
                        ? "no speaker of \(locale) has a name; expected -"
                        : "there is no speaker \"\(id)\" of \(locale); there are: \(known.joined(separator: ", "))")
            }
            guard named.insert(locale).inserted else { throw SetupError("two speakers for \(locale); expected one") }
            speakers[locale] = id
        }
        return speakers
    }

    /// The speakers of an installed setup.
    static func speakers(of voices: [String], in document: YAMLDocument) -> [String: String] {
        var speakers: [String: String] = [:]
        if let speaker = document["voice", "speaker"], voices.count == 1 { speakers[voices[0]] = speaker }
        for voice in voices {
            if let speaker = document["voice", "speaker", voice] { speakers[voice] = speaker }
        }
        return speakers
    }

    /// Keeps the existing form if the speakers do not change.
    static func write(_ answers: SetupAnswers, to document: inout YAMLDocument) {
        let voices = answers.voices
        let speakers = answers.speakers.filter { voices.contains($0.key) }
        guard self.speakers(of: voices, in: document) != speakers || speakers.isEmpty else { return }
        document["voice", "speaker"] = nil
        if voices.count == 1 {
            if let speaker = speakers[voices[0]] { document["voice", "speaker"] = speaker }
        } else {
            for voice in voices { if let speaker = speakers[voice] { document["voice", "speaker", voice] = speaker } }
        }
    }

    /// The language of a speaker that is given without a language.
    private static func locale(
        ofSpeaker id: String, _ answers: SetupAnswers, _ choices: SetupChoices
    ) throws -> String {
        let speaking = answers.voices.filter { voice in
            choices.samples.contains { $0.locale == voice && $0.speaker.id == id }
        }
        if speaking.count > 1 {
            throw SetupError(
                "\(id) speaks \(speaking.joined(separator: " and ")); expected the language too, "
                    + "such as \(speaking[0])=\(id)")
        }
        // Prefer a language with a choice, so that the error lists its speakers.
        let chosen = choices.samples(for: answers).first?.locale
        return speaking.first ?? chosen ?? answers.voices[0]
    }
}
