import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
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
        merchantID = document["merchant_id"] ?? ""
        deviceID = document["device_id"] ?? ""
        // Do not offer an unusable URL: a password in it would be shown.
        brokerURL =
            document[list: "broker", "url"].flatMap { urls in
                urls.allSatisfy { (try? BrokerAddress(url: $0)) != nil } ? urls.joined(separator: ", ") : nil
            } ?? ""
        username = document["broker", "username"]
        caFile = document["broker", "ca_file"]
        certFile = document["broker", "cert_file"]
        keyFile = document["broker", "key_file"]
        if let installed = document[list: "voice", "locale"], !installed.isEmpty { voices = installed }
        if let speaker = document["voice", "speaker"], voices.count == 1 { speakers[voices[0]] = speaker }
        for voice in voices {
            if let speaker = document["voice", "speaker", voice] { speakers[voice] = speaker }
        }
        // A box that is set up without this key means the yuan, also once its voice changes.
        let unsaid = document["merchant_id"] == nil ? nil : Configuration.Default.currency.code
        currency = document["announce", "currency"] ?? unsaid
        board = document["board"] ?? board
        // A box that is set up means ALSA's default where its file names no device.
        let unnamed = document["merchant_id"] == nil ? audioDevice : Configuration.Default.audioDevice
        audioDevice = document["audio", "device"] ?? unnamed
        volume = document["audio", "volume"].flatMap { Int($0) } ?? volume
    }

    var usesTLS: Bool { brokerURL.lowercased().hasPrefix("mqtts:") }
}
