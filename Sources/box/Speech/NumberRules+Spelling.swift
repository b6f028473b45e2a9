import SoundboxCore

extension NumberRules {
    /// Spells a number in words.
    ///
    /// - Parameter setName: with its percent signs: `%spellout-cardinal`.
    /// - Throws: ``SpeechError/noRule(_:)`` when no rule covers this number, or when the rules never end.
    public func spell(_ number: DecimalNumber, with setName: String) throws(SpeechError) -> String {
        guard let index = sets.firstIndex(where: { $0.name == setName }) else {
            throw .noRule("\(setName) does not exist")
        }
        var reading = Reading(sets)
        try reading.spell(number, set: index, depth: 0)
        return reading.words
    }
}

/// Spells one number: applies the rules, and fails if they have a gap or no end.
private struct Reading {
    /// More nested substitutions than any number up to 10¹⁵ needs. Beyond it the rules call themselves without end.
    private static let maximumDepth = 64
    /// A hundred times what the longest reading needs. Rules that spell the remainder twice at each power of ten do
    /// end, but only after the customer has left.
    private static let maximumSubstitutions = 10_000
    /// Bytes. Twenty times the longest reading of an amount in the shipped voices; speaking it would take minutes.
    private static let maximumLength = 10_000

    private let sets: [NumberRules.RuleSet]
    private(set) var words = ""
    private var substitutions = 0

    init(_ sets: [NumberRules.RuleSet]) { self.sets = sets }

    mutating func spell(_ number: DecimalNumber, set index: Int, depth: Int) throws(SpeechError) {
        if number.decimals.isEmpty { return try spell(number.whole, set: index, depth: depth) }
        try enter(index, depth: depth)
        let set = sets[index]
        guard let fraction = number.whole == 0 ? set.properFraction ?? set.fraction : set.fraction else {
            throw .noRule("\(set.name) has no x.x rule for decimals")
        }
        try spell(fraction, of: number, set: index, depth: depth)
    }

    /// The parts of an `x.x` or a `0.x` rule.
    private mutating func spell(
        _ parts: [NumberRules.Part], of number: DecimalNumber, set: Int, depth: Int
    ) throws(SpeechError) {
        for part in parts {
            switch part {
            case .text(let text): try append(text, set: set)
            case .quotient(let reference): try spell(number.whole, by: reference, depth: depth)
            case .same(.set(let index)): try spell(number, set: index, depth: depth + 1)
            case .same(.figures): throw .noRule("\(number) is left to figures")
            case .digits(let reference, let separator):
                for (place, digit) in number.decimals.enumerated() {
                    if place > 0 { try append(separator, set: set) }
                    try spell(UInt64(digit), by: reference, depth: depth)
                }
            case .optional(let parts):
                // RBNF leaves out the brackets of an `x.x` rule for a number below one.
                if number.whole > 0 { try spell(parts, of: number, set: set, depth: depth) }
            case .remainder: throw .noRule("an x.x rule has no remainder")
            }
        }
    }

    private mutating func spell(_ number: UInt64, set index: Int, depth: Int) throws(SpeechError) {
        try enter(index, depth: depth)
        guard let rule = sets[index].rule(for: number) else {
            throw .noRule("\(sets[index].name) has no rule for \(number)")
        }
        try spell(rule.parts, of: number, by: rule, set: index, depth: depth)
    }

    /// The parts of a rule for whole numbers.
    private mutating func spell(
        _ parts: [NumberRules.Part], of number: UInt64, by rule: NumberRules.Rule, set: Int, depth: Int
    ) throws(SpeechError) {
        for part in parts {
            switch part {
            case .text(let text): try append(text, set: set)
            case .quotient(let reference): try spell(number / rule.divisor, by: reference, depth: depth)
            case .remainder(let reference): try spell(number % rule.divisor, by: reference, depth: depth)
            case .same(let reference): try spell(number, by: reference, depth: depth)
            case .optional(let parts):
                if number % rule.divisor != 0 { try spell(parts, of: number, by: rule, set: set, depth: depth) }
            case .digits: throw .noRule("only an x.x rule spells digits")
            }
        }
    }

    private mutating func spell(
        _ number: UInt64, by reference: NumberRules.RuleSetReference, depth: Int
    ) throws(SpeechError) {
        guard case .set(let index) = reference else { throw .noRule("\(number) is left to figures") }
        try spell(number, set: index, depth: depth + 1)
    }

    /// Counts one use of a set. Rules come from an author; none of them may block the box or fill its memory.
    private mutating func enter(_ set: Int, depth: Int) throws(SpeechError) {
        guard depth < Self.maximumDepth else {
            throw .noRule("\(sets[set].name): rules lead from one to the next more than \(Self.maximumDepth) times")
        }
        substitutions += 1
        guard substitutions <= Self.maximumSubstitutions else { throw tooLong(set) }
    }

    private mutating func append(_ text: String, set: Int) throws(SpeechError) {
        guard words.utf8.count + text.utf8.count <= Self.maximumLength else { throw tooLong(set) }
        words += text
    }

    private func tooLong(_ set: Int) -> SpeechError {
        .noRule("\(sets[set].name) makes a reading of endless length")
    }
}

extension NumberRules.RuleSet {
    /// The rule with the highest base not above the number, or the one before it if that rule yields.
    fileprivate func rule(for number: UInt64) -> NumberRules.Rule? {
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
