/// What the box reports to the provider about one payment or custom message, and its reply to a command.
///
///     let receipt = Receipt(.payment(notice.id), state: .announced, at: now)
///     let payload = receipt.json(sequence: 7, epoch: epoch).bytes
public struct Receipt: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        /// On disk; the box is responsible for it now.
        case stored
        /// The id was known already; nothing is spoken.
        case duplicate
        /// Spoken to the last frame.
        case announced
        /// Waited too long; counted in a summary, or not spoken at all if so configured.
        case expired
        case cancelled
        /// Not a payment notice; nothing is stored.
        case rejected
        /// Somebody pressed the button while it rang.
        case answered
        /// It rang, and nobody pressed the button.
        case missed
        /// What a command asked for was spoken to the last frame.
        case spoken
        /// What a command asked for could not be played.
        case failed

        // The replies to commands, on a topic of their own.

        /// Accepted: it is carried out now, or what it asks for is on disk. The rest of a ring or a sentence is
        /// reported by receipts.
        case ok
        /// Not carried out.
        case refused
        /// Not carried out: this version of the program does not know its type.
        case unknown

        /// Whether this is a reply to a command.
        public var isReply: Bool {
            switch self {
            case .ok, .refused, .unknown: true
            case .stored, .duplicate, .announced, .expired, .cancelled, .rejected, .answered, .missed, .spoken, .failed:
                false
            }
        }
    }

    public enum Subject: Sendable, Equatable {
        /// `nil` when a rejected message has no readable or no verified id.
        case payment(PaymentID?)
        /// `nil` for the same reasons. Payments and commands have separate ids: a sender may use one id for both.
        case command(CommandID?)
    }

    public var subject: Subject
    public var state: State
    public var at: Timestamp
    /// For people; names the field at fault when rejected.
    public var reason: String?
    /// The id of the summary that counted it, if one did. All receipts of that summary have this text, and no others.
    public var summary: String?
    /// How it was announced; `nil` if nothing was said.
    public var audibility: Audibility?
    /// Of a ``State/duplicate``: what became of the first notice with this id. Filled in when the receipt is read
    /// for sending; `nil` for other states, and if the inbox no longer has the notice or cannot read it.
    public var first: FirstNotice?

    /// The notice that a duplicate repeats, as it was when the receipt was sent.
    public struct FirstNotice: Sendable, Equatable {
        /// ``State/stored`` while it waits, or what ended it.
        public var state: State
        public var money: Money
        /// How it was announced; `nil` if nothing was said.
        public var audibility: Audibility?

        public init(state: State, money: Money, audibility: Audibility? = nil) {
            self.state = state
            self.money = money
            self.audibility = audibility
        }
    }

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

    /// The receipt of a notice that was too late to be spoken by itself, one of `count`.
    ///
    /// - Parameters:
    ///   - first: the sequence of the summary's first notice. That notice is in no other summary. The time
    ///     distinguishes summaries after an inbox was replaced and its sequences began again.
    ///   - audibility: how the summary was spoken; `nil` when nothing was said.
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
    ///   - sequence: the position in the outbox, which receipts and replies share. It always rises while the inbox is
    ///     the same, so that a reader recognises one that comes twice. `nil` for a refusal, which is not stored.
    ///   - epoch: distinguishes receipts with the same sequence, after an inbox was lost or restored from a backup;
    ///     `nil` for a refusal.
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
        if let first { members.append(("was", .string(first.state.rawValue))) }
        if let how = audibility ?? first?.audibility { members.append(("how", .string(how.rawValue))) }
        if let money = first?.money {
            members += [("amount", .string(money.amount.description)), ("currency", .string(money.currency.code))]
        }
        if let reason { members.append(("reason", .string(reason))) }
        if let summary { members.append(("summary", .string(summary))) }
        return .object(members)
    }
}

extension PaymentID {
    /// The id that a receipt names; `nil` if it names none.
    public init?(receipt: JSONValue) {
        guard let id = receipt["id"]?.string.flatMap({ try? PaymentID($0) }) else { return nil }
        self = id.of(receipt["kind"]?.string == "refund" ? .refund : .payment)
    }

    /// The members that ``init(receipt:)`` reads.
    static func members(of id: PaymentID?) -> [(name: String, value: JSONValue)] {
        [("id", id.map { .string($0.text) } ?? .null)]
            + (id?.isRefund == true ? [("kind", .string("refund"))] : [])
    }
}

/// Identifies the receipts of one opening of an inbox.
public enum ReceiptEpoch {
    /// 16 random hexadecimal digits: of a billion boxes, none gets the same ones twice in a lifetime of restarts.
    public static func new() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// How well an announcement could be heard at the counter.
public enum Audibility: String, Sendable, CaseIterable {
    /// With its amount.
    case aloud
    /// The box was muted, for all or some of the words.
    case muted
    /// Too soft to hear, for all or some of the words: the volume, as set or limited by quiet hours, and the recordings
    /// together are below −50 dBFS.
    case atVolume0 = "volume_0"
    /// Heard, but without an amount: the voice has no words for it, or their recordings cannot be read.
    case withoutAmount = "without_amount"
}
