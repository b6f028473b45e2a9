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

/// What a box speaks with, and shows its light on, while it cannot do its work.
public struct FallbackSettings: Sendable {
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
    var cardLevel = CardLevel.raise
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
        cardLevel = last.audio.cardLevel
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
        if text(audio, "card_level") == CardLevel.keep.rawValue { cardLevel = .keep }
        ownLoudspeaker = audio?.optional("speaker").flatMap { try? Loudspeaker(reading: $0) }
        boards = text(top, "board_directory") ?? boards
        board = text(top, "board")
        // Linux keeps 107 bytes for the path of a socket (unix(7)).
        controlSocket = text(top, "control_socket").flatMap { $0.utf8.count <= 107 ? $0 : nil } ?? controlSocket
    }

    /// Where voices are, the best first: who is set, others of the language, the Mandarin one, others of the folder,
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

    /// Which board file fits, before anybody has chosen one: its wiring is that of the board's manual. No other board
    /// is guessed, since driving unknown lines may do harm.
    static func likelyBoard(model: String) -> String? { model.hasPrefix("Raspberry Pi") ? "raspberry-pi" : nil }
}

/// Where a voice is, which may be none that can be opened.
struct VoicePlace: Sendable, Equatable {
    let folder: String
    let name: String

    /// The voice, if it can say this. Opening proves its rules, so it takes time, and blocks on the disk.
    func voice(saying prompt: Prompt) -> Voice? {
        guard let voice = try? VoiceFolder(path: folder).voice(name),
            let script = try? voice.writer.exactScript(for: .prompt(prompt)), script.hasWords
        else { return nil }
        return voice
    }
}
