/// How somebody at the counter could hear an announcement.
public enum Audibility: String, Sendable, CaseIterable {
    /// With its amount.
    case aloud
    /// The box was muted, for all of the words or for some of them.
    case muted
    /// Too soft to hear, for all of the words or for some of them: the volume, set or held down by quiet hours, and the
    /// recordings together are below −50 dBFS.
    case atVolume0 = "volume_0"
    /// Sounded, and told no amount: the voice has no words for it, or their recordings cannot be had.
    case withoutAmount = "without_amount"
}
