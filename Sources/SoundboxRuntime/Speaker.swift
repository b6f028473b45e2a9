import SoundboxAudio
import SoundboxCore

/// Speaks on a device or into a file without a box, a broker or a queue: for `soundbox say` and for setup.
public struct Speaker: Sendable {
    private let player: Player
    private let writer: ScriptWriter

    /// - Parameter device: as `audio.device`; a file that is there already is replaced.
    public init(device: String, voice: Voice, volume: Volume = Volume(100)) {
        self.init(sink: AudioOutputs.sink(for: device, fileMode: .overwrite), voice: voice, volume: volume)
    }

    init(sink: any AudioSink, voice: Voice, volume: Volume) {
        player = Player(sink: sink, voices: Voices(first: voice), volume: volume)
        writer = voice.writer
    }

    /// Returns when the last frame has been heard, or is in the file.
    /// - Throws: ``SpeechError`` when the amount cannot be said exactly, ``AudioSinkError`` when it cannot be played.
    public func speak(_ utterance: Utterance) async throws {
        let script = try writer.exactScript(for: utterance)
        do { try await player.play(script) } catch .sink(let error) { throw error }
    }

    /// Speaks digits one by one, slowly enough to be written down.
    /// - Parameter digits: 0 to 9 each.
    public func speak(digits: [Int]) async throws {
        var script = AnnouncementScript(text: "", elements: [])
        for digit in digits {
            let word = try writer.language.reading(ofDigit: digit)
            script.text += word
            script.elements += try writer.script(ofText: word).elements + [.pause(.milliseconds(300))]
        }
        try await player.play(script)
    }

    public func close() async { await player.close() }
}
