/// Why the box does not do what somebody on this machine asks of it.
public struct ControlRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// For programs; `reason` is for people.
    public enum Cause: String, Sendable {
        /// What was asked for makes no sense.
        case invalid
        /// There is no such notice.
        case unknown
        /// It has not been told yet, or was taken back.
        case untold
        /// It is muted, or its volume is 0.
        case muted
        /// It keeps quiet at this hour.
        case quiet
        /// Its voice has no words for it.
        case unspeakable
        /// It has been asked a moment ago.
        case busy
        /// Nobody knows which day it is.
        case undated
        /// The disk refuses.
        case fault
    }

    public var cause: Cause
    public var reason: String
    public var description: String { reason }

    public init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }
}
