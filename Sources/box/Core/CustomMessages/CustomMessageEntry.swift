/// One custom message, as the inbox stores it until it has ended.
public struct CustomMessageEntry: Sendable, Equatable {
    /// Order of arrival: rises with every custom message, never reused.
    public var sequence: Int64
    public var customMessage: CustomMessage
    public var receivedAt: Timestamp
    /// How far to trust ``receivedAt``.
    public var clock: ClockTrust

    public init(sequence: Int64, customMessage: CustomMessage, receivedAt: Timestamp, clock: ClockTrust = .confirmed) {
        self.sequence = sequence
        self.customMessage = customMessage
        self.receivedAt = receivedAt
        self.clock = clock
    }

    public var isRing: Bool { customMessage.isRing }
}

/// How a custom message ended, for its receipt.
public enum CustomMessageEnd: Sendable, Equatable {
    /// Somebody pressed the button while it rang.
    case answered
    /// Nobody pressed the button.
    case missed
    /// Spoken to its last frame.
    case spoken(Audibility)
    /// It could not be played, or not as requested. The reason is for people.
    case failed(reason: String)
    /// It waited too long.
    case expired
}

/// The target of a cancel.
public enum CancelTarget: Sendable, Hashable {
    case payment(PaymentID)
    /// A custom message, by the id of its command.
    case customMessage(CommandID)
}
