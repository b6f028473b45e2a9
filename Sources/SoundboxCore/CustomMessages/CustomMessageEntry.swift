/// One custom message as the inbox keeps it until it has ended.
public struct CustomMessageEntry: Sendable, Equatable {
    /// Order of arrival: rises with every custom message, never reused.
    public var sequence: Int64
    public var customMessage: CustomMessage
    public var receivedAt: Timestamp
    /// How far ``receivedAt`` can be believed.
    public var clock: ClockTrust

    public init(sequence: Int64, customMessage: CustomMessage, receivedAt: Timestamp, clock: ClockTrust = .confirmed) {
        self.sequence = sequence
        self.customMessage = customMessage
        self.receivedAt = receivedAt
        self.clock = clock
    }

    public var isRing: Bool { customMessage.isRing }
}

/// How a custom message ended, and what its receipt says.
public enum CustomMessageEnd: Sendable, Equatable {
    /// Somebody pressed the button while it rang.
    case answered
    /// Nobody did.
    case missed
    /// Said to its last frame.
    case spoken(Audibility)
    /// It could not be heard, or not what was asked for. The reason is for people.
    case failed(reason: String)
    /// It waited too long to be said.
    case expired
}

/// What a command takes back.
public enum CancelTarget: Sendable, Hashable {
    case payment(PaymentID)
    /// A ring or something to be said, by the id of its command.
    case customMessage(CommandID)
}
