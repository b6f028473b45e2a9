import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxMQTT
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// A question of setup, in the order of asking.
public enum SetupQuestion: Sendable, CaseIterable {
    case merchantID, deviceID
    case brokerURL, username, password, caFile, certFile, keyFile
    case voice, currency, board, audioDevice, volume
    /// After device and volume, because each speaker is played first.
    case speaker

    /// The question in one line.
    public func text(_ choices: SetupChoices) -> String {
        switch self {
        case .merchantID: "Merchant id, as the payment provider gave it"
        case .deviceID: "Device id of this box"
        case .brokerURL: "Broker, mqtts://host[:port] (mqtt:// is unencrypted); a cluster's nodes with commas between"
        case .username: "User name at the broker (- for none)"
        case .password: "Password at the broker (not shown; Enter keeps the one that is installed)"
        case .caFile: "File with the authority that vouches for the broker (- for the system's)"
        case .certFile: "File with this box's certificate (- for none)"
        case .keyFile: "File with the key to that certificate"
        case .voice: "Voice, or several with commas between (\(choices.voices.joined(separator: ", ")))"
        case .currency: "Currency of payments that name none"
        case .board: "Board (\(choices.boards.joined(separator: ", ")))"
        case .audioDevice: Self.audioDevice(choices)
        case .volume: "Volume, 0 to 100"
        case .speaker: "Who speaks (again to hear them again; - for the usual one)"
        }
    }

    private static func audioDevice(_ choices: SetupChoices) -> String {
        let cards = choices.cards.enumerated().map { "\($0 + 1) for \($1.description), \($1.device)" }
        guard !cards.isEmpty else { return "Sound device (no card is there; auto, or an ALSA name)" }
        return
            "Sound device (auto for the first of these that is there; \(cards.joined(separator: "; ")); or an ALSA name)"
    }

    public var isSecret: Bool { self == .password }

    /// Whether it is asked after the answers so far.
    func applies(to answers: SetupAnswers, _ choices: SetupChoices) -> Bool {
        switch self {
        case .password: answers.username != nil
        case .caFile, .certFile: answers.usesTLS
        case .keyFile: answers.usesTLS && answers.certFile != nil
        case .speaker: !choices.samples(for: answers).isEmpty
        default: true
        }
    }

    /// The answer for Enter; `nil` if an answer must be typed.
    public func usualAnswer(_ answers: SetupAnswers, _ choices: SetupChoices) -> String? {
        let text: String? =
            switch self {
            case .merchantID: answers.merchantID
            case .deviceID: answers.deviceID
            case .brokerURL: answers.brokerURL
            case .username: answers.username ?? "-"
            case .password: nil
            case .caFile: answers.caFile ?? "-"
            case .certFile: answers.certFile ?? "-"
            case .keyFile: answers.keyFile
            case .voice: answers.voices.joined(separator: ", ")
            case .currency: answers.currency ?? choices.currency(of: answers)
            case .board: answers.board
            case .audioDevice: answers.audioDevice
            case .volume: String(answers.volume)
            case .speaker: SpeakerAnswer.usual(answers, choices)
            }
        return text?.isEmpty == true ? nil : text
    }

    /// Checks an answer and stores it in `answers`. Reads files and folders; blocks on the disk.
    /// - Throws: ``SetupError`` with the problem, for the person who typed it.
    public func take(
        _ text: String, into answers: inout SetupAnswers, _ choices: SetupChoices
    ) throws {
        let optional = text == "-" || text.isEmpty ? nil : text
        switch self {
        case .merchantID: answers.merchantID = try topicLevel(text)
        case .deviceID: answers.deviceID = try topicLevel(text)
        case .brokerURL:
            do {
                answers.brokerURL = try BrokerAddress.list(text).map(\.description).joined(separator: ", ")
            } catch {
                throw SetupError(error.description)
            }
            if !answers.usesTLS { (answers.caFile, answers.certFile, answers.keyFile) = (nil, nil, nil) }
        case .username:
            answers.username = optional
            if optional == nil { answers.password = nil }
        case .password:
            // For example Ctrl-Z, which the terminal does not show.
            if let optional, let problem = SecretFile.problem(ofLine: optional) {
                throw SetupError("that \(problem); type the password again")
            }
            answers.password = optional.map(Secret.init)
        case .caFile: answers.caFile = try optional.map { try pem($0, "CERTIFICATE") }
        case .certFile:
            answers.certFile = try optional.map { try pem($0, "CERTIFICATE") }
            if optional == nil { answers.keyFile = nil }
        case .keyFile: answers.keyFile = try pem(text, "PRIVATE KEY")
        case .voice:
            let chosen = try voices(text, choices)
            answers.voices = chosen.map(\.locale)
            for voice in chosen { if let speaker = voice.speaker { answers.speakers[voice.locale] = speaker } }
            answers.speakers = answers.speakers.filter { answers.voices.contains($0.key) }
        case .currency:
            guard let currency = Currency(text.uppercased()) else {
                throw SetupError("\"\(text)\" is no currency of ISO 4217; expected a code such as CNY")
            }
            answers.currency = currency.code
        case .board: answers.board = try choice(text, choices.boards, "board")
        case .audioDevice:
            let text = text.trimmed
            guard !text.isEmpty, text != "-", text == "auto" || text.lowercased() != "auto" else {
                throw SetupError("expected a device, such as auto")
            }
            guard let number = Int(text) else {
                answers.audioDevice = text
                return
            }
            guard choices.cards.indices.contains(number - 1) else {
                throw SetupError(
                    choices.cards.isEmpty
                        ? "no sound card is there; expected a device, such as auto"
                        : "expected a number from 1 to \(choices.cards.count), or a device, such as auto")
            }
            answers.audioDevice = choices.cards[number - 1].device
        case .volume:
            guard let level = Int(text), Volume.range.contains(level) else {
                throw SetupError("expected a whole number from 0 to 100, not \"\(text)\"")
            }
            answers.volume = level
        case .speaker: answers.speakers = try optional.map { try SpeakerAnswer.speakers($0, answers, choices) } ?? [:]
        }
    }

    /// The password on the first line of a file, without a byte order mark and without blanks at either end, and
    /// whether it had such blanks. Blocks on the disk.
    public static func password(inFile path: String) throws -> (text: String, hadBlanks: Bool) {
        // The mode does not matter: the password is copied to another file.
        let line = try SecretFile(path: path).read(evenIfExposed: true)
        return (line.trimmed, line.hasOuterBlank)
    }

    private func topicLevel(_ text: String) throws -> String {
        do { _ = try Topics(merchant: text, device: text) } catch {
            throw SetupError("\"\(text)\" cannot be an id: \(error.problem)")
        }
        return text
    }

    /// Languages, or a language with its speaker such as `zh-CN-yunxi`.
    private func voices(_ text: String, _ choices: SetupChoices) throws -> [(locale: String, speaker: String?)] {
        var voices: [(locale: String, speaker: String?)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let named = choices.samples.first { "\($0.locale)-\($0.speaker.id)" == part.trimmed }
            let voice = try named?.locale ?? choice(part.trimmed, choices.voices, "voice")
            guard !voices.contains(where: { $0.locale == voice }) else {
                throw SetupError("\(voice) would say everything twice")
            }
            voices.append((voice, named?.speaker.id))
        }
        return voices
    }

    private func choice(_ text: String, _ choices: [String], _ what: String) throws -> String {
        guard choices.contains(text) else {
            throw SetupError("there is no \(what) \"\(text)\"; there are: \(choices.joined(separator: ", "))")
        }
        return text
    }

    private func pem(_ path: String, _ kind: String) throws -> String {
        let text = try SmallFile.read(path)
        guard text.contains("-----BEGIN "), text.contains("\(kind)-----") else {
            throw SetupError("\(path) holds no \(kind.lowercased()) in PEM form (-----BEGIN … \(kind)-----)")
        }
        return path
    }
}

/// Why setup cannot continue, in one line for the installer.
public struct SetupError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }

    /// - Parameter path: the path of the missing `soundbox.yaml`.
    public static func noSetup(_ path: String) -> SetupError {
        SetupError("this box is not set up: there is no \(SmallFile.absolute(path)); run: sudo soundbox setup")
    }
}
