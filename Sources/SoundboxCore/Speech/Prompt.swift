/// What the box says about itself, in answer to somebody at its buttons. A voice may lack any of them: the box then does
/// without.
public enum Prompt: String, Sendable, CaseIterable {
    /// The volume key was pressed at the top of the range, or has reached it.
    case volumeMaximum = "volume_maximum"
    case volumeMinimum = "volume_minimum"
}
