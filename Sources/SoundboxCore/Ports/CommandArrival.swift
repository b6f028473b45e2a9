/// One command of a batch that nothing speaks against but what the inbox holds.
public enum CommandArrival: Sendable, Equatable {
    /// To be carried out, unless its id is known. The id is remembered until `expiry`.
    case once(CommandID, expiry: Timestamp)
    /// Kept until it has ended, unless its id is known. The id is remembered until `expiry`. Not accepted as busy when
    /// `onlyWhenNoRing` and a ring has not ended, nor when ``CustomMessage/mostWaiting`` wait.
    case customMessage(CustomMessage, expiry: Timestamp, onlyWhenNoRing: Bool)
    /// Takes something back. The cancel of a custom message that is not known is remembered until `expiry`. `id` is the
    /// cancel's own; `hasBegun` whether a part of what it names was heard.
    case cancel(CancelTarget, id: CommandID? = nil, expiry: Timestamp, hasBegun: Bool = false)
    /// Carried out as often as it comes; only its reply is noted.
    case always(CommandID?)
}

extension CommandArrival {
    /// How far the sender's clock may be from the box's, in either direction, the way through the network included.
    public static let window = Duration.seconds(60)

    /// The id that its reply names.
    private var id: CommandID? {
        switch self {
        case .once(let id, _): id
        case .customMessage(let customMessage, _, _): customMessage.id
        case .cancel(_, let id, _, _): id
        case .always(let id): id
        }
    }

    /// What its sender is told: one reply for each time that it came.
    public func reply(to outcome: CommandOutcome, at now: Timestamp) -> Receipt {
        let (state, reason): (Receipt.State, String?) =
            switch outcome {
            case .isNew, .accepted: (.ok, nil)
            case .duplicate: (.ok, "known: it was taken when it came first")
            case .remembered: (.ok, "command_id: not known yet; it ends as soon as it comes")
            case .cancelled(_, .beforeItCame): (.refused, "cancelled before it came")
            case .cancelled: (.ok, nil)
            case .notAccepted(let reason): (.refused, reason)
            // It came twice, or somebody else was sooner.
            case .tooLate(let target, "cancelled"): (.ok, "\(target.field): it is cancelled already")
            case .tooLate(let target, let state): (.refused, "\(target.field): too late, it is \(state)")
            case .unknown(let target):
                (.refused, "\(target.field): no such \(target.isRefund ? "refund" : "payment") is known")
            }
        return Receipt(.command(id), state: state, at: now, reason: reason)
    }
}

extension CancelTarget {
    /// The member of a command that names it.
    public var field: String {
        switch self {
        case .payment: "payment_id"
        case .customMessage: "command_id"
        }
    }

    fileprivate var isRefund: Bool { if case .payment(let id) = self { id.isRefund } else { false } }
}

/// What became of one command.
public enum CommandOutcome: Sendable, Equatable {
    /// To be carried out now; never again where its id is remembered.
    case isNew
    /// The id is known: the command was taken when it came first.
    case duplicate
    /// The custom message is kept. Its receipt says `stored`.
    case accepted(CustomMessageEntry)
    /// A ring where there is one already, or one custom message too many. The id stays free.
    case notAccepted(reason: String)
    /// It ends here, and its receipt says so. With ``CancelMoment/beforeItCame`` this is what became of the custom
    /// message when it came; of any other moment it is what became of the cancel.
    case cancelled(CancelTarget, CancelMoment)
    /// The cancel came before its custom message, which will end as soon as it comes. It has no receipt until then.
    case remembered(CommandID)
    /// It has ended. `state` says how, as its receipt does; `ended` where that is not known.
    case tooLate(CancelTarget, state: String)
    /// There is no such payment.
    case unknown(CancelTarget)

    /// Whether nothing was done and nothing is remembered: an inbox writes nothing for it, not even the reply.
    /// Thousands of such commands in a row must not hold a payment up.
    public var isRefusal: Bool {
        switch self {
        case .notAccepted, .unknown: true
        // It is as it was asked for.
        case .tooLate(_, let state): state != "cancelled"
        case .isNew, .duplicate, .accepted, .cancelled, .remembered: false
        }
    }
}
