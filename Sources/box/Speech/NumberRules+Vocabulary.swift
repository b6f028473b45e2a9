import SoundboxCore

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
