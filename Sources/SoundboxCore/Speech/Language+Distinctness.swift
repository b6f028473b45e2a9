extension Language {
    /// Two amounts of one currency that are read alike.
    public struct AlikeAmounts: Error, Sendable, Equatable, CustomStringConvertible {
        public var first: Money
        public var second: Money
        public var reading: String

        public var description: String {
            "\(first) and \(second) are both read \"\(reading)\"; expected other words for the unit or its parts"
        }
    }

    /// Proves that different amounts of a currency are read differently, with a point and by parts: a configuration
    /// may ask for either. For number rules that have been proved to tell numbers apart.
    ///
    /// - Parameter most: the largest whole part that is looked at. What units and parts do to a number they do to small
    ///   ones; the whole range takes some milliseconds for each currency.
    /// - Throws: two amounts that cannot be told apart.
    public func proveAmounts(
        of code: String, upTo most: UInt64 = DecimalNumber.maximumWhole
    ) throws(AlikeAmounts) {
        guard let words = units[code], let currency = Currency(code) else { return }
        // A word that is always the same changes nothing about the number before it.
        let styles: [DecimalStyle] = words.unit.one == words.unit.other ? [] : [.point]
        for style in words.subunits.isEmpty ? styles : styles + [.subunit] {
            var readings = AmountReadings(self, words, most: most)
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

/// The readings of every amount of one currency, as a graph.
private struct AmountReadings {
    typealias Branch = ReadingGraph.Branch
    typealias Weight = ReadingGraph.Weight

    private let language: Language
    private let words: CurrencyWords
    private let most: UInt64
    private var graph: ReadingGraph

    init(_ language: Language, _ words: CurrencyWords, most: UInt64) {
        self.language = language
        self.words = words
        self.most = most
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
        counted(low...most, words.unit, unit: .one, then: next)
    }

    /// Decimals with the point.
    private mutating func decimals(from place: Int) -> [Branch] {
        guard let set = set(before: words.unit) else { return [] }
        let unit = graph.text(words.unit.other, then: ReadingGraph.end)
        return language.numbers.decimals(of: set, whole: 0...most).map { parts, whole in
            let node = graph.decimals(
                parts, whole: whole, places: place...Swift.max(place, NumberRules.mostPlacesProved), then: unit)
            return Branch(node: node, weight: Weight())
        }
    }

    /// The subunits from one on, at least one of them more than zero.
    /// - Parameters:
    ///   - placed: how many decimals the subunits before took.
    ///   - behindWords: whether a unit or a subunit has been said.
    ///   - gap: whether one has been left out since.
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

    /// Numbers with their word, which may be another one for one.
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
