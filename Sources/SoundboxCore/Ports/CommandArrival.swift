/// One command of a batch, with the judgement that the inbox notes.
public enum CommandArrival: Sendable, Equatable {
    /// To be carried out, unless its id is known. The id is remembered until `expiry`.
    case once(CommandID, expiry: Timestamp)
    /// Kept until it has ended, unless its id is known. The id is remembered until `expiry`. Not accepted as busy when
    /// `onlyWhenNoRing` and a ring has not ended, nor when ``Errand/mostWaiting`` wait.
    case errand(Errand, expiry: Timestamp, onlyWhenNoRing: Bool)
    /// Takes something back. The cancel of an errand that is not known is remembered until `expiry`.
    case cancel(CancelTarget, expiry: Timestamp)
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
    case refused
    /// The errand is kept. Its receipt says `stored`.
    case accepted(ErrandEntry)
    /// A ring where there is one already, or one errand too many. The id is spent, and the receipt says `rejected`.
    case notAccepted(reason: String)
    /// It ends here, and its receipt says so. With ``CancelMoment/beforeItCame`` this is what became of the errand when it
    /// came; of any other moment it is what became of the cancel.
    case cancelled(CancelTarget, CancelMoment)
    /// The cancel came before its errand, which will end as soon as it comes. Nothing is written until then.
    case remembered(CommandID)
    /// It has ended. `state` says how, as its receipt does; `ended` where that is not known. Nothing is written.
    case tooLate(CancelTarget, state: String)
    /// There is no such payment. Nothing is written.
    case unknown(CancelTarget)
}
