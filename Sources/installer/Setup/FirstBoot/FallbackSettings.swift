import Glibc
import Logging
import SoundboxAudio
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML

/// Voice, sound device and board of a box that cannot work.
public struct FallbackSettings: Sendable {
    /// The folder that holds the voices.
    var sounds = InstalledFolders.nearestSounds
    /// The language; `nil` for Mandarin if it is installed, otherwise the first one.
    var locale: String?
    /// The speaker; `nil` if none was chosen.
    var speaker: String?
    /// The sound device; `nil` to search for the card that has a speaker.
    var audioDevice: String?
    /// Devices to try, in order.
    var likelyDevices: @Sendable () -> [String] = { AudioOutputs.likelyDevices }
    var volume = Volume(100)
    var cardLevel = CardLevel.raise
    /// The loudspeaker that the sound is adapted to; `nil` for the one of the board file.
    var ownLoudspeaker: Loudspeaker?
    var boards = Configuration.Default.boardDirectory
    /// The board file; `nil` for the one that the machine's model suggests.
    var board: String?
    var controlSocket = Configuration.Default.controlSocket

    /// The settings of a box that was never set up.
    public init() {}

    /// The settings of a box that was in service.
    package init(_ last: Configuration) {
        sounds = last.voice.directory
        locale = last.voice.locales.first
        speaker = locale.flatMap { last.voice.speakers[$0] }
        audioDevice = last.audio.device
        volume = last.audio.volume
        cardLevel = last.audio.cardLevel
        ownLoudspeaker = last.audio.speaker
        boards = last.boardDirectory
        board = last.board
        controlSocket = last.controlSocket
    }

    /// Reads what is usable of a configuration with errors. Blocks on the disk.
    package init(bestEffortFrom file: String) {
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
        if text(audio, "card_level") == CardLevel.keep.rawValue { cardLevel = .keep }
        ownLoudspeaker = audio?.optional("speaker").flatMap { try? Loudspeaker(reading: $0) }
        boards = text(top, "board_directory") ?? boards
        board = text(top, "board")
        // Linux keeps 107 bytes for the path of a socket (unix(7)).
        controlSocket = text(top, "control_socket").flatMap { $0.utf8.count <= 107 ? $0 : nil } ?? controlSocket
    }

    /// The voices to try, best first: the configured speaker, others of the language, Mandarin, others of the folder,
    /// others that are installed. Blocks on the disk.
    var voicePlaces: [VoicePlace] {
        var places: [VoicePlace] = []
        for path in [sounds, InstalledFolders.nearestSounds] {
            let folder = VoiceFolder(path: path)
            let preferred = [(locale, speaker), (Configuration.Default.locale, nil)].flatMap { locale, speaker in
                locale.map { folder.candidates($0, speaker).map(\.name) } ?? []
            }
            for name in preferred + folder.names {
                let place = VoicePlace(folder: folder.path, name: name)
                if !places.contains(place) { places.append(place) }
            }
        }
        return places
    }

    /// The panel, and the amplifier's switch if the board has one. Blocks briefly.
    func hardware(_ panel: PanelChoice, _ logger: Logger) -> (panel: (any Panel)?, amplifier: Amplifier?) {
        if panel == .terminal { return (try? TerminalPanel(), nil) }
        guard let layout else { return (nil, nil) }
        let board = BoardPanel(layout) { what, error in logger.warning("\(what)", metadata: ["reason": "\(error)"]) }
        return (board.panel, board.amplifier)
    }

    /// The layout of the board file. Blocks on the disk.
    private var layout: BoardLayout? {
        let model = (try? SmallFile.read("/sys/firmware/devicetree/base/model")) ?? ""
        return (board ?? Self.likelyBoard(model: model)).flatMap { try? BoardFile.read(name: $0, in: boards) }
    }

    /// The loudspeaker that the sound is adapted to. Blocks on the disk.
    var loudspeaker: Loudspeaker { ownLoudspeaker ?? layout?.loudspeaker ?? .full }

    /// The board file for a model, with the wiring of the board's manual. Only this one is guessed: to drive unknown
    /// lines may cause damage.
    static func likelyBoard(model: String) -> String? { model.hasPrefix("Raspberry Pi") ? "raspberry-pi" : nil }
}

/// The place of a voice, which may be unusable.
struct VoicePlace: Sendable, Equatable {
    let folder: String
    let name: String

    /// The voice, if it can say this prompt. Opening proves its rules, so it takes time; it blocks on the disk.
    func voice(saying prompt: Prompt) -> Voice? {
        guard let voice = try? VoiceFolder(path: folder).voice(name),
            let script = try? voice.writer.exactScript(for: .prompt(prompt)), script.hasWords
        else { return nil }
        return voice
    }
}
