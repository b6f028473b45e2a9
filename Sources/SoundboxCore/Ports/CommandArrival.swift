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
