/// Why the box does not do what a program on this machine asks of it.
public struct ControlRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// For programs; `reason` is for people.
    public enum Cause: String, Sendable {
        /// The request is not valid.
        case invalid
        /// There is no such notice.
        case unknown
        /// It has not been announced yet, or was cancelled.
        case untold
        /// The box is muted, or its volume is 0.
        case muted
        /// It is quiet hours.
        case quiet
        /// The voice has no words for it.
        case unspeakable
        /// The same was asked a moment ago.
        case busy
        /// The current day is not known.
        case undated
        /// The disk refuses.
        case fault
    }

    public var cause: Cause
    public var reason: String
    public var description: String { reason }

    public init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }
}
