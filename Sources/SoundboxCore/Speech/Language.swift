/// What a voice says, in words: how it reads amounts, what it calls channels, how its sentences go.
///
/// All of it is data from `voice.yaml`; this type knows no language.
public struct Language: Sendable {
    /// The sentences that the box can say. A voice must have every one.
    public enum Sentence: String, Sendable, CaseIterable {
        /// Placeholders `{channel}` and `{amount}`.
        case payment
        /// `{amount}`: the notice names no channel, or one that the voice does not know.
        case paymentWithoutChannel = "payment_without_channel"
        /// `{amount}`
        case refund
        /// `{channel}`: the amount cannot be read; never silence and never a wrong number.
        case unreadable
        case unreadableWithoutChannel = "unreadable_without_channel"
        case unreadableRefund = "unreadable_refund"
        /// `{count}` and `{total}`: payments that waited too long to be read out one by one.
        case lateSummary = "late_summary"
        /// `{count}`: the same when their total cannot be read.
        case lateSummaryWithoutTotal = "late_summary_without_total"
        case noPaymentYet = "no_payment_yet"

        /// The placeholders that its text must contain, each once.
        public var placeholders: [String] {
            switch self {
            case .payment: ["channel", "amount"]
            case .paymentWithoutChannel, .refund: ["amount"]
            case .unreadable: ["channel"]
            case .lateSummary: ["count", "total"]
            case .lateSummaryWithoutTotal: ["count"]
            case .unreadableWithoutChannel, .unreadableRefund, .noPaymentYet: []
            }
        }
    }

    /// The BCP 47 tag: `zh-CN`.
    public var locale: String
    /// What the language calls itself: 普通话.
    public var name: String
    /// Whether words are separated by spaces; Chinese and Thai are not.
    public var wordsAreSpaced: Bool
    public var numbers: NumberRules
    /// The rule set that reads amounts.
    public var cardinalRuleSet: String
    /// The rule set that counts things: 两笔, not 二笔.
    public var countingRuleSet: String
    /// Unit words by currency code: `CNY` → 元.
    public var units: [String: String]
    /// Spoken names by channel as providers write it: `alipay` → 支付宝.
    public var channels: [String: String]
    public var sentences: [Sentence: String]
    /// Sentences about the box itself; those that the voice has.
    public var prompts: [Prompt: String]
    /// Punctuation that is a rest, and how long it lasts.
    public var pauses: [Character: Duration]

    public init(
        locale: String, name: String, wordsAreSpaced: Bool, numbers: NumberRules, cardinalRuleSet: String,
        countingRuleSet: String, units: [String: String], channels: [String: String],
        sentences: [Sentence: String], prompts: [Prompt: String] = [:], pauses: [Character: Duration]
    ) {
        self.locale = locale
        self.name = name
        self.wordsAreSpaced = wordsAreSpaced
        self.numbers = numbers
        self.cardinalRuleSet = cardinalRuleSet
        self.countingRuleSet = countingRuleSet
        self.units = units
        self.channels = channels
        self.sentences = sentences
        self.prompts = prompts
        self.pauses = pauses
    }

    /// Spells an amount: `1005` CNY becomes 一千零五元.
    ///
    /// - Parameter withUnit: whether the currency's word follows.
    /// - Throws: ``SpeechError/noRule(_:)`` or ``SpeechError/noUnit(_:)``; the caller announces without the amount.
    public func reading(of money: Money, withUnit: Bool = true) throws(SpeechError) -> String {
        let number = try numbers.spell(money.amount, with: cardinalRuleSet)
        guard withUnit else { return number }
        guard let unit = units[money.currency.code] else { throw .noUnit(money.currency) }
        return wordsAreSpaced ? "\(number) \(unit)" : number + unit
    }

    /// Spells a count of payments.
    public func reading(of count: Int) throws(SpeechError) -> String {
        guard let number = try? DecimalNumber(whole: UInt64(max(count, 0))) else {
            throw .noRule("\(count) is too large")
        }
        return try numbers.spell(number, with: countingRuleSet)
    }
}
