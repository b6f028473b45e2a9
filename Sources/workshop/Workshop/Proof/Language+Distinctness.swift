import SoundboxCore
import SoundboxSpeech

extension Language {
    /// Two amounts of one currency with the same reading.
    struct AlikeAmounts: Error, Sendable, Equatable, CustomStringConvertible {
        var first: Money
        var second: Money
        var reading: String

        var description: String {
            "\(first) and \(second) are both read \"\(reading)\"; expected other words for the unit or its parts"
        }
    }

    /// Proves that different amounts of a currency have different readings, both with a point and with subunits,
    /// because a configuration may choose either. The number rules must have passed
    /// ``NumberRules/validateDistinctness(_:withDecimals:)``.
    /// - Throws: two amounts with the same reading.
    func proveAmounts(of code: String) throws(AlikeAmounts) {
        guard let words = units[code], let currency = Currency(code) else { return }
        // A word without a plural does not change the number before it.
        let styles: [DecimalStyle] = words.unit.one == words.unit.other ? [] : [.point]
        for style in words.subunits.isEmpty ? styles : styles + [.subunit] {
            var readings = AmountReadings(self, words)
            guard case .collision(let collision) = readings.finding(style), let first = collision.first.number,
                let second = collision.second.number
            else { continue }
            var language = self
            language.decimalStyle = style
            let amounts = [first, second].sorted { $0.whole < $1.whole }.map { Money($0, currency) }
            throw AlikeAmounts(
                first: amounts[1], second: amounts[0], reading: (try? language.reading(of: amounts[1])) ?? "")
        }
    }
}

extension Language {
    /// A unit or subunit whose word combines with the number before it.
    struct UnitLikeNumber: Error, Sendable, Equatable, CustomStringConvertible {
        var currency: String
        var word: String
        /// The meant number, without the unit.
        var meant: DecimalNumber
        /// The number that is heard.
        var heard: DecimalNumber

        var description: String {
            "\(meant) with \(word.excerpt) of \(currency) is read like the number \(heard); expected a word that is no "
                + "number's"
        }
    }

    /// Proves that no unit changes the number before it, as the unit "hundert" would: five of them are "five hundred".
    /// - Throws: the first unit that does.
    func proveUnits() throws(UnitLikeNumber) {
        var graph = ReadingGraph(numbers)
        var branches: [ReadingGraph.Branch] = []
        for (set, rules) in numbers.sets.enumerated() where amountRuleSets.contains(rules.name) {
            let all = 0...DecimalNumber.maximumWhole
            let node = graph.numbers(all, by: set, unit: .one, then: ReadingGraph.end)
            branches.append(.init(node: node, weight: .init()))
        }
        branches += decimalBranches(in: &graph)
        for word in Set(units.values.flatMap(\.all)) {
            guard let set = numbers.sets.firstIndex(where: { $0.name == ruleSet(before: word) }) else { continue }
            for text in Set([word.one, word.other]) {
                let behind = graph.text(text, then: ReadingGraph.end)
                // Small numbers are enough to show the effect of a word.
                let node = graph.numbers(1...9, by: set, unit: .one, then: behind)
                branches.append(.init(node: node, weight: .init()))
            }
        }
        let start = graph.choice(branches)
        guard case .collision(let collision) = graph.finding(from: start), let first = collision.first.number,
            let second = collision.second.number
        else { return }
        for (meant, heard) in [(first, second), (second, first)] {
            let reading = spelled(heard, by: amountRuleSets)
            for (code, words) in units.sorted(by: { $0.key < $1.key }) {
                for word in words.all {
                    for text in [word.one, word.other] {
                        guard let number = spelled(meant, by: [ruleSet(before: word)]).first,
                            reading.contains(where: { $0.heardLetters == (number + text).heardLetters })
                        else { continue }
                        throw UnitLikeNumber(currency: code, word: text, meant: meant, heard: heard)
                    }
                }
            }
        }
    }

    private func decimalBranches(in graph: inout ReadingGraph) -> [ReadingGraph.Branch] {
        var branches: [ReadingGraph.Branch] = []
        for (set, rules) in numbers.sets.enumerated() where amountRuleSets.contains(rules.name) {
            for (parts, whole) in numbers.decimals(of: set, whole: 0...99) {
                let node = graph.decimals(parts, whole: whole, places: 1...2, then: ReadingGraph.end)
                branches.append(.init(node: node, weight: .init()))
            }
        }
        return branches
    }

    private func spelled(_ number: DecimalNumber, by sets: [String]) -> [String] {
        sets.compactMap { try? numbers.spell(number, with: $0) }
    }
}

extension CurrencyWords {
    fileprivate var all: [CountedWord] { [unit] + subunits.map(\.word) }
}

/// The readings of all amounts of one currency, as a graph.
private struct AmountReadings {
    typealias Branch = ReadingGraph.Branch
    typealias Weight = ReadingGraph.Weight

    private let language: Language
    private let words: CurrencyWords
    private var graph: ReadingGraph

    init(_ language: Language, _ words: CurrencyWords) {
        self.language = language
        self.words = words
        graph = ReadingGraph(language.numbers)
    }

    mutating func finding(_ style: DecimalStyle) -> ReadingGraph.Finding {
        var branches = whole(from: 0, then: ReadingGraph.end)
        var places = 0
        if style == .subunit {
            places = words.subunits.reduce(0) { $0 + $1.digits }
            let behindUnit = graph.choice(parts(from: 0, placed: 0, behindWords: true))
            branches += whole(from: 1, then: behindUnit) + parts(from: 0, placed: 0, behindWords: false)
        }
        branches += decimals(from: places + 1)
        let start = graph.choice(branches)
        return graph.finding(from: start)
    }

    /// Whole numbers of the unit.
    private mutating func whole(from low: UInt64, then next: Int) -> [Branch] {
        counted(low...DecimalNumber.maximumWhole, words.unit, unit: .one, then: next)
    }

    /// Decimals with the point.
    private mutating func decimals(from place: Int) -> [Branch] {
        guard let set = set(before: words.unit) else { return [] }
        let unit = graph.text(words.unit.other, then: ReadingGraph.end)
        return language.numbers.decimals(of: set, whole: 0...DecimalNumber.maximumWhole).map { parts, whole in
            let node = graph.decimals(
                parts, whole: whole, places: place...Swift.max(place, NumberRules.mostPlacesProved), then: unit)
            return Branch(node: node, weight: Weight())
        }
    }

    /// The subunits from `index` on, at least one of them above zero.
    /// - Parameters:
    ///   - placed: how many decimals the earlier subunits have.
    ///   - behindWords: whether a unit or a subunit was said before.
    ///   - gap: whether one was left out since then.
    private mutating func parts(
        from index: Int, placed: Int, behindWords: Bool, gap: Bool = false, isLast: Bool = false
    ) -> [Branch] {
        guard index < words.subunits.count else {
            return isLast ? [Branch(node: ReadingGraph.end, weight: Weight())] : []
        }
        let subunit = words.subunits[index]
        let places = placed + subunit.digits
        let left = parts(from: index + 1, placed: places, behindWords: behindWords, gap: behindWords, isLast: isLast)
        let rest = parts(from: index + 1, placed: places, behindWords: true, isLast: true)
        let next = graph.choice(rest)
        var unit: Int64 = 1
        for _ in places..<DecimalNumber.maximumDecimals { unit *= 10 }
        var values: UInt64 = 1
        for _ in 0..<subunit.digits { values *= 10 }
        var said = counted(1...values - 1, subunit.word, unit: Weight(billionths: unit), then: next)
        let before =
            (behindWords ? language.subunitJoint : "") + (gap ? (language.subunitZero ?? "") : "")
        for place in said.indices { said[place].node = graph.text(before, then: said[place].node) }
        return left + said
    }

    /// Numbers with their word, which may differ for the number one.
    private mutating func counted(
        _ range: ClosedRange<UInt64>, _ word: CountedWord, unit: Weight, then next: Int
    ) -> [Branch] {
        guard let set = set(before: word) else { return [] }
        return [range.clamped(from: 0, to: 0), range.clamped(from: 1, to: 1), range.clamped(from: 2, to: .max)]
            .compactMap {
                guard let range = $0 else { return nil }
                let behind = graph.text(range == 1...1 ? word.one : word.other, then: next)
                return Branch(node: graph.numbers(range, by: set, unit: unit, then: behind), weight: Weight())
            }
    }

    private func set(before word: CountedWord) -> Int? {
        let name = language.ruleSet(before: word)
        return language.numbers.sets.firstIndex { $0.name == name }
    }
}
