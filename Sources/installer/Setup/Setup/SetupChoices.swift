import SoundboxConfiguration
import SoundboxCore
import SoundboxHardware
import SoundboxVoice

/// The choices on this machine.
public struct SetupChoices: Sendable, Equatable {
    /// Languages.
    public var voices: [String]
    /// Speakers with names, the usual one of each language first.
    public var samples: [SpeakerSample]
    /// The code of each language's own currency.
    var currencies: [String: String] = [:]
    public var boards: [String]
    /// Sound cards, the one most likely to have a speaker attached first.
    public var cards: [AudioOutputs.Card]

    public init(
        voices: [String], samples: [SpeakerSample] = [], boards: [String], cards: [AudioOutputs.Card]
    ) {
        self.voices = voices
        self.samples = samples
        self.boards = boards
        self.cards = cards
    }

    /// What is offered for payments that name no currency.
    func currency(of answers: SetupAnswers) -> String {
        answers.voices.first.flatMap { currencies[$0] } ?? Configuration.Default.currency.code
    }

    /// The speakers of each chosen language that has more than one.
    func samples(for answers: SetupAnswers) -> [SpeakerSample] {
        answers.voices.flatMap { locale in
            let speakers = samples.filter { $0.locale == locale }
            return speakers.count > 1 ? speakers : []
        }
    }
}

/// A speaker of a language, who can be heard before the choice.
public struct SpeakerSample: Sendable, Equatable, CustomStringConvertible {
    public let locale: String
    public let speaker: VoiceSpeaker

    public init(locale: String, speaker: VoiceSpeaker) {
        self.locale = locale
        self.speaker = speaker
    }

    init(locale: String, id: String, name: String) {
        self.init(locale: locale, speaker: VoiceSpeaker(id: id, name: name))
    }

    public var description: String { "\(speaker.id)  \(speaker.name), \(locale)" }
}
