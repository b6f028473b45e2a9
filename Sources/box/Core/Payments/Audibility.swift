/// How well an announcement could be heard at the counter.
public enum Audibility: String, Sendable, CaseIterable {
    /// With its amount.
    case aloud
    /// The box was muted, for all or some of the words.
    case muted
    /// Too soft to hear, for all or some of the words: the volume, as set or limited by quiet hours, and the recordings
    /// together are below −50 dBFS.
    case atVolume0 = "volume_0"
    /// Heard, but without an amount: the voice has no words for it, or their recordings cannot be read.
    case withoutAmount = "without_amount"
}
