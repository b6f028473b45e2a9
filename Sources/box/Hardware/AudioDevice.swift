import SoundboxCore

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
