/// What the box does to a sound card's own controls. Volume is made of the samples either way.
public enum CardLevel: String, Sendable, CaseIterable {
    /// When the box opens the card, what is muted or next to silent on the way to the loudspeaker is made loud.
    case raise
    /// They stay as they are.
    case keep
}
