/// What the box tells the provider about one payment.
public struct Receipt: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// On disk; the box now answers for it.
        case stored
        /// The id was known already; nothing is spoken.
        case duplicate
        /// Spoken to the last frame.
        case announced
        /// Waited too long; told in a summary.
        case expired
        case cancelled
        /// Not a payment notice; nothing is stored.
        case rejected
    }

    /// The payment's id; `nil` when the message that is rejected has no readable one.
    public var id: PaymentID?
    public var state: State
    public var at: Timestamp
    /// Why, for people; names the field at fault when rejected.
    public var reason: String?

    public init(id: PaymentID?, state: State, at: Timestamp, reason: String? = nil) {
        self.id = id
        self.state = state
        self.at = at
        self.reason = reason
    }

    /// The JSON that is published.
    /// - Parameter sequence: the receipt's position in the outbox; it rises without end, so a reader sees both what
    ///   comes twice and what is missing.
    public func json(sequence: Int64) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("id", id.map { .string($0.text) } ?? .null),
            ("state", .string(state.rawValue)),
            ("at", .string(at.description)),
            ("sequence", .integer(sequence)),
        ]
        if let reason { members.append(("reason", .string(reason))) }
        return .object(members)
    }
}
