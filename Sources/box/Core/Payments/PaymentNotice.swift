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

extension PaymentNotice {
    /// The notice in the box's own format, in the order of docs/integration.md and without signature:
    /// ``PaymentNoticeDecoder`` reads it.
    ///
    ///     let notice = PaymentNotice(id: id, money: try Money("12.50", .CNY))
    ///     print(notice.json.text)  // {"id":"A-1","amount":"12.5","currency":"CNY"}
    public var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("id", .string(id.text)), ("amount", .string(writtenAmount)), ("currency", .string(money.currency.code)),
        ]
        if let channel { members.append(("channel", .string(channel))) }
        if let paidAt { members.append(("paid_at", .string("\(paidAt)"))) }
        if kind != .payment { members.append(("kind", .string(kind.rawValue))) }
        if let text, text.utf8.count <= Self.longestText { members.append(("text", .string(text))) }
        return .object(members)
    }

    /// In bytes: more than any text takes that a box says. A longer one is left out, since a message that is too long
    /// would cost the payment.
    static let longestText = 3200

    /// Three decimals of a currency with fewer are refused by boxes, since they may be thousands; four are not.
    private var writtenAmount: String {
        let amount = money.amount
        return "\(amount)" + (amount.decimals.count == 3 && money.currency.exponent < 3 ? "0" : "")
    }
}

/// The name of a kind of news other than payments and refunds: `deposit`, `queue_number`.
public struct KindName: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// - Returns: `nil` unless it is 1–32 lower-case letters, digits and underscores that begin with a letter, and
    ///   neither `payment` nor `refund`.
    public init?(_ text: String) {
        guard (1...32).contains(text.utf8.count), let first = text.utf8.first, first.isSmallLetter,
            text.utf8.allSatisfy({ $0.isSmallLetter || (0x30...0x39).contains($0) || $0 == 0x5F }),
            text != "payment", text != "refund"
        else { return nil }
        self.text = text
    }

    public var description: String { text }
}

extension UInt8 {
    fileprivate var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
}
