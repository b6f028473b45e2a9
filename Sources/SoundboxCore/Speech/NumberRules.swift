/// How one language writes numbers in words: rule sets in a subset of CLDR's rule-based number format (RBNF).
///
/// The rules are data of a voice, so a new language needs no Swift. Syntax and meaning follow Unicode Technical
/// Standard #35 part 3, "Rule-Based Number Formatting", and ICU's `RuleBasedNumberFormat`:
///
/// | text | meaning |
/// |---|---|
/// | `%name:` | begins a rule set; `%%name:` one that only other sets use |
/// | `20: <<十[>>];` | rule for 20 and more; its divisor is the largest power of ten not above the base |
/// | `1000/1000:`, `100>:` | another radix; one power less |
/// | `<<`, `>>` | quotient and remainder by the divisor, spelled by the same set; `<%s<`, `>%s>` by set `%s` |
/// | `=%s=` | the number itself, spelled by set `%s` |
/// | `[…]` | left out when the remainder is zero |
/// | `x.x: <<点>>>;` | a number with decimals: whole part, then each digit; `>>` puts spaces between digits |
/// | `0.x:` | the same for a number below one, where it differs |
///
/// A rule without a base continues the one before it by one. Whole numbers to 10¹⁵ are spelled exactly; decimals are
/// spelled digit by digit and never rounded.
public struct NumberRules: Sendable {
    struct Rule: Sendable {
        /// Where it stands in the text of the rules, counted from 1.
        var line: Int
        /// The rule as written.
        var source: String
        var base: UInt64
        var divisor: UInt64
        var parts: [Part]
        /// A rule that spells the remainder and whose base is no multiple of its divisor yields to the rule before it
        /// where the remainder is zero (RBNF's "rollback rule").
        var yieldsWithoutRemainder: Bool
    }

    indirect enum Part: Sendable, Equatable {
        case text(String)
        case quotient(RuleSetReference)
        case remainder(RuleSetReference)
        case same(RuleSetReference)
        case digits(RuleSetReference, separator: String)
        case optional([Part])
    }

    /// An index into `sets`. A reference to digits in figures (`=#,##0=`) has no spoken form.
    enum RuleSetReference: Sendable, Equatable {
        case set(Int)
        case figures
    }

    struct RuleSet: Sendable {
        var name: String
        /// Where it begins in the text of the rules, counted from 1.
        var line: Int
        /// Ascending by base.
        var rules: [Rule] = []
        /// The `x.x` rule.
        var fraction: [Part]?
        /// The `0.x` rule, which goes before the `x.x` rule for a number below one.
        var properFraction: [Part]?
    }

    /// More nested substitutions than any number to 10¹⁵ needs; beyond it the rules call themselves without end.
    static let maximumDepth = 64

    let sets: [RuleSet]

    init(sets: [RuleSet]) { self.sets = sets }

    /// The names of the sets, with their percent signs, in the order of the text.
    public var setNames: [String] { sets.map(\.name) }

    /// Spells a number in words.
    ///
    /// - Parameter setName: with its percent signs: `%spellout-cardinal`.
    /// - Throws: ``SpeechError/noRule(_:)`` when the rules have nothing to say about this number.
    public func spell(_ number: DecimalNumber, with setName: String) throws(SpeechError) -> String {
        guard let index = sets.firstIndex(where: { $0.name == setName }) else {
            throw .noRule("\(setName) does not exist")
        }
        var words = ""
        try spell(number, set: index, depth: 0, into: &words)
        return words
    }

    private func spell(
        _ number: DecimalNumber, set: Int, depth: Int, into words: inout String
    ) throws(SpeechError) {
        if number.decimals.isEmpty { return try spell(number.whole, set: set, depth: depth, into: &words) }
        let rules = sets[set]
        guard depth < Self.maximumDepth else { throw .noRule("\(rules.name) calls itself without end") }
        guard let fraction = number.whole == 0 ? rules.properFraction ?? rules.fraction : rules.fraction else {
            throw .noRule("\(rules.name) has no x.x rule for decimals")
        }
        for part in fraction {
            try spell(part, of: number, depth: depth, into: &words)
        }
    }

    private func spell(
        _ part: Part, of number: DecimalNumber, depth: Int, into words: inout String
    ) throws(SpeechError) {
        switch part {
        case .text(let text): words += text
        case .quotient(let reference): try spell(number.whole, by: reference, depth: depth, into: &words)
        case .same(let reference):
            guard case .set(let index) = reference else { throw .noRule("\(number) is left to figures") }
            try spell(number, set: index, depth: depth + 1, into: &words)
        case .digits(let reference, let separator):
            for (place, digit) in number.decimals.enumerated() {
                if place > 0 { words += separator }
                try spell(UInt64(digit), by: reference, depth: depth, into: &words)
            }
        case .optional(let parts):
            // RBNF leaves out the brackets of an `x.x` rule for a number below one.
            if number.whole > 0 { for part in parts { try spell(part, of: number, depth: depth, into: &words) } }
        case .remainder: throw .noRule("an x.x rule has no remainder")
        }
    }

    private func spell(
        _ number: UInt64, by reference: RuleSetReference, depth: Int, into words: inout String
    ) throws(SpeechError) {
        guard case .set(let index) = reference else { throw .noRule("\(number) is left to figures") }
        try spell(number, set: index, depth: depth + 1, into: &words)
    }

    private func spell(_ number: UInt64, set: Int, depth: Int, into words: inout String) throws(SpeechError) {
        guard depth < Self.maximumDepth else { throw .noRule("\(sets[set].name) calls itself without end") }
        guard let rule = rule(for: number, in: sets[set].rules) else {
            throw .noRule("\(sets[set].name) has no rule for \(number)")
        }
        for part in rule.parts {
            try spell(part, of: number, by: rule, depth: depth, into: &words)
        }
    }

    private func spell(
        _ part: Part, of number: UInt64, by rule: Rule, depth: Int, into words: inout String
    ) throws(SpeechError) {
        switch part {
        case .text(let text): words += text
        case .quotient(let reference): try spell(number / rule.divisor, by: reference, depth: depth, into: &words)
        case .remainder(let reference): try spell(number % rule.divisor, by: reference, depth: depth, into: &words)
        case .same(let reference): try spell(number, by: reference, depth: depth, into: &words)
        case .optional(let parts):
            guard number % rule.divisor != 0 else { return }
            for part in parts { try spell(part, of: number, by: rule, depth: depth, into: &words) }
        case .digits: throw .noRule("only an x.x rule spells digits")
        }
    }

    /// The rule with the highest base not above the number.
    private func rule(for number: UInt64, in rules: [Rule]) -> Rule? {
        var low = 0
        var high = rules.count
        while low < high {
            let middle = (low + high) / 2
            if rules[middle].base <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let rule = rules[low - 1]
        return rule.yieldsWithoutRemainder && number % rule.divisor == 0 && low > 1 ? rules[low - 2] : rule
    }
}
