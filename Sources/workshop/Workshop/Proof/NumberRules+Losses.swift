import SoundboxCore
import SoundboxSpeech

/// Two numbers that a rule reads alike, because it leaves out a part.
struct NumberLoss {
    var rule: NumberRules.Rule
    var first: UInt64
    var second: UInt64
    /// What the rule should have.
    var expected: String

    /// The same loss from the view of a rule that refers to this one.
    func mapped(_ transform: (UInt64) -> UInt64) -> NumberLoss {
        NumberLoss(rule: rule, first: transform(first), second: transform(second), expected: expected)
    }
}

/// Finds rules that do not say all of a number: `200: << ratus` reads 200 and 201 alike.
///
/// It follows each rule with all numbers that can reach it, so a rule for a single number may be only a word.
struct NumberLosses {
    private struct Reach: Hashable {
        var set: Int
        var range: ClosedRange<UInt64>
    }

    private let rules: NumberRules
    private var known: [Reach: NumberLoss?] = [:]

    init(_ rules: NumberRules) { self.rules = rules }

    /// The first two numbers of the range that the set reads alike because a part is missing; `nil` for none.
    mutating func loss(in set: Int, _ range: ClosedRange<UInt64>) -> NumberLoss? {
        guard range.count > 1 else { return nil }
        let reach = Reach(set: set, range: range)
        if let known = known[reach] { return known }
        var found: NumberLoss?
        for numbers in rules.cases(of: set, for: range) where found == nil { found = loss(in: numbers) }
        known[reach] = .some(found)
        return found
    }

    /// The part that identifies the number if several parts depend on it: in "2 тысячи", the word for thousand depends
    /// on the 2. `nil` if no part does.
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

    /// A loss that all of these sets have. If one of them says the number, nothing is lost.
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
