import SoundboxCore

/// A word that depends on a number: dollar, dollars.
public struct CountedWord: Sendable, Hashable {
    /// Used for exactly one.
    public var one: String
    public var other: String
    /// The rule set of the number before it, if its gender differs from that of the language's own cardinal: ein Euro,
    /// eine Rupie. For whole numbers and decimals.
    public var cardinalRuleSet: String?

    public init(one: String, other: String, cardinalRuleSet: String? = nil) {
        self.one = one
        self.other = other
        self.cardinalRuleSet = cardinalRuleSet
    }

    /// A word that does not depend on the number: 元.
    public init(_ word: String) { self.init(one: word, other: word) }

    func form(for number: DecimalNumber) -> String {
        number.whole == 1 && number.decimals.isEmpty ? one : other
    }
}

/// The names of a currency and its parts in a language.
public struct CurrencyWords: Sendable, Equatable {
    /// A part of the unit that has a name: cents; 角 and 分.
    public struct Subunit: Sendable, Equatable {
        /// How many decimals it covers: 2 for cents, 1 for 角 and 1 for 分.
        public var digits: Int
        public var word: CountedWord

        public init(digits: Int, word: CountedWord) {
            self.digits = digits
            self.word = word
        }
    }

    public var unit: CountedWord
    /// From the largest to the smallest. Empty if amounts are always read with a point.
    public var subunits: [Subunit]

    public init(unit: CountedWord, subunits: [Subunit] = []) {
        self.unit = unit
        self.subunits = subunits
    }
}

/// How decimals of an amount are read.
public enum DecimalStyle: String, Sendable, CaseIterable {
    /// 十二点五元, twelve point five dollars.
    case point
    /// 十二元五角, twelve dollars and fifty cents. An amount with finer decimals than the currency's parts, or in a currency
    /// whose parts have no names, is read with a point all the same.
    case subunit
}
