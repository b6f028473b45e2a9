import SoundboxConfiguration
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
