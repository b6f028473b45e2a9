import Glibc
import Logging
import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// What a box speaks with, and shows its light on, while it cannot do its work.
public struct Surroundings: Sendable {
    /// The folder that holds the voices.
    var sounds = InstalledFolders.nearestSounds
    /// Which of them speaks; `nil` for the Mandarin one where there is a choice, else the first.
    var locale: String?
    /// Who speaks that language; `nil` where nobody was chosen.
    var speaker: String?
    /// Where it speaks; `nil` while nobody has said, and the card that is wired must be found.
    var audioDevice: String?
    /// Where it may be, in order.
    var likelyDevices: @Sendable () -> [String] = { AudioOutputs.likelyDevices }
    var volume = Volume(100)
    /// What the sound is made fit for; `nil` for what the board's file says.
    var ownLoudspeaker: Loudspeaker?
    var boards = Configuration.Default.boardDirectory
    /// The board's file; `nil` for the one that the machine's own name suggests.
    var board: String?
    var controlSocket = Configuration.Default.controlSocket

    /// Those of a box that has never been set up.
    public init() {}

    /// Those of a box that was in service.
    package init(_ last: Configuration) {
        sounds = last.voice.directory
        locale = last.voice.locales.first
        speaker = locale.flatMap { last.voice.speakers[$0] }
        audioDevice = last.audio.device
        volume = last.audio.volume
        ownLoudspeaker = last.audio.speaker
        boards = last.boardDirectory
        board = last.board
        controlSocket = last.controlSocket
    }

    /// As much of them as a configuration tells, however wrong the rest of it is. Blocks on the disk.
    package init(asFarAsToldBy file: String) {
        guard let top = try? YAMLValue(readingFile: file).mapping() else { return }
        func text(_ mapping: YAMLMapping?, _ key: String) -> String? {
            (try? mapping?.optional(key)?.string()).flatMap { $0.isEmpty ? nil : $0 }
        }
        let voice = try? top.optional("voice")?.mapping()
        let audio = try? top.optional("audio")?.mapping()
        sounds = text(voice, "directory") ?? sounds
        locale = text(voice, "locale")
        speaker = text(voice, "speaker")
        audioDevice = text(audio, "device") ?? Configuration.Default.audioDevice
        if let level = try? audio?.optional("volume")?.integer(in: Volume.range) { volume = Volume(level) }
        ownLoudspeaker = audio?.optional("speaker").flatMap { try? Loudspeaker(reading: $0) }
        boards = text(top, "board_directory") ?? boards
        board = text(top, "board")
        // Linux keeps 107 bytes for the path of a socket (unix(7)).
        controlSocket = text(top, "control_socket").flatMap { $0.utf8.count <= 107 ? $0 : nil } ?? controlSocket
    }

    /// Voices that can say it, the best first: the one that is set, others of its folder, others that are installed. No
    /// more than three: opening one proves its rules, and a fault should be told before the next attempt ends it.
    /// Blocks on the disk.
    func voices(saying prompt: Prompt) -> [Voice] {
        var voices: [Voice] = []
        for path in [sounds, InstalledFolders.nearestSounds] where !voices.contains(where: { $0.directory == path }) {
            let folder = VoiceFolder(path: path)
            let preferred = [(locale, speaker), (Configuration.Default.locale, nil)].flatMap { locale, speaker in
                locale.map { folder.candidates($0, speaker).map(\.name) } ?? []
            }
            var tried: Set<String> = []
            for name in preferred + folder.names where tried.insert(name).inserted {
                guard let voice = try? folder.voice(name),
                    let script = try? voice.writer.exactScript(for: .prompt(prompt)), script.hasWords
                else { continue }
                voices.append(voice)
                if voices.count == 3 { return voices }
            }
        }
        return voices
    }

    /// The light, and the amplifier's switch where the board has one. Blocks briefly.
    func hardware(_ panel: PanelChoice, _ logger: Logger) -> (panel: (any Panel)?, amplifier: Amplifier?) {
        if panel == .terminal { return (try? TerminalPanel(), nil) }
        guard let layout else { return (nil, nil) }
        let board = BoardPanel(layout) { what, error in logger.warning("\(what)", metadata: ["reason": "\(error)"]) }
        return (board.panel, board.amplifier)
    }

    /// What the board's file says. Blocks on the disk.
    private var layout: BoardLayout? {
        let model = (try? SmallFile.read("/sys/firmware/devicetree/base/model")) ?? ""
        return (board ?? Self.likelyBoard(model: model)).flatMap { try? BoardFile.read(name: $0, in: boards) }
    }

    /// What the sound is made fit for. Blocks on the disk.
    var loudspeaker: Loudspeaker { ownLoudspeaker ?? layout?.loudspeaker ?? .full }

    /// Which board file fits, before anybody has chosen one: its wiring is that of the board's manual.
    static func likelyBoard(model: String) -> String? { model.hasPrefix("Raspberry Pi") ? "raspberry-pi" : nil }
}

/// Says aloud what keeps a box from its work.
package struct Reminder: Sendable {
    /// How often: often enough for somebody who stands there with the box, rarely enough for a shelf.
    package static let interval = Duration.seconds(600)

    package let surroundings: Surroundings
    package let amplifier: Amplifier?
    package let logger: Logger
    /// What the box is, for the log: "the box is not set up".
    package let fact: String
    package let watch = DeviceWatch()

    /// Says it once, in the first voice that has it and can be read, on the first card that plays it.
    package func say(_ prompt: Prompt) async {
        let voices = surroundings.voices(saying: prompt)
        guard !voices.isEmpty else {
            logger.error("no voice is installed", metadata: ["directory": "\(surroundings.sounds)"])
            return
        }
        var devices: ArraySlice<String> = await devices()[...]
        var remainingVoices = voices[...]
        while let device = devices.first, let voice = remainingVoices.first, !Task.isCancelled {
            do {
                try await say(prompt, voice, on: device)
                logger.info(
                    "said that \(fact)", metadata: ["voice": "\(voice.language.locale)", "audio": "\(device)"])
                return
            } catch {
                logger.warning("cannot say that \(fact)", metadata: ["reason": "\(error)"])
                // Another voice has other recordings, another card may be the one that is wired.
                if case PlayerError.recording = error {
                    remainingVoices.removeFirst()
                } else {
                    devices.removeFirst()
                }
            }
        }
    }

    private func devices() async -> [String] {
        if let device = surroundings.audioDevice { return [device] }
        let likely = try? await onOwnThread(named: "cards", surroundings.likelyDevices)
        return likely ?? [Configuration.Default.audioDevice]
    }

    private func say(_ prompt: Prompt, _ voice: Voice, on device: String) async throws {
        let thread = SoundThread(watch: watch) { [amplifier] lease in
            AudioOutputs.sink(for: device, fileMode: .append, lease: lease, amplifier: amplifier)
        }
        let speaker = Speaker(
            on: thread, voice: voice, volume: surroundings.volume, loudspeaker: surroundings.loudspeaker)
        do { try await speaker.speak(.prompt(prompt)) } catch {
            await speaker.close()
            throw error
        }
        // A card that is held open would keep others out, such as setup's greeting.
        await speaker.close()
    }
}
