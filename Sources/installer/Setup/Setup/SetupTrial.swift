import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxMQTT
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Tests answers before they are written: broker, sound and light.
///
///     let trial = SetupTrial(answers, over: document)
///     let findings = await trial.checkBroker()
///     try await trial.speak([4, 7, 1])
public struct SetupTrial {
    private let answers: SetupAnswers
    private let document: YAMLDocument

    /// - Parameter document: the installed setup, for everything that the answers do not contain.
    public init(_ answers: SetupAnswers, over document: YAMLDocument) {
        self.answers = answers
        self.document = document
    }

    /// Runs ``BrokerCheck``, and checks the names and the password.
    public func checkBroker() async -> [Finding] {
        let presence = await BoxPresence.ask(
            socketPath: document["control_socket"] ?? Configuration.Default.controlSocket)
        do {
            let settings = try settings()
            let check = BrokerCheck(settings: settings, presence: presence)
            return Self.nameFindings(answers) + Self.passwordFindings(settings.password) + (await check.run())
        } catch {
            return [Finding("broker", .red, "\(error)")]
        }
    }

    /// Warns of names that another broker may rewrite.
    static func nameFindings(_ answers: SetupAnswers) -> [Finding] {
        [("merchant_id", answers.merchantID), ("device_id", answers.deviceID)].compactMap { key, name in
            guard let sign = name.first(where: { ".*".contains($0) }) else { return nil }
            return Finding(
                "names", .amber, "\(key) \"\(name)\" holds \"\(sign)\", which RabbitMQ rewrites in topics",
                advice: "choose another id before the box moves to such a broker; _ and - are safe")
        }
    }

    static let outerBlank = "the password begins or ends with a blank, which is sent as a part of it"

    static func passwordFindings(_ password: String?) -> [Finding] {
        guard password?.hasOuterBlank == true else { return [] }
        return [
            Finding(
                "password", .amber, outerBlank,
                advice: "if it is not meant, give the password again without it (--password-file)")
        ]
    }

    /// Plays the greeting at the chosen volume in every chosen language, then the digits in the first one. The board's
    /// light is on meanwhile.
    /// - Throws: why nothing is heard.
    public func speak(_ digits: [Int]) async throws {
        let folder = VoiceFolder(path: voiceDirectory)
        let voices = try answers.voices.map { locale in
            try folder.speaking(locale, speaker: answers.speakers[locale]) { $0 }.prepared
        }
        try await speak(digits, by: voices)
    }

    /// Plays the greeting and the digits 1 to 3 by one speaker, at the chosen volume. Nothing of it sounds like a
    /// payment.
    /// - Throws: why nothing is heard.
    public func play(_ sample: SpeakerSample) async throws {
        let folder = VoiceFolder(path: voiceDirectory)
        try await speak(
            [1, 2, 3], by: [try folder.speaking(sample.locale, speaker: sample.speaker.id) { $0 }.prepared])
    }

    private func speak(_ digits: [Int], by voices: [Voice]) async throws {
        let layout = layout()
        // Ignore a light that the running box holds: the sound matters.
        let board = layout.map { BoardPanel($0) { _, _ in } }
        defer { board?.panel.close() }
        try? board?.panel.set(PanelOutputs(isLit: true, isVibrating: false))
        let level: CardLevel = document["audio", "card_level"] == CardLevel.keep.rawValue ? .keep : .raise
        let thread = SoundThread { [device = answers.audioDevice, amplifier = board?.amplifier] callTimeout in
            AudioOutputs.sink(
                for: device, fileMode: .overwrite, callTimeout: callTimeout, amplifier: amplifier, level: level)
        }
        let speaker = Speaker(
            on: thread, voice: voices[0], others: Array(voices.dropFirst()), volume: Volume(answers.volume),
            loudspeaker: configuredLoudspeaker ?? layout?.loudspeaker ?? .full)
        var outcome = try await speaker.speak(.prompt(.greeting))
        if !digits.isEmpty { outcome = try await speaker.speak(digits: digits) }
        await speaker.close()
        guard outcome == .heard(.aloud) else {
            throw SetupError("volume \(answers.volume) is too low to hear it")
        }
    }

    /// The chosen board; `nil` if there is no such board.
    private func layout() -> BoardLayout? {
        let directory = document["board_directory"] ?? InstalledFolders.board
        return try? BoardFile.read(name: answers.board, in: directory)
    }

    private var configuredLoudspeaker: Loudspeaker? {
        let audio = try? YAMLValue(parsing: document.text, file: "soundbox.yaml").mapping().optional("audio")?.mapping()
        return audio?.optional("speaker").flatMap { try? Loudspeaker(reading: $0) }
    }

    /// Some platforms refuse a short keep-alive.
    private var configuredKeepAlive: Duration? {
        let broker = try? YAMLValue(parsing: document.text, file: "soundbox.yaml").mapping().optional("broker")?
            .mapping()
        return try? broker?.optional("keep_alive")?.duration(in: .seconds(5) ... .seconds(3600))
    }

    private var voiceDirectory: String { document["voice", "directory"] ?? InstalledFolders.sounds }

    private func settings() throws -> MQTTSettings {
        let brokers = try BrokerAddress.list(answers.brokerURL)
        var password = answers.password?.value
        if password == nil, answers.username != nil, let file = document["broker", "password_file"] {
            password = try SecretFile(path: file).read()
        }
        var settings = MQTTSettings(
            hosts: brokers.map { .init($0.host, port: $0.port) },
            tls: brokers[0].usesTLS
                ? .init(
                    caFile: answers.caFile, certFile: answers.certFile, keyFile: answers.keyFile,
                    pins: document[list: "broker", "pin_sha256"] ?? []) : nil,
            username: answers.username, password: password,
            topics: try Configuration.topics(
                merchant: answers.merchantID, device: answers.deviceID, in: document.text))
        let choice = document["broker", "protocol"].flatMap(BrokerProtocol.init(rawValue:))
        settings.protocolChoice = choice ?? Configuration.Default.brokerProtocol
        settings.keepAlive = configuredKeepAlive ?? settings.keepAlive
        return settings
    }
}

extension SetupChoices {
    /// The choices on this machine. Blocks on the disk.
    public init(over document: YAMLDocument) {
        let folder = VoiceFolder(path: document["voice", "directory"] ?? InstalledFolders.sounds)
        let voices = folder.entries
            .sorted { $0.isUsual && !$1.isUsual || $0.isUsual == $1.isUsual && $0.name < $1.name }
        self.init(
            voices: Set(voices.map(\.locale)).sorted(),
            samples: voices.compactMap { voice in
                voice.speaker.map { SpeakerSample(locale: voice.locale, speaker: $0) }
            },
            boards: Set(BoardFile.names(in: document["board_directory"] ?? InstalledFolders.board))
                .union([BoardFile.none]).sorted(),
            cards: AudioOutputs.cards)
        for locale in self.voices { currencies[locale] = folder.currency(of: locale) }
    }
}

extension VoiceFolder {
    /// The code of the currency of a document's first voice, as `soundbox say` takes it; `nil` if the voice is not
    /// installed. Reads its `voice.yaml`, so it blocks on the disk.
    static func currency(saidBy document: YAMLDocument) -> String? {
        let folder = VoiceFolder(path: document["voice", "directory"] ?? InstalledFolders.sounds)
        return folder.currency(of: document[list: "voice", "locale"]?.first ?? Configuration.Default.locale)
    }

    func currency(of locale: String) -> String? {
        (try? speaking(locale, speaker: nil) { $0.language.currency.code })?.prepared
    }
}
