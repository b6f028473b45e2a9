extension NumberProgram {
    /// Why a number has no reading. Sets are meant by their index.
    enum Failure: Error {
        case endless(set: Int)
        /// More substitutions or text than any language needs.
        case tooLong(set: Int)
        case noRule(set: Int, number: UInt64)
        case noFractionRule(set: Int)
        /// Digits that no rule turns into words.
        case figures(String)
        /// An operation where the parser puts none.
        case misplaced
    }

    /// Appends the words for a number as UTF-8.
    func spell(_ number: DecimalNumber, set: Int, into words: inout [UInt8]) throws(Failure) {
        words.reserveCapacity(words.count + Self.usualLength)
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            try operations.withUnsafeBufferPointer { operations throws(Failure) in
                try rules.withUnsafeBufferPointer { rules throws(Failure) in
                    try sets.withUnsafeBufferPointer { sets throws(Failure) in
                        try prepared.withUnsafeBufferPointer { prepared throws(Failure) in
                            let interpreter = NumberInterpreter(
                                bytes: bytes, operations: operations, rules: rules, sets: sets, prepared: prepared,
                                end: words.count + NumberInterpreter.maximumLength)
                            var substitutions = 0
                            try interpreter.spell(number, set: set, depth: 0, into: &words, &substitutions)
                        }
                    }
                }
            }
        }
    }

    /// Spells the first numbers by every set and keeps their words.
    mutating func prepareFirstNumbers() {
        let readings = sets.indices.map { set in
            (0..<UInt64(Self.preparedCount)).map { number -> [UInt8]? in
                guard let number = try? DecimalNumber(whole: number) else { return nil }
                var words: [UInt8] = []
                // A reading that others are made of is short; rules that repeat a long one would fill the memory.
                return (try? spell(number, set: set, into: &words)).flatMap {
                    words.count <= Self.usualLength ? words : nil
                }
            }
        }
        for reading in readings { keep(reading) }
    }
}

/// Runs a ``NumberProgram``. It sees the program's arrays as buffers, which last as long as one reading: counting
/// references to them would take longer than the work itself.
private struct NumberInterpreter {
    /// More nested substitutions than any number to 10¹⁵ needs; beyond it the rules call themselves without end.
    static let maximumDepth = 64
    /// A hundred times what the longest reading needs. Rules that say the remainder twice at each power of ten end, but
    /// not before the customer has gone.
    static let maximumSubstitutions = 10_000
    /// Bytes. Twenty times the longest reading of an amount in the shipped voices; spoken, it would take minutes.
    static let maximumLength = 10_000

    let bytes: UnsafeBufferPointer<UInt8>
    let operations: UnsafeBufferPointer<NumberProgram.Operation>
    let rules: UnsafeBufferPointer<NumberProgram.Rule>
    let sets: UnsafeBufferPointer<NumberProgram.RuleSet>
    let prepared: UnsafeBufferPointer<NumberProgram.Text>
    /// How long `words` may become.
    let end: Int

    func spell(
        _ number: DecimalNumber, set: Int, depth: Int, into words: inout [UInt8], _ substitutions: inout Int
    ) throws(NumberProgram.Failure) {
        if number.decimals.isEmpty {
            return try spell(number.whole, set: set, depth: depth, into: &words, &substitutions)
        }
        guard depth < Self.maximumDepth else { throw .endless(set: set) }
        try count(&substitutions, in: set)
        let rules = sets[set]
        guard let fraction = number.whole == 0 ? rules.properFraction ?? rules.fraction : rules.fraction else {
            throw .noFractionRule(set: set)
        }
        var next = fraction.lowerBound
        while next < fraction.upperBound {
            let operation = operations[next]
            next += 1
            switch operation {
            case .text(let text): try append(text, to: &words, in: set)
            case .quotient(let reference):
                try spell(number.whole, by: reference, depth: depth, into: &words, &substitutions)
            case .same(let reference):
                guard case .set(let index) = reference else { throw .figures("\(number)") }
                try spell(number, set: index, depth: depth + 1, into: &words, &substitutions)
            case .digits(let reference, let separator):
                for (place, digit) in number.decimals.enumerated() {
                    if place > 0 { try append(separator, to: &words, in: set) }
                    try spell(UInt64(digit), by: reference, depth: depth, into: &words, &substitutions)
                }
            // RBNF leaves out the brackets of an `x.x` rule for a number below one.
            case .optional(let count): if number.whole == 0 { next += count }
            case .remainder: throw .misplaced
            }
        }
    }

    private func spell(
        _ number: UInt64, set: Int, depth: Int, into words: inout [UInt8], _ substitutions: inout Int
    ) throws(NumberProgram.Failure) {
        if number < NumberProgram.preparedCount, !prepared.isEmpty {
            let text = prepared[set * NumberProgram.preparedCount + Int(number)]
            if text != .none { return try append(text, to: &words, in: set) }
        }
        guard depth < Self.maximumDepth else { throw .endless(set: set) }
        try count(&substitutions, in: set)
        guard let rule = rule(for: number, in: sets[set].rules) else { throw .noRule(set: set, number: number) }
        let (quotient, remainder) = rule.divides ? number.quotientAndRemainder(dividingBy: rule.divisor) : (0, 0)
        var next = rule.operations.lowerBound
        while next < rule.operations.upperBound {
            let operation = operations[next]
            next += 1
            switch operation {
            case .text(let text): try append(text, to: &words, in: set)
            case .quotient(let reference):
                try spell(quotient, by: reference, depth: depth, into: &words, &substitutions)
            case .remainder(let reference):
                try spell(remainder, by: reference, depth: depth, into: &words, &substitutions)
            case .same(let reference): try spell(number, by: reference, depth: depth, into: &words, &substitutions)
            case .optional(let count): if remainder == 0 { next += count }
            case .digits: throw .misplaced
            }
        }
    }

    private func spell(
        _ number: UInt64, by reference: NumberRules.RuleSetReference, depth: Int, into words: inout [UInt8],
        _ substitutions: inout Int
    ) throws(NumberProgram.Failure) {
        guard case .set(let index) = reference else { throw .figures("\(number)") }
        try spell(number, set: index, depth: depth + 1, into: &words, &substitutions)
    }

    private func count(_ substitutions: inout Int, in set: Int) throws(NumberProgram.Failure) {
        substitutions += 1
        guard substitutions <= Self.maximumSubstitutions else { throw .tooLong(set: set) }
    }

    /// The rule with the highest base not above the number.
    private func rule(for number: UInt64, in all: Range<Int>) -> NumberProgram.Rule? {
        var low = all.lowerBound
        var high = all.upperBound
        while low < high {
            let middle = (low + high) / 2
            if rules[middle].base <= number { low = middle + 1 } else { high = middle }
        }
        guard low > all.lowerBound else { return nil }
        let rule = rules[low - 1]
        return rule.yieldsWithoutRemainder && number % rule.divisor == 0 && low - 1 > all.lowerBound
            ? rules[low - 2] : rule
    }

    private func append(
        _ text: NumberProgram.Text, to words: inout [UInt8], in set: Int
    ) throws(NumberProgram.Failure) {
        guard words.count + Int(text.count) <= end else { throw .tooLong(set: set) }
        words.append(
            contentsOf: UnsafeBufferPointer(rebasing: bytes[Int(text.start)..<Int(text.start) + Int(text.count)]))
    }
}
