import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxMQTT
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Tries answers before they are written: the broker, the sound, the light.
public struct SetupTrial {
    private let answers: SetupAnswers
    private let document: YAMLDocument

    /// - Parameter document: what is installed, for all that the answers leave open.
    public init(_ answers: SetupAnswers, over document: YAMLDocument) {
        self.answers = answers
        self.document = document
    }

    /// Tries the broker as ``BrokerCheck`` does.
    public func checkBroker() async -> [Finding] {
        do { return await BrokerCheck(settings: try settings()).run() } catch {
            return [Finding("broker", .red, "\(error)")]
        }
    }

    /// Plays the greeting at the chosen volume, in every chosen language, and then the digits one by one in the first;
    /// the board's light is on meanwhile.
    /// - Throws: why nothing is heard.
    public func speak(_ digits: [Int]) async throws {
        let folder = VoiceFolder(path: voiceDirectory)
        let board = board()
        defer { board?.panel.close() }
        try? board?.panel.set(PanelOutputs(isLit: true, isVibrating: false))
        let thread = SoundThread { [device = answers.audioDevice, amplifier = board?.amplifier] lease in
            AudioOutputs.sink(for: device, fileMode: .overwrite, lease: lease, amplifier: amplifier)
        }
        let speaker = Speaker(
            on: thread, voice: try folder.voice(answers.voices[0]),
            others: try answers.voices.dropFirst().map { try folder.voice($0) }, volume: Volume(answers.volume))
        try await speaker.speak(.prompt(.greeting))
        if !digits.isEmpty { try await speaker.speak(digits: digits) }
        await speaker.close()
    }

    /// Light and amplifier of the board that was chosen; `nil` where there is no such board. A light that the running box
    /// holds stays as it is: the sound is what the installer waits for.
    private func board() -> BoardPanel? {
        let directory = document["board_directory"] ?? InstalledFolders.board
        guard let layout = try? BoardFile.read(name: answers.board, in: directory) else { return nil }
        return BoardPanel(layout) { _, _ in }
    }

    private var voiceDirectory: String { document["voice", "directory"] ?? InstalledFolders.sounds }

    private func settings() throws -> MQTTSettings {
        let address = try BrokerAddress(url: answers.brokerURL)
        var password = answers.password?.value
        if password == nil, answers.username != nil, let file = document["broker", "password_file"] {
            password = try SecretFile(path: file).read()
        }
        return MQTTSettings(
            host: address.host, port: address.port,
            tls: address.usesTLS
                ? .init(
                    caFile: answers.caFile, certFile: answers.certFile, keyFile: answers.keyFile,
                    pins: document[list: "broker", "pin_sha256"] ?? []) : nil,
            username: answers.username, password: password,
            clientID: ClientID.box(merchant: answers.merchantID, device: answers.deviceID),
            topics: try Topics(
                prefix: document["broker", "topic_prefix"] ?? Configuration.Default.topicPrefix,
                merchant: answers.merchantID,
                device: answers.deviceID))
    }
}

extension SetupChoices {
    /// What this machine offers. Blocks on the disk.
    public init(over document: YAMLDocument) {
        self.init(
            voices: VoiceFolder(path: document["voice", "directory"] ?? InstalledFolders.sounds).locales,
            boards: BoardFile.names(in: document["board_directory"] ?? InstalledFolders.board),
            cards: AudioOutputs.cards)
    }
}
