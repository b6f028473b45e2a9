import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxYAML

/// What an installer decides about a box. Empty texts are answers that are still missing.
public struct SetupAnswers: Sendable, Equatable {
    public var merchantID = ""
    public var deviceID = ""
    /// One, or several with commas between.
    public var brokerURL = ""
    /// `nil` connects without a user name.
    public var username: String?
    /// `nil` leaves the password that is installed already.
    public var password: Secret?
    /// Files to install copies of; what is installed already is a valid answer. `nil` trusts the system's authorities.
    public var caFile: String?
    public var certFile: String?
    public var keyFile: String?
    /// Each says every announcement, one after the other; at least one.
    public var voices = [Configuration.Default.locale]
    /// Who speaks, by language; a language that is not in it is spoken by whoever usually does.
    public var speakers: [String: String] = [:]
    public var currency = Configuration.Default.currency.code
    public var board = Configuration.Default.board
    public var audioDevice = Self.usualAudioDevice
    /// 0–100.
    public var volume = Configuration.Default.volume

    /// What setup and provisioning write where nobody has chosen a device.
    static let usualAudioDevice = "auto"

    public init() {}

    /// The answers that a box was set up with.
    public init(from document: YAMLDocument) {
        merchantID = document["merchant_id"] ?? ""
        deviceID = document["device_id"] ?? ""
        // An answer that cannot be used is asked for anew and not offered: a password in it would be on the screen.
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
        currency = document["announce", "currency"] ?? currency
        board = document["board"] ?? board
        audioDevice = document["audio", "device"] ?? audioDevice
        volume = document["audio", "volume"].flatMap { Int($0) } ?? volume
    }

    var usesTLS: Bool { brokerURL.lowercased().hasPrefix("mqtts:") }
}
