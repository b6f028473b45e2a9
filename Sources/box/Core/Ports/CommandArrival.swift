/// One command of a batch, valid in itself. Only the inbox's contents can still speak against it.
public enum CommandArrival: Sendable, Equatable {
    /// To be carried out, unless its id is known. The id is remembered until `expiry`.
    case once(CommandID, expiry: Timestamp)
    /// Stored until it has ended, unless its id is known. The id is remembered until `expiry`. Refused as busy when
    /// `onlyWhenNoRing` is set and a ring has not ended, and when ``CustomMessage/mostWaiting`` messages wait.
    case customMessage(CustomMessage, expiry: Timestamp, onlyWhenNoRing: Bool)
    /// Cancels a payment or custom message. The cancel of an unknown custom message is remembered until `expiry`. `id`
    /// is the cancel's own id. `hasBegun` says whether a part of the target was heard.
    case cancel(CancelTarget, id: CommandID? = nil, expiry: Timestamp, hasBegun: Bool = false)
    /// Carried out each time it arrives; only its reply is stored.
    case always(CommandID?)
}

extension CommandArrival {
    /// How far the sender's clock may be from the box's, in either direction, including the time in the network.
    public static let window = Duration.seconds(60)

    /// The id that the reply names.
    private var id: CommandID? {
        switch self {
        case .once(let id, _): id
        case .customMessage(let customMessage, _, _): customMessage.id
        case .cancel(_, let id, _, _): id
        case .always(let id): id
        }
    }

    /// The reply to its sender. Each arrival gets one.
    public func reply(to outcome: CommandOutcome, at now: Timestamp) -> Receipt {
        let (state, reason): (Receipt.State, String?) =
            switch outcome {
            case .isNew, .accepted: (.ok, nil)
            case .duplicate: (.ok, "known: it was taken when it came first")
            case .remembered: (.ok, "command_id: not known yet; it ends as soon as it comes")
            case .cancelled(_, .beforeItCame): (.refused, "cancelled before it came")
            case .cancelled: (.ok, nil)
            case .notAccepted(let reason): (.refused, reason)
            // The cancel came twice, or another one came first.
            case .tooLate(let target, "cancelled"): (.ok, "\(target.field): it is cancelled already")
            case .tooLate(let target, let state): (.refused, "\(target.field): too late, it is \(state)")
            case .unknown(let target):
                (.refused, "\(target.field): no such \(target.isRefund ? "refund" : "payment") is known")
            }
        return Receipt(.command(id), state: state, at: now, reason: reason)
    }
}

extension CancelTarget {
    /// The member of a command's JSON that names the target.
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
    /// To be carried out now, and never again if its id is remembered.
    case isNew
    /// The id is known: the command was carried out or stored when it came first.
    case duplicate
    /// The custom message is stored. Its receipt says `stored`.
    case accepted(CustomMessageEntry)
    /// There is a ring already, or one custom message too many. The id stays free.
    case notAccepted(reason: String)
    /// The target ends here, and its receipt says so. With ``CancelMoment/beforeItCame`` this is the outcome of the
    /// custom message when it came; with any other moment it is the outcome of the cancel.
    case cancelled(CancelTarget, CancelMoment)
    /// The cancel came before its custom message, which will end as soon as it comes. There is no receipt until then.
    case remembered(CommandID)
    /// The target has ended already. `state` says how, as in its receipt; `ended` if that is not known.
    case tooLate(CancelTarget, state: String)
    /// There is no such payment.
    case unknown(CancelTarget)

    /// Whether nothing was done and nothing is remembered. An inbox writes nothing for it, not even the reply:
    /// thousands of such commands in a row must not delay a payment.
    public var isRefusal: Bool {
        switch self {
        case .notAccepted, .unknown: true
        // The target is cancelled, as the sender wanted.
        case .tooLate(_, let state): state != "cancelled"
        case .isNew, .duplicate, .accepted, .cancelled, .remembered: false
        }
    }
}

/// The durable store of custom messages. The inbox implements it: a command's change and its receipt are one
/// transaction.
///
///     for entry in try store.customMessages() where try store.stillWaits(entry) {
///         // … speak it
///         _ = try store.end(entry, as: end, at: now)
///     }
///
/// Every method blocks on the disk. Any thread; calls take turns.
public protocol CustomMessageStore: Sendable {
    /// The custom messages that have not ended, oldest arrival first.
    func customMessages() throws(InboxError) -> [CustomMessageEntry]

    /// - Returns: `false` when it was cancelled in the meantime and must not be played.
    func stillWaits(_ entry: CustomMessageEntry) throws(InboxError) -> Bool

    /// Removes the custom message and writes its receipt.
    /// - Returns: `false` when a cancel had ended it already; nothing is written then.
    func end(_ entry: CustomMessageEntry, as end: CustomMessageEnd, at now: Timestamp) throws(InboxError) -> Bool
}
