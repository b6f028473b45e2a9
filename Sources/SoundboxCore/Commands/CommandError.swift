/// A command that is none. Names the field.
public struct CommandError: Error, Equatable, CustomStringConvertible {
    /// The command's id, when that much is readable.
    public var id: CommandID?
    public var reason: String
    /// Its type is none that this version of the program knows.
    public var isUnknown: Bool

    public init(id: CommandID? = nil, reason: String, isUnknown: Bool = false) {
        self.id = id
        self.reason = reason
        self.isUnknown = isUnknown
    }

    public var description: String { reason }

    /// What its sender is told.
    public func reply(at now: Timestamp) -> Receipt {
        // It may quote what was sent.
        Receipt(.command(id), state: isUnknown ? .unknown : .refused, at: now, reason: reason.printable)
    }
}
