import SoundboxConfiguration
import SoundboxCore
import SoundboxHardware
import SoundboxVoice
import SoundboxYAML

/// The installer's answers. An empty text is a missing answer.
public struct SetupAnswers: Sendable, Equatable {
    public var merchantID = ""
    public var deviceID = ""
    /// One URL, or several separated by commas.
    public var brokerURL = ""
    /// `nil` connects without a user name.
    public var username: String?
    /// `nil` keeps the installed password.
    public var password: Secret?
    /// Files to copy; the path of an installed file is valid too. `nil` trusts the system's authorities.
    public var caFile: String?
    public var certFile: String?
    public var keyFile: String?
    /// Languages. Each speaks every announcement, in this order; at least one.
    public var voices = [Configuration.Default.locale]
    /// Speakers by language; a language without an entry has its usual speaker.
    public var speakers: [String: String] = [:]
    /// `nil` for the currency of the first voice.
    public var currency: String?
    public var board = Configuration.Default.board
    public var audioDevice = Self.usualAudioDevice
    /// 0–100.
    public var volume = Configuration.Default.volume

    /// What setup and provisioning write if no device was chosen.
    static let usualAudioDevice = "auto"

    public init() {}

    /// The answers of an installed setup.
    public init(from document: YAMLDocument) {
        for question in SetupQuestion.allCases { question.read(document, &self) }
    }

    var usesTLS: Bool { brokerURL.lowercased().hasPrefix("mqtts:") }
}

/// A text that must not appear in a log, an error or a dump. Its description is masked.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "••••••" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

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
