import SoundboxCore

/// The box's volume and mute.
public struct Loudness: Sendable, Equatable {
    /// In force again when the box is unmuted.
    public var volume: Volume
    public var isMuted: Bool

    public init(volume: Volume, isMuted: Bool) {
        self.volume = volume
        self.isMuted = isMuted
    }
}
