import SoundboxCore
import SoundboxSpeech

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
