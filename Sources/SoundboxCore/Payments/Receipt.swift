/// What the box tells the provider about one payment, or about a command that it did not carry out.
public struct Receipt: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// On disk; the box now answers for it.
        case stored
        /// The id was known already; nothing is spoken.
        case duplicate
        /// Spoken to the last frame.
        case announced
        /// Waited too long; told in a summary, or not at all where the box is configured so.
        case expired
        case cancelled
        /// Not a payment notice, or not a command to be carried out; nothing is stored.
        case rejected
    }

    public enum Subject: Sendable, Equatable {
        /// `nil` when a rejected message has no readable id, or an id that nobody vouches for.
        case payment(PaymentID?)
        /// `nil` likewise. A command's id never stands in the place of a payment's: a sender may use one id for both.
        case command(CommandID?)
    }

    public var subject: Subject
    public var state: State
    public var at: Timestamp
    /// Why, for people; names the field at fault when rejected.
    public var reason: String?
    /// Which summary told of it, if one did. Every receipt of that summary has this text, and no other receipt has.
    public var summary: String?

    public init(id: PaymentID?, state: State, at: Timestamp, reason: String? = nil, summary: String? = nil) {
        self.init(.payment(id), state: state, at: at, reason: reason, summary: summary)
    }

    public init(_ subject: Subject, state: State, at: Timestamp, reason: String? = nil, summary: String? = nil) {
        self.subject = subject
        self.state = state
        self.at = at
        self.reason = reason
        self.summary = summary
    }

    /// The receipt of a notice that was too late, alone among `count` or told together with them.
    ///
    /// - Parameter first: the sequence of the summary's first notice. That notice is in no other summary. The time
    ///   tells summaries apart when an inbox was replaced and its sequences began again.
    public static func expired(
        _ id: PaymentID, count: Int, first: Int64, inSummary: Bool, at now: Timestamp
    ) -> Receipt {
        Receipt(
            id: id, state: .expired, at: now,
            reason: inSummary ? "told in a summary of \(count)" : "too late; late payments are not spoken here",
            summary: inSummary ? "\(now.millisecondsSince1970)-\(first)" : nil)
    }

    /// The JSON that is published.
    /// - Parameter sequence: the receipt's position in the outbox. It only rises, so that a reader notices a receipt
    ///   that comes twice and one that is missing.
    public func json(sequence: Int64) -> JSONValue {
        var members: [(name: String, value: JSONValue)] =
            switch subject {
            case .payment(let id): [("id", id.map { .string($0.text) } ?? .null)]
            case .command(let id): [("id", .null), ("command", id.map { .string($0.text) } ?? .null)]
            }
        members += [
            ("state", .string(state.rawValue)), ("at", .string(at.description)), ("sequence", .integer(sequence)),
        ]
        if let reason { members.append(("reason", .string(reason))) }
        if let summary { members.append(("summary", .string(summary))) }
        return .object(members)
    }
}
