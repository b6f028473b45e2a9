import Glibc
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxMQTT
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// A question of setup. One more is an entry below, a field of ``SetupAnswers``, and an option of `SetupOptions`.
public struct SetupQuestion: Sendable {
    /// The option that answers it.
    public let option: String
    /// The question in one line.
    public let text: @Sendable (SetupChoices) -> String
    public var isSecret = false
    /// Whether it is asked after the answers so far.
    var applies: @Sendable (SetupAnswers, SetupChoices) -> Bool = { _, _ in true }
    /// The answer for Enter; empty if an answer must be typed.
    let usual: @Sendable (SetupAnswers, SetupChoices) -> String
    /// Checks an answer and stores it. Reads files and folders; blocks on the disk.
    ///
    /// Throws ``SetupError`` with the problem, for the person who typed it.
    public let store: @Sendable (String, inout SetupAnswers, SetupChoices) throws -> Void
    /// Takes the answer of an installed setup.
    let read: @Sendable (YAMLDocument, inout SetupAnswers) -> Void
    /// Puts the answer into a document. Reads the file that it names; blocks on the disk.
    let write: @Sendable (SetupAnswers, inout YAMLDocument) throws -> Void

    /// The answer for Enter; `nil` if an answer must be typed.
    public func usualAnswer(_ answers: SetupAnswers, _ choices: SetupChoices) -> String? {
        let text = usual(answers, choices)
        return text.isEmpty ? nil : text
    }
}

extension SetupQuestion: CaseIterable, Hashable, CustomStringConvertible {
    /// In the order of asking. The speaker comes after device and volume, because each speaker is played first.
    public static let allCases = [
        merchantID, deviceID, brokerURL, username, password, caFile, certFile, keyFile, voice, currency, board,
        audioDevice, volume, speaker,
    ]

    public static func == (left: SetupQuestion, right: SetupQuestion) -> Bool { left.option == right.option }
    public func hash(into hasher: inout Hasher) { hasher.combine(option) }
    public var description: String { option }
}

// MARK: The questions

extension SetupQuestion {
    public static let merchantID = SetupQuestion(
        "--merchant-id", key: "merchant_id", \.merchantID,
        text: { _ in "Merchant id, as the payment provider gave it" }, check: { text, _ in try topicLevel(text) })

    public static let deviceID = SetupQuestion(
        "--device-id", key: "device_id", \.deviceID,
        text: { _ in "Device id of this box" }, check: { text, _ in try topicLevel(text) })

    public static let brokerURL = SetupQuestion(
        option: "--broker",
        text: { _ in
            "Broker, mqtts://host[:port] (mqtt:// is unencrypted); a cluster's nodes with commas between"
        },
        usual: { answers, _ in answers.brokerURL },
        store: { text, answers, _ in
            answers.brokerURL = try brokers(text)
            if !answers.usesTLS { (answers.caFile, answers.certFile, answers.keyFile) = (nil, nil, nil) }
        },
        read: { document, answers in
            guard let urls = document[list: "broker", "url"],
                // Do not offer an unusable URL: a password in it would be shown.
                urls.allSatisfy({ (try? BrokerAddress(url: $0)) != nil })
            else { return }
            answers.brokerURL = urls.joined(separator: ", ")
        },
        write: { answers, document in
            let brokers = answers.brokerURL.split(separator: ",").map(\.trimmed)
            if document[list: "broker", "url"] != brokers { document[list: "broker", "url"] = brokers }
            if !answers.usesTLS { document["broker", "pin_sha256"] = nil }
        })

    public static let username = SetupQuestion(
        option: "--username",
        text: { _ in "User name at the broker (- for none)" },
        usual: { answers, _ in answers.username ?? "-" },
        store: { text, answers, _ in
            answers.username = text.orNone
            if answers.username == nil { answers.password = nil }
        },
        read: { document, answers in answers.username = document["broker", "username"] },
        write: { answers, document in
            document["broker", "username"] = answers.username
            if answers.username == nil { document["broker", "password_file"] = nil }
        })

    public static let password = SetupQuestion(
        option: "--password-file",
        text: { _ in "Password at the broker (not shown; Enter keeps the one that is installed)" },
        isSecret: true,
        applies: { answers, _ in answers.username != nil },
        usual: { _, _ in "" },
        store: { text, answers, _ in
            // For example Ctrl-Z, which the terminal does not show.
            if let password = text.orNone, let problem = SecretFile.problem(ofLine: password) {
                throw SetupError("that \(problem); type the password again")
            }
            answers.password = text.orNone.map(Secret.init)
        },
        read: { _, _ in },
        write: { answers, document in
            if let password = answers.password { document["broker", "password"] = password.value }
        })

    public static let caFile = SetupQuestion(
        file: "--ca-file", key: "ca_file", inline: "ca", \.caFile,
        text: "File with the authority that vouches for the broker (- for the system's)",
        usual: "-",
        store: { text, answers in answers.caFile = try text.orNone.map { try pem($0, "CERTIFICATE") } })

    public static let certFile = SetupQuestion(
        file: "--cert-file", key: "cert_file", inline: "certificate", \.certFile,
        text: "File with this box's certificate (- for none)",
        usual: "-",
        store: { text, answers in
            answers.certFile = try text.orNone.map { try pem($0, "CERTIFICATE") }
            if answers.certFile == nil { answers.keyFile = nil }
        })

    public static let keyFile = SetupQuestion(
        file: "--key-file", key: "key_file", inline: "key", \.keyFile,
        text: "File with the key to that certificate",
        applies: { $0.certFile != nil },
        usual: "",
        store: { text, answers in answers.keyFile = try pem(text, "PRIVATE KEY") })

    public static let voice = SetupQuestion(
        option: "--voice",
        text: { "Voice, or several with commas between (\($0.voices.joined(separator: ", ")))" },
        usual: { answers, _ in answers.voices.joined(separator: ", ") },
        store: { text, answers, choices in
            let chosen = try voices(text, choices)
            answers.voices = chosen.map(\.locale)
            for voice in chosen { if let speaker = voice.speaker { answers.speakers[voice.locale] = speaker } }
            answers.speakers = answers.speakers.filter { answers.voices.contains($0.key) }
        },
        read: { document, answers in
            if let installed = document[list: "voice", "locale"], !installed.isEmpty { answers.voices = installed }
        },
        write: { answers, document in document[list: "voice", "locale"] = answers.voices })

    public static let currency = SetupQuestion(
        option: "--currency",
        text: { _ in "Currency of payments that name none" },
        usual: { answers, choices in answers.currency ?? choices.currency(of: answers) },
        store: { text, answers, _ in
            guard let currency = Currency(text.uppercased()) else {
                throw SetupError("\"\(text)\" is no currency of ISO 4217; expected a code such as CNY")
            }
            answers.currency = currency.code
        },
        read: { document, answers in
            // A box that is set up without this key means the yuan, also once its voice changes.
            let unsaid = document["merchant_id"] == nil ? nil : Configuration.Default.currency.code
            answers.currency = document["announce", "currency"] ?? unsaid
        },
        write: { answers, document in document["announce", "currency"] = answers.currency })

    public static let board = SetupQuestion(
        "--board", key: "board", \.board,
        text: { "Board (\($0.boards.joined(separator: ", ")))" },
        check: { text, choices in try choice(text, choices.boards, "board") })

    public static let audioDevice = SetupQuestion(
        option: "--audio-device",
        text: { choices in
            let cards = choices.cards.enumerated().map { "\($0 + 1) for \($1.description), \($1.device)" }
            guard !cards.isEmpty else { return "Sound device (no card is there; auto, or an ALSA name)" }
            return
                "Sound device (auto for the first of these that is there; \(cards.joined(separator: "; ")); or an ALSA name)"
        },
        usual: { answers, _ in answers.audioDevice },
        store: { text, answers, choices in answers.audioDevice = try device(text, choices) },
        read: { document, answers in
            // A box that is set up means ALSA's default where its file names no device.
            let unnamed =
                document["merchant_id"] == nil ? answers.audioDevice : Configuration.Default.audioDevice
            answers.audioDevice = document["audio", "device"] ?? unnamed
        },
        write: { answers, document in document["audio", "device"] = answers.audioDevice })

    public static let volume = SetupQuestion(
        option: "--volume",
        text: { _ in "Volume, 0 to 100" },
        usual: { answers, _ in String(answers.volume) },
        store: { text, answers, _ in
            guard let level = Int(text), Volume.range.contains(level) else {
                throw SetupError("expected a whole number from 0 to 100, not \"\(text)\"")
            }
            answers.volume = level
        },
        read: { document, answers in
            if let volume = document["audio", "volume"].flatMap({ Int($0) }) { answers.volume = volume }
        },
        write: { answers, document in document["audio", "volume"] = String(answers.volume) })

    public static let speaker = SetupQuestion(
        option: "--speaker",
        text: { _ in "Who speaks (again to hear them again; - for the usual one)" },
        applies: { answers, choices in !choices.samples(for: answers).isEmpty },
        usual: SpeakerAnswer.usual,
        store: { text, answers, choices in
            answers.speakers = try text.orNone.map { try SpeakerAnswer.speakers($0, answers, choices) } ?? [:]
        },
        read: { document, answers in answers.speakers = SpeakerAnswer.speakers(of: answers.voices, in: document) },
        write: { answers, document in SpeakerAnswer.write(answers, to: &document) })
}

// MARK: Kinds of questions

extension SetupQuestion {
    /// A text under a key.
    private init(
        _ option: String, key: String, _ field: any WritableKeyPath<SetupAnswers, String> & Sendable,
        text: @escaping @Sendable (SetupChoices) -> String,
        check: @escaping @Sendable (String, SetupChoices) throws -> String
    ) {
        self.init(
            option: option, text: text, usual: { answers, _ in answers[keyPath: field] },
            store: { text, answers, choices in answers[keyPath: field] = try check(text, choices) },
            read: { document, answers in
                if let text = document[key] { answers[keyPath: field] = text }
            },
            write: { answers, document in document[key] = answers[keyPath: field] })
    }

    /// A PEM file of the broker, which is copied.
    ///
    /// - Parameter inline: the key of its content in a provisioning document, see ``SetupPart``.
    private init(
        file option: String, key: String, inline: String,
        _ field: any WritableKeyPath<SetupAnswers, String?> & Sendable,
        text: String, applies: @escaping @Sendable (SetupAnswers) -> Bool = { _ in true }, usual: String,
        store: @escaping @Sendable (String, inout SetupAnswers) throws -> Void
    ) {
        self.init(
            option: option, text: { _ in text }, applies: { answers, _ in answers.usesTLS && applies(answers) },
            usual: { answers, _ in answers[keyPath: field] ?? usual },
            store: { text, answers, _ in try store(text, &answers) },
            read: { document, answers in answers[keyPath: field] = document["broker", key] },
            write: { answers, document in
                let path = answers[keyPath: field]
                guard path != document["broker", key] else { return }
                document["broker", key] = nil
                document["broker", inline] = try path.map { try SmallFile.read($0) }
            })
    }
}

// MARK: Checks

extension SetupQuestion {
    /// The password on the first line of a file, without a byte order mark and without blanks at either end, and
    /// whether it had such blanks. Blocks on the disk.
    public static func password(inFile path: String) throws -> (text: String, hadBlanks: Bool) {
        // The mode does not matter: the password is copied to another file.
        let line = try SecretFile(path: path).read(evenIfExposed: true)
        return (line.trimmed, line.hasOuterBlank)
    }

    private static func topicLevel(_ text: String) throws -> String {
        do { _ = try Topics(merchant: text, device: text) } catch {
            throw SetupError("\"\(text)\" cannot be an id: \(error.problem)")
        }
        return text
    }

    private static func brokers(_ text: String) throws -> String {
        do { return try BrokerAddress.list(text).map(\.description).joined(separator: ", ") } catch {
            throw SetupError(error.description)
        }
    }

    /// Languages, or a language with its speaker such as `zh-CN-yunxi`.
    private static func voices(_ text: String, _ choices: SetupChoices) throws -> [(locale: String, speaker: String?)] {
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

    /// The device, or the one of the card with that number.
    private static func device(_ text: String, _ choices: SetupChoices) throws -> String {
        let text = text.trimmed
        guard !text.isEmpty, text != "-", text == "auto" || text.lowercased() != "auto" else {
            throw SetupError("expected a device, such as auto")
        }
        guard let number = Int(text) else { return text }
        guard choices.cards.indices.contains(number - 1) else {
            throw SetupError(
                choices.cards.isEmpty
                    ? "no sound card is there; expected a device, such as auto"
                    : "expected a number from 1 to \(choices.cards.count), or a device, such as auto")
        }
        return choices.cards[number - 1].device
    }

    private static func choice(_ text: String, _ choices: [String], _ what: String) throws -> String {
        guard choices.contains(text) else {
            throw SetupError("there is no \(what) \"\(text)\"; there are: \(choices.joined(separator: ", "))")
        }
        return text
    }

    private static func pem(_ path: String, _ kind: String) throws -> String {
        let text = try SmallFile.read(path)
        guard text.contains("-----BEGIN "), text.contains("\(kind)-----") else {
            throw SetupError("\(path) holds no \(kind.lowercased()) in PEM form (-----BEGIN … \(kind)-----)")
        }
        return path
    }
}

extension String {
    /// `nil` if it is empty or `-`.
    fileprivate var orNone: String? { isEmpty || self == "-" ? nil : self }
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
