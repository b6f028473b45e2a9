import Glibc
import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import SoundboxVoice

/// The table of sound outputs: which sink to use for an ``AudioDevice``.
///
///     let thread = SoundThread { callTimeout in
///         AudioOutputs.sink(for: "auto", fileMode: .append, callTimeout: callTimeout, level: .keep)
///     }
public enum AudioOutputs {
    /// A sound card that is present, for the choice of a device.
    public struct Card: Sendable, Equatable {
        /// The value for `audio.device`.
        public var device: String
        /// Its name for people.
        public var description: String

        public init(device: String, description: String) {
            self.device = device
            self.description = description
        }
    }

    /// The cards that play, the one most likely to have a speaker attached first. Asks the kernel; may block.
    public static var cards: [Card] {
        ALSACards.cards().inOrderOfWiring.map { Card(device: $0.playbackName, description: $0.description) }
    }

    /// Where to play if the configuration does not say. Asks the kernel; may block.
    public static var likelyDevices: [String] {
        likelyDevices(
            among: ALSACards.cards(),
            hasOwnDefault: getenv("ALSA_CONFIG_PATH").map { $0.pointee != 0 } == true
                || access("/etc/asound.conf", F_OK) == 0)
    }

    /// The devices in order of preference. A configured default comes first. alsa-lib's own default is the first card
    /// that the kernel found; it is tried after the cards that are known here.
    ///
    /// - Parameter hasOwnDefault: whether alsa-lib has a configuration besides the one that it comes with.
    static func likelyDevices(among cards: [ALSACard], hasOwnDefault: Bool) -> [String] {
        let cards = cards.inOrderOfWiring
        let real = cards.filter { !$0.isImaginary }.map(\.playbackName)
        let imaginary = cards.filter(\.isImaginary).map(\.playbackName)
        return (hasOwnDefault ? ["default"] + real : real + ["default"]) + imaginary
    }

    /// - Parameters:
    ///   - device: as `audio.device`.
    ///   - amplifier: switched on for the sound; `nil` if the board switches none.
    ///   - level: what to do with the card's own controls when it opens.
    ///   - levelDidChange: called with a line about each change, and each failure. Must not block.
    ///   - deviceDidChange: called with the device that `auto` chose, whenever it changes, and the one whose card is
    ///     gone since. Must not block.
    public static func sink(
        for device: String, fileMode: WAVFileSink.Mode, callTimeout: CallTimeout, amplifier: Amplifier? = nil,
        level: CardLevel, levelDidChange: @escaping @Sendable (String) -> Void = { _ in },
        deviceDidChange: @escaping @Sendable (_ device: String, _ gone: String?) -> Void = { _, _ in }
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
    ///   - device: as `audio.device`. Overwrites an existing file; a card keeps its level.
    ///   - others: speak everything after the first voice, except digits.
    ///   - loudspeaker: the sound is processed for it.
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

/// A sound output, as `audio.device` names it.
public enum AudioDevice: Sendable, Equatable {
    /// `null`: nowhere, in real time.
    case null
    /// `file:PATH`: a WAV file.
    case file(path: String)
    /// `auto`: the sound card most likely to have a speaker attached.
    case auto
    /// Anything else: an ALSA PCM.
    case alsa(name: String)

    public init(_ name: String) {
        if name == "null" {
            self = .null
        } else if name == "auto" {
            self = .auto
        } else if name.hasPrefix("file:") {
            self = .file(path: String(name.dropFirst("file:".count)))
        } else {
            self = .alsa(name: name)
        }
    }

    /// Whether it plays on hardware that somebody may hear.
    public var isCard: Bool {
        switch self {
        case .auto, .alsa: true
        case .null, .file: false
        }
    }
}
