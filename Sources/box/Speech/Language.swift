import SoundboxCore

/// What a voice says, in words: how it reads amounts, its names for channels, its sentences.
///
///     let language = try Language(reading: try YAMLValue(readingFile: "sounds/zh-CN/voice.yaml"))
///     let words = try language.reading(of: try Money("1005", .CNY))  // 一千零五元
///
/// All of it is data from `voice.yaml`; this type knows no language.
public struct Language: Sendable {
    /// The sentences about payments. A voice must have every one that ``isRequired``.
    public enum Sentence: String, Sendable, CaseIterable {
        /// Placeholders `{channel}` and `{amount}`.
        case payment
        /// `{amount}`: the notice names no channel, or one that the voice does not know.
        case paymentWithoutChannel = "payment_without_channel"
        /// `{amount}`
        case refund
        /// `{channel}`: the amount cannot be read. The box says this instead of silence or a wrong number.
        case unreadable
        case unreadableWithoutChannel = "unreadable_without_channel"
        case unreadableRefund = "unreadable_refund"
        /// `{count}` and `{total}`: payments that waited too long to be read one by one.
        case lateSummary = "late_summary"
        /// `{count}`: the same if the total cannot be read.
        case lateSummaryWithoutTotal = "late_summary_without_total"
        /// `{count}` and `{total}`: what came in on the current business day.
        case today
        /// `{count}`: the same if the total cannot be read.
        case todayWithoutTotal = "today_without_total"
        /// `{count}` and `{total}`: what was paid back on the same day, said after ``today``.
        case todayRefunds = "today_refunds"
        /// Said before a payment that is repeated, so that nobody takes it for another one.
        case replay

        /// Whether a voice without it is refused. Sentences added after version 0.1.0 are optional, so that programs
        /// and voices of different versions work together. Without ``replay`` a repetition is spoken without an
        /// introduction; without ``todayRefunds`` the day's takings are spoken without refunds.
        public var isRequired: Bool { self != .replay && self != .todayRefunds }

        /// The placeholders that its text must contain, each once.
        public var placeholders: [String] {
            switch self {
            case .payment: ["channel", "amount"]
            case .paymentWithoutChannel, .refund: ["amount"]
            case .unreadable: ["channel"]
            case .lateSummary, .today, .todayRefunds: ["count", "total"]
            case .lateSummaryWithoutTotal, .todayWithoutTotal: ["count"]
            case .unreadableWithoutChannel, .unreadableRefund, .replay: []
            }
        }
    }

    /// The BCP 47 tag: `zh-CN`.
    public var locale: String
    /// What the language calls itself: 普通话.
    public var name: String
    /// Whether words are separated by spaces; Chinese and Thai words are not.
    public var wordsAreSpaced: Bool
    public var numbers: NumberRules
    /// The rule set that reads amounts.
    public var cardinalRuleSet: String
    /// The rule set that counts things: 两笔, not 二笔.
    public var countingRuleSet: String
    /// The rule set for numbers that are names, such as a queue's, and for the digits of a code: 二號, but 兩 for two of
    /// something.
    public var numberingRuleSet: String
    public var decimalStyle: DecimalStyle
    /// Between an amount's unit and its subunits, and between two subunits: " and "; empty in Chinese.
    public var subunitJoint: String
    /// Said in place of a missing subunit before another one: 十元零五分. `nil` if nothing is said.
    public var subunitZero: String?
    /// By currency code: `CNY` → 元.
    public var units: [String: CurrencyWords]
    /// The currency of a command-line amount that names none. Notices have their own default in the configuration.
    public var currency: Currency
    /// Said before an amount whose currency has no word: "another currency, ". Without it (`nil`) such an amount is not
    /// spoken.
    public var otherCurrency: String?
    /// The pause between a number and its unit.
    public var unitPause: Duration
    /// Spoken names by the channel names of providers: `alipay` → 支付宝.
    public var channels: [String: String]
    public var sentences: [Sentence: String]
    /// By the name after the colon in a sentence: `{amount:이/가}`.
    public var suffixes: [String: Suffix]
    public var prompts: [Prompt: String]
    /// News other than payments and refunds, by the senders' word for it.
    public var kinds: [KindName: NewsKind]
    /// Punctuation that is spoken as a pause, and its length.
    public var pauses: [Character: Duration]

    /// The words of a prompt. Empty only if neither it nor its ``Prompt/fallback`` has any.
    public func words(of prompt: Prompt) -> String {
        prompts[prompt] ?? prompt.fallback.flatMap { prompts[$0] } ?? ""
    }

    /// The kinds that a notice may have. A notice has an amount and no number.
    public var noticeKinds: Set<KindName> { Set(kinds.filter { !$0.value.hasNumber }.keys) }

    /// The kinds that a custom message may have. A custom message has no amount.
    public var customMessageKinds: Set<KindName> { Set(kinds.filter { !$0.value.hasAmount }.keys) }

    public init(
        locale: String, name: String, wordsAreSpaced: Bool, numbers: NumberRules, cardinalRuleSet: String,
        countingRuleSet: String, numberingRuleSet: String? = nil, decimalStyle: DecimalStyle = .point,
        subunitJoint: String = "",
        subunitZero: String? = nil, units: [String: CurrencyWords], currency: Currency? = nil,
        otherCurrency: String? = nil,
        unitPause: Duration = .zero, channels: [String: String], sentences: [Sentence: String],
        suffixes: [String: Suffix] = [:], prompts: [Prompt: String], kinds: [KindName: NewsKind] = [:],
        pauses: [Character: Duration]
    ) {
        self.locale = locale
        self.name = name
        self.wordsAreSpaced = wordsAreSpaced
        self.numbers = numbers
        self.cardinalRuleSet = cardinalRuleSet
        self.countingRuleSet = countingRuleSet
        self.numberingRuleSet = numberingRuleSet ?? cardinalRuleSet
        self.decimalStyle = decimalStyle
        self.subunitJoint = subunitJoint
        self.subunitZero = subunitZero
        self.units = units
        self.currency = currency ?? Self.usualCurrency(of: units)
        self.otherCurrency = otherCurrency
        self.unitPause = unitPause
        self.channels = channels
        self.sentences = sentences
        self.suffixes = suffixes
        self.prompts = prompts
        self.kinds = kinds
        self.pauses = pauses
    }

    /// Every rule set that reads anything.
    public var ruleSets: [String] {
        amountRuleSets + Set([countingRuleSet, numberingRuleSet]).subtracting(amountRuleSets).sorted()
    }

    /// Every rule set that reads amounts: the language's own, and those of units of another gender.
    public var amountRuleSets: [String] {
        let words = units.values.flatMap { [$0.unit] + $0.subunits.map(\.word) }
        return [cardinalRuleSet] + Set(words.compactMap(\.cardinalRuleSet)).subtracting([cardinalRuleSet]).sorted()
    }

    /// CNY, or the first code that has a word.
    private static func usualCurrency(of units: [String: CurrencyWords]) -> Currency {
        units[Currency.CNY.code] != nil ? .CNY : units.keys.sorted().compactMap { Currency($0) }.first ?? .CNY
    }
}

/// A sentence or a suffix must not contain a number of its own: it would change the amount in a placeholder.
extension Language {
    /// - Parameters:
    ///   - sentences: the voice's `sentences`, as read.
    ///   - suffixes: its `suffixes`; `nil` where it has none.
    /// - Throws: ``YAMLError`` naming the sentence or the suffix.
    func refuseOwnNumbers(in sentences: YAMLValue, _ suffixes: YAMLValue?, by rules: TextRules) throws(YAMLError) {
        for (name, value) in try suffixes?.mapping().entries ?? [] {
            for form in self.suffixes[name]?.forms ?? [] { try value.refuseAmount(in: form.text, by: rules) }
        }
        for (_, value) in try sentences.mapping().entries {
            try value.refuseOwnNumbers(in: try value.string(), self.suffixes, by: rules)
        }
    }
}

extension YAMLValue {
    /// Refuses amounts in a sentence, a number right before a placeholder, and one in a suffix of a number: an amount
    /// is followed by its unit, a count by nothing.
    func refuseOwnNumbers(
        in sentence: String, _ suffixes: [String: Suffix], by rules: TextRules
    ) throws(YAMLError) {
        var before = ""
        var placeholder: SentenceTemplate.Placeholder?
        for piece in SentenceTemplate(sentence).pieces {
            switch piece {
            case .text(let text):
                try refuseAmount(in: text, by: rules)
                before = text
            case .placeholder(let next):
                if next != .channel, rules.endsWithNumber(before) {
                    throw error("a number stands right before {\(next.rawValue)}, and would be heard as a part of it")
                }
                placeholder = next
                before = ""
            case .suffix(let name):
                guard placeholder == .count || placeholder == .number,
                    let form = suffixes[name]?.forms.first(where: { rules.hasNumber($0.text) })
                else { continue }
                throw error(
                    "the suffix \(name) says a number, \(form.text.excerpt), which would be heard as a part of the one "
                        + "before it")
            }
        }
    }

    fileprivate func refuseAmount(in text: String, by rules: TextRules) throws(YAMLError) {
        guard let words = rules.amount(in: text) else { return }
        throw error("says an amount of its own, \(words.excerpt); only {amount} and {total} may")
    }
}
