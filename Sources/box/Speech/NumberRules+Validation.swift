import SoundboxCore

extension NumberRules {
    /// Proves that a set spells every whole number from 0 to 10¹⁵ and, if asked, every amount with decimals.
    ///
    /// It tries no single numbers. It follows each rule with the whole range of numbers that can reach it, so it finds
    /// every gap, and every rule set that calls itself without end. A box proves this whenever it loads a voice. That
    /// no two numbers sound alike is checked once, by the voice's author (`soundbox-voicetools check`).
    /// - Throws: the first rule with a gap or a loop.
    public func validate(_ setName: String, withDecimals: Bool) throws(NumberRuleError) {
        guard let index = sets.firstIndex(where: { $0.name == setName }) else {
            throw NumberRuleError(line: 1, rule: setName, problem: "this set does not exist")
        }
        var validation = RuleValidation(sets: sets)
        try validation.follow(.set(index), 0...DecimalNumber.maximumWhole, from: nil)
        if withDecimals { try validation.followDecimals(of: index, from: []) }
        try validation.run()
    }
}

/// The ranges of numbers that reach each set, followed until nothing new is reached.
private struct RuleValidation {
    private struct Step {
        var set: Int
        var range: ClosedRange<UInt64>
        /// The sets that have passed on the same number since it last became smaller.
        var unchanged: [Int]
    }

    private let sets: [NumberRules.RuleSet]
    private var open: [Step] = []
    private var done: Set<Reach> = []

    private struct Reach: Hashable {
        var set: Int
        var range: ClosedRange<UInt64>
        var unchanged: [Int]
    }

    init(sets: [NumberRules.RuleSet]) { self.sets = sets }

    mutating func follow(
        _ reference: NumberRules.RuleSetReference, _ range: ClosedRange<UInt64>, from rule: NumberRules.Rule?,
        unchanged: [Int] = []
    ) throws(NumberRuleError) {
        guard case .set(let set) = reference else {
            throw NumberRuleError(
                line: rule?.line ?? 1, rule: rule?.source ?? "", problem: "figures (=#,##0=) cannot be spoken")
        }
        if unchanged.contains(set) {
            throw NumberRuleError(
                line: rule?.line ?? 1, rule: rule?.source ?? "",
                problem: "it leads back to \(sets[set].name) with the same number, without end")
        }
        guard done.insert(Reach(set: set, range: range, unchanged: unchanged)).inserted else { return }
        open.append(Step(set: set, range: range, unchanged: unchanged + [set]))
    }

    /// The `x.x` and `0.x` rules of a set, and of the sets that they pass the number to.
    /// - Parameter callers: the sets that have passed it on. None of them may get it again.
    mutating func followDecimals(of index: Int, from callers: [Int]) throws(NumberRuleError) {
        let set = sets[index]
        func error(_ problem: String) -> NumberRuleError {
            NumberRuleError(line: set.line, rule: set.name, problem: problem)
        }
        guard !callers.contains(index) else { throw error("its x.x rule leads back to it, without end") }
        guard let fraction = set.fraction else { throw error("it has no x.x rule for decimals") }
        for part in fraction + (set.properFraction ?? []) {
            try follow(fractionPart: part, callers: callers + [index])
        }
    }

    /// A part of an `x.x` rule: the whole number, each digit, or all of it by another set.
    private mutating func follow(
        fractionPart part: NumberRules.Part, callers: [Int]
    ) throws(NumberRuleError) {
        switch part {
        case .text, .remainder: return
        case .quotient(let reference): try follow(reference, 0...DecimalNumber.maximumWhole, from: nil)
        case .digits(let reference, _): try follow(reference, 0...9, from: nil)
        case .same(.set(let index)): try followDecimals(of: index, from: callers)
        case .same(.figures): try follow(.figures, 0...0, from: nil)
        case .optional(let parts): for part in parts { try follow(fractionPart: part, callers: callers) }
        }
    }

    mutating func run() throws(NumberRuleError) {
        while let step = open.popLast() { try follow(step) }
    }

    /// Follows each rule of the set with the numbers that reach it.
    private mutating func follow(_ step: Step) throws(NumberRuleError) {
        let set = sets[step.set]
        let first = set.rules.first?.base ?? .max
        guard first <= step.range.lowerBound else {
            let (low, high) = (step.range.lowerBound, min(first - 1, step.range.upperBound))
            throw NumberRuleError(
                line: set.line, rule: set.name,
                problem: "it has no rule for \(low)\(low < high ? " to \(high)" : ""), which other rules hand to it")
        }
        for (index, rule) in set.rules.enumerated() {
            let end = index + 1 < set.rules.count ? set.rules[index + 1].base - 1 : .max
            guard let range = range(max(rule.base, step.range.lowerBound), min(end, step.range.upperBound)) else {
                continue
            }
            try follow(rule.parts, of: rule, with: range, unchanged: step.unchanged)
            // If this rule yields, the one before it spells the multiples of this rule's divisor.
            guard rule.yieldsWithoutRemainder, index > 0,
                let multiples = self.range(
                    range.lowerBound.roundedUp(to: rule.divisor), range.upperBound.roundedDown(to: rule.divisor))
            else { continue }
            let substitute = set.rules[index - 1]
            try follow(substitute.parts, of: substitute, with: multiples, unchanged: step.unchanged)
        }
    }

    private func range(_ lower: UInt64, _ upper: UInt64) -> ClosedRange<UInt64>? {
        lower <= upper ? lower...upper : nil
    }

    private mutating func follow(
        _ parts: [NumberRules.Part], of rule: NumberRules.Rule, with range: ClosedRange<UInt64>, unchanged: [Int],
        isOptional: Bool = false
    ) throws(NumberRuleError) {
        for part in parts {
            switch part {
            case .text, .digits: continue
            case .same(let reference): try follow(reference, range, from: rule, unchanged: unchanged)
            case .quotient(let reference):
                // Dividing by one passes on the same number.
                try follow(
                    reference, range.lowerBound / rule.divisor...range.upperBound / rule.divisor, from: rule,
                    unchanged: rule.divisor == 1 ? unchanged : [])
            case .remainder(let reference):
                guard let remainders = range.remainders(by: rule.divisor, withoutZero: isOptional) else {
                    continue
                }
                // The remainder is smaller than the number, unless the number is zero.
                try follow(reference, remainders, from: rule, unchanged: range == 0...0 ? unchanged : [])
            case .optional(let parts):
                try follow(parts, of: rule, with: range, unchanged: unchanged, isOptional: true)
            }
        }
    }
}

extension ClosedRange<UInt64> {
    /// The smallest range that holds every remainder; `nil` when there is none but zero and zero is left out.
    fileprivate func remainders(by divisor: UInt64, withoutZero: Bool) -> ClosedRange<UInt64>? {
        var low = lowerBound % divisor
        var high = upperBound % divisor
        // After a multiple of the divisor, remainders begin again at zero.
        if lowerBound / divisor != upperBound / divisor { (low, high) = (0, divisor - 1) }
        if withoutZero { low = Swift.max(low, 1) }
        return low <= high ? low...high : nil
    }
}

extension UInt64 {
    fileprivate func roundedDown(to divisor: UInt64) -> UInt64 { self - self % divisor }
    fileprivate func roundedUp(to divisor: UInt64) -> UInt64 { (self + divisor - 1).roundedDown(to: divisor) }
}
