import SoundboxALSA
import SoundboxAudio
import SoundboxCore

/// The table of sound outputs: chosen by the name in `audio.device`.
enum AudioOutputs {
    /// Names of the sound cards that are there, for the choice of a device.
    static var cards: [String] { ALSACards.cards().map(\.name) }

    /// - Parameter device: `null`, `file:PATH`, or any ALSA PCM name.
    static func sink(for device: String, fileMode: WAVFileSink.Mode) -> any AudioSink {
        if device == "null" { return NullSink() }
        if device.hasPrefix("file:") { return WAVFileSink(path: String(device.dropFirst(5)), mode: fileMode) }
        return ALSASink(device: device)
    }
}
