import SoundboxCore

/// Takes the presses that answer a ring out of the edges of the buttons, before ``Gestures`` sees them.
///
/// While it rings, the replay button answers when it goes down, and neither that press nor its release means anything
/// else. Whoever is in a hurry presses twice: what follows within ``hurry`` belongs to the same answer. It replays
/// nothing, and does not answer the next ring, which nobody can have heard yet.
public struct AnsweringPresses: Sendable {
    /// From the press that answered.
    public static let hurry = Duration.milliseconds(500)

    private var answeredAt: Duration?
    /// The button is down, and its release means nothing.
    private var isHeld = false

    public init() {}

    /// - Parameter answer: called at a press that may be one; tells whether something rang.
    /// - Returns: `nil` for an edge that means nothing more.
    public mutating func take(_ edge: ButtonEdge, answer: () -> Bool) -> ButtonEdge? {
        guard edge.button == .replay else { return edge }
        let wasHeld = isHeld
        isHeld = false
        guard edge.isPressed else { return wasHeld ? nil : edge }
        if let answeredAt, edge.time - answeredAt < Self.hurry {
            isHeld = true
            return nil
        }
        guard answer() else { return edge }
        answeredAt = edge.time
        isHeld = true
        return nil
    }
}
