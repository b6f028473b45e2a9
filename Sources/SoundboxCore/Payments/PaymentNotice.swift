/// A message that says that money arrived or was paid back. Every field has been checked.
public struct PaymentNotice: Sendable, Equatable {
    public enum Kind: String, Sendable, Equatable, CaseIterable {
        case payment
        case refund
    }

    public var id: PaymentID
    public var money: Money
    public var kind: Kind
    /// How it was paid, as the provider names it: `alipay`, `wechat` … A voice that does not know it leaves it out.
    public var channel: String?
    /// When the customer paid; `nil` when the provider does not say.
    public var paidAt: Timestamp?

    public init(id: PaymentID, money: Money, kind: Kind = .payment, channel: String? = nil, paidAt: Timestamp? = nil) {
        self.id = id
        self.money = money
        self.kind = kind
        self.channel = channel
        self.paidAt = paidAt
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
