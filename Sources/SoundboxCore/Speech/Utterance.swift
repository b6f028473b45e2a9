/// Something that the box wants to say.
public enum Utterance: Sendable, Equatable {
    case payment(Money, channel: String?)
    case refund(Money)
    /// A payment or a refund that is repeated. It must not sound like a new one.
    indirect case replay(Utterance)
    /// Payments that waited too long, with the total of each currency; no totals when they are too large to be read.
    case lateSummary(count: Int, totals: [Money])
    /// What came in since midnight, with the total of each currency.
    case today(count: Int, totals: [Money])
    case prompt(Prompt)
    /// Whether payments can arrive, and the IPv4 address at which the box is reached; no octets when there is none.
    case network(isOnline: Bool, address: [UInt8])

    public init(_ notice: PaymentNotice) {
        switch notice.kind {
        case .payment: self = .payment(notice.money, channel: notice.channel)
        case .refund: self = .refund(notice.money)
        }
    }

    /// The summary of these payments. Totals stand in the order in which their currencies came first.
    public static func lateSummary(of payments: [Money]) -> Utterance {
        .lateSummary(count: payments.count, totals: totals(of: payments))
    }

    /// The day's payments. Totals stand in the order in which their currencies came first.
    public static func today(of payments: [Money]) -> Utterance {
        .today(count: payments.count, totals: totals(of: payments))
    }

    /// One total for each currency; none at all when one is too large.
    private static func totals(of payments: [Money]) -> [Money] {
        var totals: [Money] = []
        for payment in payments {
            guard let index = totals.firstIndex(where: { $0.currency == payment.currency }) else {
                totals.append(payment)
                continue
            }
            guard let sum = try? totals[index].amount.adding(payment.amount) else { return [] }
            totals[index] = Money(sum, payment.currency)
        }
        return totals
    }
}

/// An utterance turned into what is played, in order.
public struct AnnouncementScript: Sendable, Equatable {
    public enum Element: Sendable, Equatable {
        /// A recording, by its index in the voice's list of phrases.
        case phrase(Int)
        case pause(Duration)
    }

    /// The words, for logs and people: 支付宝到账,一百二十三点四五元.
    public var text: String
    public var elements: [Element]
    /// Why it does not say all that was asked for, when it does not: without the amount, or without its currency.
    public var shortcoming: SpeechError?
    /// Whether it tells of money without saying how much.
    public var lacksAmount: Bool

    public init(text: String, elements: [Element], shortcoming: SpeechError? = nil, lacksAmount: Bool = false) {
        self.text = text
        self.elements = elements
        self.shortcoming = shortcoming
        self.lacksAmount = lacksAmount
    }
}
