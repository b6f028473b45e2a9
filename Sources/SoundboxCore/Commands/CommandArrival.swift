/// The sender's name for one command, which acts once.
public struct CommandID: Sendable, Hashable, CustomStringConvertible {
    /// How many an inbox remembers. A command is stale after a minute, and no provider sends a box 4,096 in that time.
    public static let limit = 4096

    // The same rules, and the same comparison byte by byte.
    private let id: PaymentID

    /// 1–128 bytes of UTF-8 without control characters.
    public init(_ text: String) throws(PaymentIDError) { id = try PaymentID(text) }

    public var text: String { id.text }
    public var description: String { text }
}

/// One command of a batch, with the judgement that the inbox notes.
public enum CommandArrival: Sendable, Equatable {
    /// To be carried out, unless its id is known. The id is remembered until `expiry`.
    case once(CommandID, expiry: Timestamp)
    /// Do not speak a payment that still waits.
    case cancel(PaymentID)
    /// Not to be carried out. The id is `nil` when it is not readable, or when nobody vouches for it.
    case refused(CommandID?, reason: String)
}

/// What became of one command.
public enum CommandOutcome: Sendable, Equatable {
    /// The id was new: the command is to be carried out now, and never again.
    case isNew
    /// The id is known: the command was carried out. There is no receipt, since the broker may deliver it any number of
    /// times.
    case duplicate
    case cancellation(CancelOutcome)
    case refused
}
