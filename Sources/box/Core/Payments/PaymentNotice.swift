/// A message that says that money arrived or was paid back. Every field has been checked.
public struct PaymentNotice: Sendable, Equatable {
    /// The kind of news. The raw value is the word in notices.
    public enum Kind: RawRepresentable, Sendable, Hashable {
        case payment
        case refund
        /// A kind that the voice defines.
        case other(KindName)

        /// `nil` for a word that cannot be a kind's name.
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

    /// Marked as a refund's if ``kind`` is a refund.
    public let id: PaymentID
    public var money: Money
    public let kind: Kind
    /// The way of payment, as the provider names it: `alipay`, `wechat` … A voice that does not know it leaves it out.
    public var channel: String?
    /// When the customer paid; `nil` when the provider does not say.
    public var paidAt: Timestamp?
    /// Text that is spoken after the announcement. ``TextRules`` decides whether it may be spoken.
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
    /// The id, if the message had a readable one. The receipt then names the refused payment.
    public var id: PaymentID?
    /// The field at fault; `payload` if it is the message as a whole.
    public var field: String
    /// What was expected, in words.
    public var problem: String

    public init(id: PaymentID?, field: String, problem: String) {
        self.id = id
        self.field = field
        self.problem = problem
    }

    /// For a message of more than ``PaymentNoticeDecoder/maximumPayloadBytes``.
    public static func oversized(bytes: Int) -> NoticeRejection {
        NoticeRejection(
            id: nil, field: "payload",
            problem: "\(bytes) bytes long, at most \(PaymentNoticeDecoder.maximumPayloadBytes) are allowed")
    }

    public var description: String { "\(field): \(problem)" }
}
