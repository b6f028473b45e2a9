/// A message that says that money arrived or was paid back. Every field has been checked.
public struct PaymentNotice: Sendable, Equatable {
    /// What the news is of. The raw value is the word that notices write.
    public enum Kind: RawRepresentable, Sendable, Hashable {
        case payment
        case refund
        /// One that the voice defines.
        case other(KindName)

        /// `nil` for a word that can be no kind's name.
        public init?(rawValue: String) {
            switch rawValue {
            case "payment": self = .payment
            case "refund": self = .refund
            default:
                guard let name = KindName(rawValue) else { return nil }
                self = .other(name)
            }
        }

        /// Whether it is neither a payment nor a refund.
        public var isOther: Bool { if case .other = self { true } else { false } }

        public var rawValue: String {
            switch self {
            case .payment: "payment"
            case .refund: "refund"
            case .other(let name): name.text
            }
        }
    }

    /// Marked as a refund's by the ``kind``.
    public let id: PaymentID
    public var money: Money
    public let kind: Kind
    /// How it was paid, as the provider names it: `alipay`, `wechat` … A voice that does not know it leaves it out.
    public var channel: String?
    /// When the customer paid; `nil` when the provider does not say.
    public var paidAt: Timestamp?
    /// Words that are said after the announcement. Whether they may be said is for ``TextRules`` to judge.
    public var text: String?

    public init(
        id: PaymentID, money: Money, kind: Kind = .payment, channel: String? = nil, paidAt: Timestamp? = nil,
        text: String? = nil
    ) {
        self.id = id.of(kind)
        self.money = money
        self.kind = kind
        self.channel = channel
        self.paidAt = paidAt
        self.text = text
    }
}

/// Why a message is no payment notice.
public struct NoticeRejection: Error, Sendable, Equatable, CustomStringConvertible {
    /// The id, if the message had a readable one. The receipt then names the payment that was refused.
    public var id: PaymentID?
    /// The field at fault, or `payload` when the message as a whole is.
    public var field: String
    /// What was expected, in words.
    public var problem: String

    public init(id: PaymentID?, field: String, problem: String) {
        self.id = id
        self.field = field
        self.problem = problem
    }

    /// A message of more than ``PaymentNoticeDecoder/maximumPayloadBytes``.
    public static func oversized(bytes: Int) -> NoticeRejection {
        NoticeRejection(
            id: nil, field: "payload",
            problem: "\(bytes) bytes long, at most \(PaymentNoticeDecoder.maximumPayloadBytes) are allowed")
    }

    public var description: String { "\(field): \(problem)" }
}
