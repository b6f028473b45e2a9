import SoundboxCore
import SoundboxSpeech

/// Finds missing rules that leave all numbers distinct: without the rule for 百, 345 is read 三十四十五.
extension NumberRules {
    private struct Reach: Hashable {
        var set: Int
        var range: ClosedRange<UInt64>
    }

    /// Refuses rules that count more of their unit than the language does before its next unit.
    func refuseGaps(in set: Int) throws(NumberRuleError) {
        var seen: Set<Reach> = []
        var open = [Reach(set: set, range: 0...DecimalNumber.maximumWhole)]
        while let reach = open.popLast() {
            guard seen.insert(reach).inserted else { continue }
            for numbers in cases(of: reach.set, for: reach.range) {
                try refuseGap(behind: numbers, upTo: reach.range.upperBound)
                for part in numbers.parts {
                    switch part {
                    case .quotient(.set(let next)): open.append(Reach(set: next, range: numbers.quotients))
                    case .remainder(.set(let next)): open.append(Reach(set: next, range: numbers.remainders))
                    case .same(.set(let next)): open.append(Reach(set: next, range: numbers.numbers))
                    default: break
                    }
                }
            }
        }
    }

    private func refuseGap(behind numbers: Case, upTo end: UInt64) throws(NumberRuleError) {
        let rule = numbers.rule
        // `1100>: << hundred` does this on purpose.
        guard rule.saysQuotient, !rule.isLowered else { return }
        let divisor = rule.divisor
        let later = sets[numbers.set].rules.filter { $0.base > rule.base && $0.base <= end }
        let most = numbers.quotients.upperBound
        let greatest = numbers.number(most, numbers.remainders.upperBound)

        // "Ten hundred", although a later rule counts thousands.
        if let next = later.first(where: { $0.saysQuotient && $0.divisor > divisor && $0.divisor <= greatest }) {
            throw gap(rule, at: max(next.divisor, rule.base), in: numbers.set)
        }
        // The last rule may repeat its own word (ล้านล้าน) or read digit by digit: no greater unit follows.
        guard !later.isEmpty else { return }
        // "Thirty-four tens"; "twenty-three hundred".
        let countsItself = most >= rule.base
        let countsTens = divisor <= 100 && divisor > 1 && most >= 10
        if countsItself || countsTens {
            throw gap(rule, at: divisor * (countsTens ? 10 : rule.base), in: numbers.set)
        }
    }

    private func gap(_ rule: Rule, at number: UInt64, in set: Int) -> NumberRuleError {
        let words = (try? DecimalNumber(whole: number)).flatMap { try? spell($0, with: sets[set].name) } ?? ""
        return NumberRuleError(
            line: rule.line, rule: rule.source,
            problem: "reads \(number) as \"\(words)\"; expected a rule for \(number), or for less")
    }
}

extension NumberRules.Rule {
    /// Whether it counts how many of its unit there are.
    fileprivate var saysQuotient: Bool {
        divisor > 1 && parts.contains { if case .quotient = $0 { true } else { false } }
    }

    /// Whether its base is written as `100>`, with a smaller divisor than usual.
    fileprivate var isLowered: Bool { source.prefix { $0 != ":" }.last == ">" }
}
