/// What the box does to a sound card's own controls. The volume is applied to the samples either way.
public enum CardLevel: String, Sendable, CaseIterable {
    /// When the box opens the card, controls between it and the loudspeaker that are muted or nearly silent are turned
    /// up.
    case raise
    /// They stay as they are.
    case keep
}
