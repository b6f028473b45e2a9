import SoundboxCore

/// Removes the presses that answer a ring from the button edges, before ``Gestures`` sees them:
///
///     guard let edge = presses.take(edge, answer: announcer.answer) else { return }
///     act(on: gestures.handle(edge))
///
/// During a ring, the replay button answers when it goes down, and neither that press nor its release has another
/// meaning. Somebody in a hurry presses twice: a press within ``hurry`` belongs to the same answer. It replays nothing,
/// and does not answer the next ring, which nobody has heard yet.
struct AnsweringPresses: Sendable {
    /// Counted from the press that answered.
    static let hurry = Duration.milliseconds(500)

    private var answeredAt: Duration?
    /// The button is down, and its release has no meaning.
    private var isHeld = false

    /// - Parameter answer: called at a press that may answer a ring; returns whether something rang.
    /// - Returns: `nil` for an edge without further meaning.
    mutating func take(_ edge: ButtonEdge, answer: () -> Bool) -> ButtonEdge? {
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
