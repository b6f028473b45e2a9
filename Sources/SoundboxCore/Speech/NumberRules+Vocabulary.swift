extension NumberRules {
    /// Every piece of text that these sets can produce, each once, in the order of the rules.
    ///
    /// The words of any number are made of such pieces. So recordings that cover every piece cover every number.
    public func vocabulary(ofSets names: [String]) -> [String] {
        var reached: Set<Int> = []
        var open = sets.indices.filter { names.contains(sets[$0].name) }
        var texts: [String] = []
        while let index = open.popLast() {
            guard reached.insert(index).inserted else { continue }
            let set = sets[index]
            for part in set.rules.flatMap(\.parts) + (set.fraction ?? []) + (set.properFraction ?? []) {
                part.visit { part in
                    switch part {
                    case .text(let text): if !texts.contains(text) { texts.append(text) }
                    case .quotient(.set(let next)), .remainder(.set(let next)), .same(.set(let next)),
                        .digits(.set(let next), _):
                        open.append(next)
                    default: break
                    }
                }
            }
        }
        return texts
    }
}

extension NumberRules.Part {
    fileprivate func visit(_ body: (Self) -> Void) {
        body(self)
        if case .optional(let parts) = self { for part in parts { part.visit(body) } }
    }
}
