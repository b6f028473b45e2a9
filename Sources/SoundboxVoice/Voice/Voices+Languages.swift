import SoundboxCore
import SoundboxSpeech

extension Voices {
    /// In which language a text is spoken that has no recordings.
    package var locale: String { voices[0].language.locale }

    /// What the voices know of their languages, in the order in which they speak.
    package var languages: [Language] { voices.map(\.language) }

    /// The kinds that custom messages may be of, as the first voice that has them tells them.
    package var customMessageNews: [KindName: NewsKind] {
        voices.reduce(into: [:]) { all, voice in
            all.merge(voice.language.kinds.filter { voice.language.customMessageKinds.contains($0.key) }) { first, _ in
                first
            }
        }
    }
}
