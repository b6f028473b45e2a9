/// One errand as the inbox keeps it until it has ended.
public struct ErrandEntry: Sendable, Equatable {
    /// Order of arrival: rises with every errand, never reused.
    public var sequence: Int64
    public var errand: Errand
    public var receivedAt: Timestamp
    /// How far ``receivedAt`` can be believed.
    public var clock: ClockTrust

    public init(sequence: Int64, errand: Errand, receivedAt: Timestamp, clock: ClockTrust = .confirmed) {
        self.sequence = sequence
        self.errand = errand
        self.receivedAt = receivedAt
        self.clock = clock
    }

    public var isRing: Bool { errand.isRing }
}

/// How an errand ended, and what its receipt says.
public enum ErrandEnd: Sendable, Equatable {
    /// Somebody pressed the button while it rang.
    case answered
    /// Nobody did.
    case missed
    /// Said to its last frame.
    case spoken(Manner)
    /// It could not be heard, or not what was asked for. The reason is for people.
    case failed(reason: String)
    /// It waited too long to be said.
    case expired
}

/// What a command takes back.
public enum CancelTarget: Sendable, Hashable {
    case payment(PaymentID)
    /// A ring or something to be said, by the id of its command.
    case errand(CommandID)
}
