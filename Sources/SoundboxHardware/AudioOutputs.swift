import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import SoundboxVoice

/// The table of sound outputs: which sink an ``AudioDevice`` stands for.
public enum AudioOutputs {
    /// Names of the sound cards that are there, for the choice of a device.
    public static var cards: [String] { ALSACards.cards().map(\.name) }

    /// - Parameters:
    ///   - device: `null`, `file:PATH`, or any ALSA PCM name.
    ///   - lease: of the thread that the sink is made for.
    ///   - amplifier: switched on for the sound; `nil` where the board switches none.
    ///   - mixer: the card's own volume control, for ALSA devices.
    ///   - mixerDidFail: told why that cannot be used. Must not block.
    public static func sink(
        for device: String, fileMode: WAVFileSink.Mode, lease: SoundLease, amplifier: Amplifier? = nil,
        mixer: MixerElement? = nil, mixerDidFail: @escaping @Sendable (String) -> Void = { _ in }
    ) -> any AudioSink {
        let sink: any AudioSink =
            switch AudioDevice(device) {
            case .null: NullSink()
            case .file(let path): WAVFileSink(path: path, mode: fileMode)
            case .alsa(let name):
                TimedSink(
                    ALSASink(device: name, mixer: mixer, mixerDidFail: mixerDidFail), device: name, lease: lease)
            }
        return amplifier.map { AmplifiedSink(sink, amplifier: $0) } ?? sink
    }
}

extension Speaker {
    /// - Parameters:
    ///   - device: as `audio.device`; a file that is there already is replaced.
    ///   - others: say everything after the first voice has, except digits.
    public init(device: String, voice: Voice, others: [Voice] = [], volume: Volume = Volume(100)) {
        let thread = SoundThread { lease in AudioOutputs.sink(for: device, fileMode: .overwrite, lease: lease) }
        self.init(on: thread, voice: voice, others: others, volume: volume)
    }
}
