/// Why a text cannot be spoken. The reason is for people.
public struct SpeakError: Error, Sendable, Equatable, CustomStringConvertible {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
