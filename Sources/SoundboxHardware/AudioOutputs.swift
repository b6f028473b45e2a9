import Glibc
import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import SoundboxVoice

/// The table of sound outputs: which sink an ``AudioDevice`` stands for.
public enum AudioOutputs {
    /// A sound card that is there, for the choice of a device.
    public struct Card: Sendable, Equatable {
        /// What `audio.device` takes.
        public var device: String
        /// What people call it.
        public var description: String

        public init(device: String, description: String) {
            self.device = device
            self.description = description
        }
    }

    /// The cards that are there and play, the one most likely to have a speaker attached first. Asks the kernel; may
    /// block.
    public static var cards: [Card] {
        ALSACards.cards().inOrderOfWiring.map { Card(device: $0.playbackName, description: $0.description) }
    }

    /// Where to play as long as nobody has said where. Asks the kernel; may block.
    public static var likelyDevices: [String] {
        likelyDevices(
            among: ALSACards.cards(),
            hasOwnDefault: getenv("ALSA_CONFIG_PATH") != nil || access("/etc/asound.conf", F_OK) == 0)
    }

    /// The cards in order. A default that somebody has made comes first; alsa-lib's own, which is the first card that
    /// the kernel found, stands for what is not known here.
    ///
    /// - Parameter hasOwnDefault: whether alsa-lib has a configuration beside the one that it comes with.
    static func likelyDevices(among cards: [ALSACard], hasOwnDefault: Bool) -> [String] {
        let cards = cards.inOrderOfWiring
        let real = cards.filter { !$0.isImaginary }.map(\.playbackName)
        let imaginary = cards.filter(\.isImaginary).map(\.playbackName)
        return (hasOwnDefault ? ["default"] + real : real + ["default"]) + imaginary
    }

    /// - Parameters:
    ///   - device: as `audio.device`.
    ///   - amplifier: switched on for the sound; `nil` where the board switches none.
    ///   - level: what becomes of the card's own controls when it opens.
    ///   - levelDidChange: told what was changed, and what could not be. Must not block.
    ///   - deviceDidChange: told which device `auto` stands for, whenever that changes. Must not block.
    public static func sink(
        for device: String, fileMode: WAVFileSink.Mode, callTimeout: CallTimeout, amplifier: Amplifier? = nil,
        level: CardLevel, levelDidChange: @escaping @Sendable (String) -> Void = { _ in },
        deviceDidChange: @escaping @Sendable (String) -> Void = { _ in }
    ) -> any AudioSink {
        let sink: any AudioSink =
            switch AudioDevice(device) {
            case .null: NullSink()
            case .file(let path): WAVFileSink(path: path, mode: fileMode)
            case .auto:
                TimedSink(
                    ALSASink(
                        choosing: { likelyDevices[0] }, level: level, levelDidChange: levelDidChange,
                        deviceDidChange: deviceDidChange),
                    device: device, callTimeout: callTimeout)
            case .alsa(let name):
                TimedSink(
                    ALSASink(device: name, level: level, levelDidChange: levelDidChange), device: name,
                    callTimeout: callTimeout)
            }
        return amplifier.map { AmplifiedSink(sink, amplifier: $0) } ?? sink
    }
}

extension Speaker {
    /// - Parameters:
    ///   - device: as `audio.device`; a file that is there already is replaced, and a card keeps its level.
    ///   - others: say everything after the first voice has, except digits.
    ///   - loudspeaker: what the sound is made fit for.
    public init(
        device: String, voice: Voice, others: [Voice] = [], volume: Volume = Volume(100),
        loudspeaker: Loudspeaker = .full
    ) {
        let thread = SoundThread { callTimeout in
            AudioOutputs.sink(for: device, fileMode: .overwrite, callTimeout: callTimeout, level: .keep)
        }
        self.init(on: thread, voice: voice, others: others, volume: volume, loudspeaker: loudspeaker)
    }
}
