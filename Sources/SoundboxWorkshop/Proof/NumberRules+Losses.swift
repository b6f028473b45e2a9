import SoundboxCore
import SoundboxSpeech

/// Two numbers that a rule reads alike, since it leaves out what tells them apart.
struct NumberLoss {
    var rule: NumberRules.Rule
    var first: UInt64
    var second: UInt64
    /// What the rule should have.
    var expected: String

    /// The same loss as seen by a rule that hands these numbers on.
    func mapped(_ transform: (UInt64) -> UInt64) -> NumberLoss {
        NumberLoss(rule: rule, first: transform(first), second: transform(second), expected: expected)
    }
}

/// Looks for rules that do not say all of a number: `200: << ratus` reads 200 and 201 alike.
///
/// It follows each rule with every number that can reach it, so one rule for a single number may be a bare word.
struct NumberLosses {
    private struct Reach: Hashable {
        var set: Int
        var range: ClosedRange<UInt64>
    }

    private let rules: NumberRules
    private var known: [Reach: NumberLoss?] = [:]

    init(_ rules: NumberRules) { self.rules = rules }

    /// The first two numbers of the range that the set reads alike for want of a part; `nil` when nothing is left out.
    mutating func loss(in set: Int, _ range: ClosedRange<UInt64>) -> NumberLoss? {
        guard range.count > 1 else { return nil }
        let reach = Reach(set: set, range: range)
        if let known = known[reach] { return known }
        var found: NumberLoss?
        for numbers in rules.cases(of: set, for: range) where found == nil { found = loss(in: numbers) }
        known[reach] = .some(found)
        return found
    }

    /// The part that says which number it is, where another part says so as well: 2 тысячи, where the word for thousand
    /// depends on the two. `nil` when one is enough, or none does.
    mutating func carrier(
        among parts: [(index: Int, reference: NumberRules.RuleSetReference)], of range: ClosedRange<UInt64>
    ) -> Int? {
        parts.first { loss(in: $0.reference, range) == nil }?.index
    }

    private mutating func loss(
        in reference: NumberRules.RuleSetReference, _ range: ClosedRange<UInt64>
    ) -> NumberLoss? {
        guard case .set(let set) = reference else { return nil }
        return loss(in: set, range)
    }

    private mutating func loss(in numbers: NumberRules.Case) -> NumberLoss? {
        let parts = numbers.parts
        let same = parts.compactMap { if case .same(let reference) = $0 { reference } else { nil } }
        if !same.isEmpty {
            return numbers.numbers.count > 1 ? loss(in: same, numbers.numbers, { $0 }) : nil
        }
        let quotients = parts.compactMap { if case .quotient(let reference) = $0 { reference } else { nil } }
        let remainders = parts.compactMap { if case .remainder(let reference) = $0 { reference } else { nil } }
        let (low, rest) = (numbers.quotients.lowerBound, numbers.remainders.lowerBound)
        if numbers.quotients.count > 1 {
            let next = numbers.number(low + 1, rest)
            let isWord = quotients.isEmpty && remainders.isEmpty && numbers.rule.divisor == 1
            guard !quotients.isEmpty else {
                return NumberLoss(
                    rule: numbers.rule, first: next, second: numbers.number(low, rest),
                    expected: isWord ? "a rule for \(next)" : "\"<<\", or a rule for \(next)")
            }
            if let found = loss(in: quotients, numbers.quotients, { numbers.number($0, rest) }) { return found }
        }
        if numbers.remainders.count > 1 {
            guard !remainders.isEmpty else {
                return NumberLoss(
                    rule: numbers.rule, first: numbers.number(low, rest + 1), second: numbers.number(low, rest),
                    expected: "\">>\", or a rule for \(numbers.number(low, rest + 1))")
            }
            if let found = loss(in: remainders, numbers.remainders, { numbers.number(low, $0) }) { return found }
        }
        return nil
    }

    /// A loss that each of these sets has: where one of them says the number, nothing is lost.
    private mutating func loss(
        in references: [NumberRules.RuleSetReference], _ range: ClosedRange<UInt64>, _ transform: (UInt64) -> UInt64
    ) -> NumberLoss? {
        var first: NumberLoss?
        for reference in references {
            guard let found = loss(in: reference, range) else { return nil }
            first = first ?? found
        }
        return first?.mapped(transform)
    }
}
