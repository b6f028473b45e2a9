/// Why a message is no valid command. Names the field.
public struct CommandError: Error, Equatable, CustomStringConvertible {
    /// The command's id, if that much is readable.
    public var id: CommandID?
    public var reason: String
    /// Whether this version of the program does not know its type.
    public var isUnknown: Bool

    public init(id: CommandID? = nil, reason: String, isUnknown: Bool = false) {
        self.id = id
        self.reason = reason
        self.isUnknown = isUnknown
    }

    public var description: String { reason }

    /// The reply to its sender.
    public func reply(at now: Timestamp) -> Receipt {
        // The reason may quote what was sent.
        Receipt(.command(id), state: isUnknown ? .unknown : .refused, at: now, reason: reason.printable)
    }
}
