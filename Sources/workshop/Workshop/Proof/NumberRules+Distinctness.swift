import SoundboxCore
import SoundboxSpeech

extension NumberRules {
    /// Proves that a set says every number in full: different numbers from 0 to 10¹⁵ have different words, and so have
    /// different decimals if requested. The rules must have passed ``validate(_:withDecimals:)``.
    ///
    /// This is a proof and not a sample: all readings are compared as one graph of letters. A sample would find only
    /// the cases that its author thought of.
    /// - Throws: the rule that loses something, with two numbers that sound alike.
    func validateDistinctness(_ setName: String, withDecimals: Bool) throws(NumberRuleError) {
        guard let set = sets.firstIndex(where: { $0.name == setName }) else { return }
        let all = 0...DecimalNumber.maximumWhole
        var losses = NumberLosses(self)
        if let loss = losses.loss(in: set, all) { throw error(loss, in: set) }
        if withDecimals { try refuseLostDecimals(of: set, &losses) }
        try refuseGaps(in: set)
        for digit in UInt64(0)...9 where try words(of: digit, in: set).heardLetters.isEmpty {
            throw NumberRuleError(line: sets[set].line, rule: setName, problem: "it has no words for \(digit)")
        }

        var graph = ReadingGraph(self)
        var branches = [
            ReadingGraph.Branch(
                node: graph.numbers(all, by: set, unit: .one, then: ReadingGraph.end), weight: .init())
        ]
        if withDecimals {
            for (parts, whole) in decimals(of: set, whole: all) {
                let places = 1...Self.mostPlacesProved
                let node = graph.decimals(parts, whole: whole, places: places, then: ReadingGraph.end)
                branches.append(.init(node: node, weight: .init()))
            }
        }
        let start = graph.choice(branches)
        switch graph.finding(from: start) {
        case .distinct: break
        case .tooLarge:
            throw NumberRuleError(
                line: sets[set].line, rule: setName,
                problem:
                    "its readings are too many to be told apart; expected rules that say each part of a number once")
        case .collision(let collision): throw error(collision, in: set)
        }
    }

    /// The most decimals of a currency. Further digits are read in the same way.
    static let mostPlacesProved = 4

    /// The parts of the `x.x` rules, and the whole numbers they apply to. Follows `=%set=` to the set that decides.
    func decimals(
        of set: Int, whole: ClosedRange<UInt64>, depth: Int = 0
    ) -> [(parts: [Part], whole: ClosedRange<UInt64>)] {
        let proper = sets[set].properFraction
        var found: [(parts: [Part], whole: ClosedRange<UInt64>)] = []
        if let proper, whole.contains(0) { found += resolved(proper, whole: 0...0, depth: depth) }
        let rest = proper == nil ? whole : whole.clamped(from: 1, to: .max)
        // Brackets are said from one on.
        guard let fraction = sets[set].fraction, let rest else { return found }
        let hasBrackets = fraction.contains { if case .optional = $0 { true } else { false } }
        guard hasBrackets, rest.lowerBound == 0, rest.upperBound > 0 else {
            return found + resolved(fraction, whole: rest, depth: depth)
        }
        return found + resolved(fraction, whole: 0...0, depth: depth)
            + resolved(fraction, whole: 1...rest.upperBound, depth: depth)
    }

    /// The parts, with `=%set=` replaced by the parts of that set's rule.
    private func resolved(
        _ parts: [Part], whole: ClosedRange<UInt64>, depth: Int
    ) -> [(parts: [Part], whole: ClosedRange<UInt64>)] {
        guard depth <= sets.count,
            let place = parts.firstIndex(where: { if case .same = $0 { true } else { false } }),
            case .same(.set(let next)) = parts[place]
        else { return [(parts, whole)] }
        return decimals(of: next, whole: whole, depth: depth + 1).flatMap { inner in
            let replaced = parts[..<place] + inner.parts + parts[(place + 1)...]
            return resolved(Array(replaced), whole: inner.whole, depth: depth + 1)
        }
    }

    private func refuseLostDecimals(of set: Int, _ losses: inout NumberLosses) throws(NumberRuleError) {
        for (parts, whole) in decimals(of: set, whole: 0...DecimalNumber.maximumWhole) {
            let spoken = parts.flatMap { part -> [Part] in
                guard case .optional(let parts) = part else { return [part] }
                return whole.upperBound > 0 ? parts : []
            }
            let wholes = spoken.compactMap { if case .quotient(.set(let set)) = $0 { set } else { nil } }
            let digits = spoken.compactMap { if case .digits(.set(let set), _) = $0 { set } else { nil } }
            func error(_ first: String, _ second: String, _ expected: String) -> NumberRuleError {
                NumberRuleError(
                    line: sets[set].line, rule: "\(sets[set].name): x.x",
                    problem: "\(first) and \(second) are read alike; expected \(expected)")
            }
            let low = whole.lowerBound
            if whole.count > 1, wholes.isEmpty { throw error("\(low + 1).5", "\(low).5", "\"<<\"") }
            if digits.isEmpty { throw error("\(low).2", "\(low).1", "\">>\"") }
            for (references, range) in [(wholes, whole), (digits, 0...9)] {
                let found = references.compactMap { losses.loss(in: $0, range) }
                if !references.isEmpty, found.count == references.count, let loss = found.first {
                    throw self.error(loss, in: references[0])
                }
            }
        }
    }

    private func words(of number: UInt64, in set: Int) throws(NumberRuleError) -> String {
        do {
            return try spell(DecimalNumber(whole: number), with: sets[set].name)
        } catch {
            throw NumberRuleError(line: sets[set].line, rule: sets[set].name, problem: "\(error)")
        }
    }

    private func error(_ loss: NumberLoss, in set: Int) -> NumberRuleError {
        var problem = "\(loss.first) and \(loss.second) are both read"
        if let words = try? words(of: loss.first, in: set), words == (try? self.words(of: loss.second, in: set)) {
            problem += " \"\(words)\""
        } else {
            problem = "it does not tell \(loss.first) from \(loss.second)"
        }
        return NumberRuleError(
            line: loss.rule.line, rule: loss.rule.source, problem: "\(problem); expected \(loss.expected)")
    }

    private func error(_ collision: ReadingGraph.Collision, in set: Int) -> NumberRuleError {
        let numbers = [collision.first, collision.second].map(\.number)
        let isAscending = (numbers[0]?.whole ?? 0) < (numbers[1]?.whole ?? 0)
        let (first, second) = isAscending ? (numbers[1], numbers[0]) : (numbers[0], numbers[1])
        func words(_ number: DecimalNumber?) -> String {
            guard let number, let words = try? spell(number, with: sets[set].name) else { return "" }
            return words
        }
        let (ours, theirs) = (words(first), words(second))
        let rule = first.flatMap { self.rule(for: $0.whole, in: set) }
        let both = ours == theirs ? "\"\(ours)\"" : "\"\(ours)\" and \"\(theirs)\", which sound alike"
        return NumberRuleError(
            line: rule?.line ?? sets[set].line, rule: rule?.source ?? sets[set].name,
            problem: "\(first?.description ?? "?") and \(second?.description ?? "?") are both read \(both); "
                + "expected words of its own for each number")
    }

    /// The rule that finally reads a number, after sets that only refer to another set.
    private func rule(for number: UInt64, in set: Int) -> Rule? {
        var set = set
        for _ in sets.indices {
            guard let found = cases(of: set, for: number...number).first else { return nil }
            guard found.parts.count == 1, case .same(.set(let next)) = found.parts[0] else { return found.rule }
            set = next
        }
        return nil
    }
}

extension ReadingGraph.Weight {
    /// `nil` if no amount can have this weight.
    var number: DecimalNumber? {
        guard let whole = UInt64(exactly: whole), (0..<1_000_000_000).contains(billionths) else { return nil }
        let digits = String(billionths).utf8.map { $0 - UInt8(ascii: "0") }
        let zeros = [UInt8](repeating: 0, count: DecimalNumber.maximumDecimals - digits.count)
        return try? DecimalNumber(whole: whole, decimals: zeros + digits)
    }
}
