/// What the box tells the provider about one payment or one custom message, and its reply to a command.
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
        /// Not a payment notice; nothing is stored.
        case rejected
        /// Somebody pressed the button while it rang.
        case answered
        /// It rang, and nobody did.
        case missed
        /// What a command asked for was said to the last frame.
        case spoken
        /// What a command asked for could not be heard.
        case failed

        // The reply to a command, on a topic of its own.

        /// Taken: it is carried out now, or what it asks for is on disk. Of a ring or a sentence receipts tell the
        /// rest.
        case ok
        /// Not carried out.
        case refused
        /// Not carried out: this version of the program does not know what it asks for.
        case unknown

        /// Whether this is how a command is replied to.
        public var isReply: Bool {
            switch self {
            case .ok, .refused, .unknown: true
            case .stored, .duplicate, .announced, .expired, .cancelled, .rejected, .answered, .missed, .spoken, .failed:
                false
            }
        }
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
    /// How it was told of; `nil` where nothing was told.
    public var audibility: Audibility?

    public init(
        id: PaymentID?, state: State, at: Timestamp, reason: String? = nil, summary: String? = nil,
        audibility: Audibility? = nil
    ) {
        self.init(.payment(id), state: state, at: at, reason: reason, summary: summary, audibility: audibility)
    }

    public init(
        _ subject: Subject, state: State, at: Timestamp, reason: String? = nil, summary: String? = nil,
        audibility: Audibility? = nil
    ) {
        self.subject = subject
        self.state = state
        self.at = at
        self.reason = reason
        self.summary = summary
        self.audibility = audibility
    }

    /// The receipt of a notice that was too late, alone among `count` or told together with them.
    ///
    /// - Parameters:
    ///   - first: the sequence of the summary's first notice. That notice is in no other summary. The time tells
    ///     summaries apart when an inbox was replaced and its sequences began again.
    ///   - manner: how the summary was told; `nil` when nothing was said.
    public static func expired(
        _ id: PaymentID, count: Int, first: Int64, told audibility: Audibility?, at now: Timestamp
    ) -> Receipt {
        let isTold = audibility != nil
        return Receipt(
            id: id, state: .expired, at: now,
            reason: isTold ? "told in a summary of \(count)" : "too late; late payments are not spoken here",
            summary: isTold ? "\(now.millisecondsSince1970)-\(first)" : nil, audibility: audibility)
    }

    /// The JSON that is published.
    ///
    /// - Parameters:
    ///   - sequence: the position in the outbox, which receipts and replies share. It only rises as long as the inbox
    ///     is the same, so that a reader notices one that comes twice. `nil` for a refusal, which no outbox keeps.
    ///   - epoch: tells apart receipts of one sequence, when an inbox was lost or put back from a backup; `nil` for a
    ///     refusal.
    public func json(sequence: Int64?, epoch: String?) -> JSONValue {
        var members: [(name: String, value: JSONValue)] =
            switch subject {
            case .payment(let id): PaymentID.members(of: id)
            case .command(let id):
                (state.isReply ? [] : [("id", .null)]) + [("command", id.map { .string($0.text) } ?? .null)]
            }
        members += [
            (state.isReply ? "result" : "state", .string(state.rawValue)), ("at", .string(at.description)),
        ]
        if let sequence { members.append(("sequence", .integer(sequence))) }
        if let epoch { members.append(("epoch", .string(epoch))) }
        if let audibility { members.append(("how", .string(audibility.rawValue))) }
        if let reason { members.append(("reason", .string(reason))) }
        if let summary { members.append(("summary", .string(summary))) }
        return .object(members)
    }
}

extension PaymentID {
    /// The id that a receipt names; `nil` where it names none.
    public init?(receipt: JSONValue) {
        guard let id = receipt["id"]?.string.flatMap({ try? PaymentID($0) }) else { return nil }
        self = id.of(receipt["kind"]?.string == "refund" ? .refund : .payment)
    }

    /// What ``init(receipt:)`` reads.
    static func members(of id: PaymentID?) -> [(name: String, value: JSONValue)] {
        [("id", id.map { .string($0.text) } ?? .null)]
            + (id?.isRefund == true ? [("kind", .string("refund"))] : [])
    }
}

/// Names the receipts of one opening of an inbox.
public enum ReceiptEpoch {
    /// 16 hexadecimal digits at random: of a billion boxes, none meets one twice in a lifetime of restarts.
    public static func new() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
