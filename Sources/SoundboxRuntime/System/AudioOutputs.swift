import SoundboxALSA
import SoundboxAudio
import SoundboxCore

/// The table of sound outputs: chosen by the name in `audio.device`.
enum AudioOutputs {
    /// Names of the sound cards that are there, for the choice of a device.
    static var cards: [String] { ALSACards.cards().map(\.name) }

    /// - Parameters:
    ///   - device: `null`, `file:PATH`, or any ALSA PCM name.
    ///   - mixer: the card's own volume control, for ALSA devices.
    ///   - mixerDidFail: told why that cannot be used. Must not block.
    static func sink(
        for device: String, fileMode: WAVFileSink.Mode, mixer: MixerElement? = nil,
        mixerDidFail: @escaping @Sendable (String) -> Void = { _ in }
    ) -> any AudioSink {
        if device == "null" { return NullSink() }
        if device.hasPrefix("file:") { return WAVFileSink(path: String(device.dropFirst(5)), mode: fileMode) }
        return ALSASink(device: device, mixer: mixer, mixerDidFail: mixerDidFail)
    }

    static func isALSA(_ device: String) -> Bool { device != "null" && !device.hasPrefix("file:") }
}
