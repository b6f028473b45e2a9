import SoundboxCore

/// How one language writes numbers in words: rule sets in a subset of CLDR's rule-based number format (RBNF).
///
///     let rules = try NumberRules(parsing: "%count: 0: zero; one; two; three;")
///     let words = try rules.spell(try DecimalNumber("2"), with: "%count")  // two
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
/// | `0.x:` | the same for a number below one, if it differs |
///
/// A rule without a base has the base of the one before it plus one. Whole numbers up to 10¹⁵ are spelled exactly;
/// decimals are spelled digit by digit and never rounded.
public struct NumberRules: Sendable {
    package struct Rule: Sendable {
        /// The line of the rule in the text, counted from 1.
        package var line: Int
        /// The rule as written.
        package var source: String
        package var base: UInt64
        package var divisor: UInt64
        package var parts: [Part]
        /// A rule that spells the remainder and whose base is no multiple of its divisor yields to the rule before it
        /// if the remainder is zero (RBNF's "rollback rule").
        package var yieldsWithoutRemainder: Bool
    }

    package enum Part: Sendable, Equatable {
        case text(String)
        case quotient(RuleSetReference)
        case remainder(RuleSetReference)
        case same(RuleSetReference)
        case digits(RuleSetReference, separator: String)
        case optional([Part])
    }

    /// An index into `sets`. A reference to digits in figures (`=#,##0=`) has no spoken form.
    package enum RuleSetReference: Sendable, Equatable {
        case set(Int)
        case figures
    }

    package struct RuleSet: Sendable {
        package var name: String
        /// The line where it begins in the text, counted from 1.
        package var line: Int
        /// Ascending by base.
        package var rules: [Rule] = []
        /// The `x.x` rule.
        package var fraction: [Part]?
        /// The `0.x` rule, which is used instead of the `x.x` rule for a number below one.
        package var properFraction: [Part]?
    }

    package let sets: [RuleSet]

    /// The names of the public sets, with their percent sign, in the order of the text. A private set, such as
    /// `%%inner`, only serves other sets (CLDR's RBNF).
    public var setNames: [String] { sets.map(\.name).filter { !$0.hasPrefix("%%") } }
}

extension NumberRules {
    /// Every piece of text that these sets can produce, each once, in the order of the rules.
    ///
    /// The words of any number consist of such pieces. So recordings that cover every piece cover every number.
    /// - Parameter withDecimals: includes pieces that only numbers with decimals have, such as the point.
    public func vocabulary(ofSets names: [String], withDecimals: Bool = true) -> [String] {
        var texts: [String] = []
        for set in reached(from: names) {
            let decimals = withDecimals ? (set.fraction ?? []) + (set.properFraction ?? []) : []
            for part in set.rules.flatMap(\.parts) + decimals {
                part.visit { part in
                    if case .text(let text) = part, !texts.contains(text) { texts.append(text) }
                }
            }
        }
        return texts
    }

    /// The pieces that follow a single digit directly in these sets: 十, 百 and 千 of `<<百[>>]`, but not 万.
    func placeWords(ofSets names: [String]) -> [String] {
        var words: [String] = []
        for rules in reached(from: names).map(\.rules) {
            for (index, rule) in rules.enumerated() {
                let end = index + 1 < rules.count ? rules[index + 1].base - 1 : .max
                guard end / rule.divisor < 10 else { continue }
                for (part, next) in zip(rule.parts, rule.parts.dropFirst()) {
                    guard case .quotient = part, case .text(let word) = next, !words.contains(word) else { continue }
                    words.append(word)
                }
            }
        }
        return words
    }

    /// These sets and all that they refer to, the last named first.
    private func reached(from names: [String]) -> [RuleSet] {
        var reached: Set<Int> = []
        var found: [RuleSet] = []
        var open = sets.indices.filter { names.contains(sets[$0].name) }
        while let index = open.popLast() {
            guard reached.insert(index).inserted else { continue }
            let set = sets[index]
            found.append(set)
            for part in set.rules.flatMap(\.parts) + (set.fraction ?? []) + (set.properFraction ?? []) {
                part.visit { part in
                    switch part {
                    case .quotient(.set(let next)), .remainder(.set(let next)), .same(.set(let next)),
                        .digits(.set(let next), _):
                        open.append(next)
                    default: break
                    }
                }
            }
        }
        return found
    }
}

extension NumberRules.Part {
    fileprivate func visit(_ body: (Self) -> Void) {
        body(self)
        if case .optional(let parts) = self { for part in parts { part.visit(body) } }
    }
}
