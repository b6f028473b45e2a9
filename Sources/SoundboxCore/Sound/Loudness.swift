/// How loud the box is.
public struct Loudness: Sendable, Equatable {
    /// In force again when the box is no longer muted.
    public var volume: Volume
    public var isMuted: Bool

    public init(volume: Volume, isMuted: Bool) {
        self.volume = volume
        self.isMuted = isMuted
    }
}
