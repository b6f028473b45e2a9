import SoundboxALSA
import SoundboxAudio
import SoundboxCore

/// The table of sound outputs: chosen by the name in `audio.device`.
enum AudioOutputs {
    /// Names of the sound cards that are there, for the choice of a device.
    static var cards: [String] { ALSACards.cards().map(\.name) }

    /// - Parameters:
    ///   - device: `null`, `file:PATH`, or any ALSA PCM name.
    ///   - lease: of the thread that the sink is made for.
    ///   - amplifier: switched on for the sound; `nil` where the board switches none.
    ///   - mixer: the card's own volume control, for ALSA devices.
    ///   - mixerDidFail: told why that cannot be used. Must not block.
    static func sink(
        for device: String, fileMode: WAVFileSink.Mode, lease: SoundLease, amplifier: Amplifier? = nil,
        mixer: MixerElement? = nil, mixerDidFail: @escaping @Sendable (String) -> Void = { _ in }
    ) -> any AudioSink {
        let sink = bareSink(
            for: device, fileMode: fileMode, lease: lease, mixer: mixer, mixerDidFail: mixerDidFail)
        return amplifier.map { AmplifiedSink(sink, amplifier: $0) } ?? sink
    }

    private static func bareSink(
        for device: String, fileMode: WAVFileSink.Mode, lease: SoundLease, mixer: MixerElement?,
        mixerDidFail: @escaping @Sendable (String) -> Void
    ) -> any AudioSink {
        if device == "null" { return NullSink() }
        if device.hasPrefix("file:") { return WAVFileSink(path: String(device.dropFirst(5)), mode: fileMode) }
        let sink = ALSASink(device: device, mixer: mixer, mixerDidFail: mixerDidFail)
        return TimedSink(sink, device: device, lease: lease)
    }

    static func isALSA(_ device: String) -> Bool { device != "null" && !device.hasPrefix("file:") }
}
