import SoundboxCore
import SoundboxSpeech

extension NumberRules {
    /// Numbers that one rule reads with the same parts: all combinations of quotients and remainders.
    struct Case {
        /// The index of the set; ``rule`` is the rule in it.
        var set: Int
        var rule: Rule
        var quotients: ClosedRange<UInt64>
        var remainders: ClosedRange<UInt64>

        /// The parts that are said, with or without the brackets.
        var parts: [Part] {
            rule.parts.flatMap { part -> [Part] in
                guard case .optional(let parts) = part else { return [part] }
                return remainders.upperBound > 0 ? parts : []
            }
        }

        /// The range from the least to the greatest; contains only these numbers if the rule has no brackets.
        var numbers: ClosedRange<UInt64> { number(quotients.lowerBound, remainders.lowerBound)...last }

        private var last: UInt64 { number(quotients.upperBound, remainders.upperBound) }

        func number(_ quotient: UInt64, _ remainder: UInt64) -> UInt64 { quotient * rule.divisor + remainder }
    }

    /// The numbers of a range, grouped by the rules of a set that read them.
    func cases(of set: Int, for range: ClosedRange<UInt64>) -> [Case] {
        let rules = sets[set].rules
        var cases: [Case] = []
        for (index, rule) in rules.enumerated() {
            let end = index + 1 < rules.count ? rules[index + 1].base - 1 : .max
            guard let own = range.clamped(from: rule.base, to: end) else { continue }
            let yields = rule.yieldsWithoutRemainder && index > 0
            for (quotients, remainders) in own.blocks(of: rule.divisor, apartFromZero: yields || rule.hasBrackets) {
                if yields, remainders == 0...0 {
                    cases += multiples(of: rule.divisor, quotients, readBy: rules[index - 1], in: set)
                } else {
                    cases.append(Case(set: set, rule: rule, quotients: quotients, remainders: remainders))
                }
            }
        }
        return cases
    }

    /// More numbers than a rule can sensibly leave to the rule before it.
    private static let mostMultiples: UInt64 = 1000

    /// The multiples that a rule leaves to the rule before it, because the remainder is zero.
    private func multiples(
        of divisor: UInt64, _ quotients: ClosedRange<UInt64>, readBy rule: Rule, in set: Int
    ) -> [Case] {
        if rule.divisor == divisor {
            return [Case(set: set, rule: rule, quotients: quotients, remainders: 0...0)]
        }
        return quotients.prefix(Int(Self.mostMultiples)).map { quotient in
            let (own, rest) = (quotient * divisor).quotientAndRemainder(dividingBy: rule.divisor)
            return Case(set: set, rule: rule, quotients: own...own, remainders: rest...rest)
        }
    }
}

extension NumberRules.Rule {
    var hasBrackets: Bool { parts.contains { if case .optional = $0 { true } else { false } } }
}

extension ClosedRange<UInt64> {
    /// The part between two numbers; `nil` if it is empty.
    func clamped(from low: UInt64, to high: UInt64) -> Self? {
        let (low, high) = (Swift.max(low, lowerBound), Swift.min(high, upperBound))
        return low <= high ? low...high : nil
    }

    /// The range as at most three products of quotients and remainders: the first quotient with the remainders from the
    /// start of the range, the quotients with all remainders, and the last quotient.
    /// - Parameter apartFromZero: whether the remainder zero is a separate product.
    fileprivate func blocks(of divisor: UInt64, apartFromZero: Bool) -> [(Self, Self)] {
        let (first, begin) = lowerBound.quotientAndRemainder(dividingBy: divisor)
        let (last, end) = upperBound.quotientAndRemainder(dividingBy: divisor)
        var blocks: [(Self, Self)] = []
        if first == last {
            blocks = [(first...first, begin...end)]
        } else {
            let isCutAtStart = begin > 0
            let isCutAtEnd = end < divisor - 1
            let (low, high) = (isCutAtStart ? first + 1 : first, isCutAtEnd ? last - 1 : last)
            if isCutAtStart { blocks.append((first...first, begin...divisor - 1)) }
            if low <= high { blocks.append((low...high, 0...divisor - 1)) }
            if isCutAtEnd { blocks.append((last...last, 0...end)) }
        }
        guard apartFromZero else { return blocks }
        return blocks.flatMap { quotients, remainders -> [(Self, Self)] in
            guard remainders.lowerBound == 0, remainders.upperBound > 0 else { return [(quotients, remainders)] }
            return [(quotients, 0...0), (quotients, 1...remainders.upperBound)]
        }
    }
}
