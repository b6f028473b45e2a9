import SoundboxCore
import SoundboxSpeech

/// The readings of all numbers, as a graph of letters: each path is the reading of one number.
///
///     var graph = ReadingGraph(language.numbers)
///     let start = graph.numbers(0...999, by: 0, unit: .one, then: ReadingGraph.end)
///     if case .collision(let collision) = graph.finding(from: start) { print(collision) }
///
/// Paths share equal endings, so that the readings of 10¹⁵ numbers need some thousand nodes. The weight of a path is
/// its number. Blanks, punctuation and capitals are left out, because they are not heard.
struct ReadingGraph {
    /// A number, or the part of it that a part of its reading adds.
    struct Weight: Hashable {
        var whole: Int64 = 0
        /// The resolution of amounts.
        var billionths: Int64 = 0

        static let one = Weight(whole: 1)

        static func + (left: Self, right: Self) -> Self {
            Weight(whole: left.whole &+ right.whole, billionths: left.billionths &+ right.billionths)
        }

        static func - (left: Self, right: Self) -> Self { left + right.times(-1) }

        func times(_ factor: Int64) -> Self {
            Weight(whole: whole &* factor, billionths: billionths &* factor)
        }
    }

    enum Node: Hashable {
        case end
        case letter(Unicode.Scalar, next: Int)
        /// One of several continuations.
        case choice([Branch])
    }

    struct Branch: Hashable {
        var node: Int
        /// What this continuation adds to the number.
        var weight: Weight
    }

    /// Far more than a natural language needs.
    static let mostNodes = 200_000

    struct Reach: Hashable {
        var set: Int
        var range: ClosedRange<UInt64>
        var unit: Weight
        var next: Int
    }

    private let rules: NumberRules
    private var losses: NumberLosses
    private(set) var nodes: [Node] = [.end]
    /// The weight of one path from each node to the end.
    private(set) var weights: [Weight] = [Weight()]
    private var numbers: [Node: Int] = [.end: 0]
    private(set) var reached: [Reach: Int] = [:]

    init(_ rules: NumberRules) {
        self.rules = rules
        losses = NumberLosses(rules)
    }

    /// The end of every reading.
    static let end = 0

    /// A node for one of several continuations.
    mutating func choice(_ branches: [Branch]) -> Int { add(.choice(branches)) }

    /// The first node of a text.
    mutating func text(_ text: String, then next: Int) -> Int {
        text.heardLetters.reversed().reduce(next) { add(.letter($1, next: $0)) }
    }

    /// The first node of the numbers of a range, read by a set.
    /// - Parameter unit: the weight of one; zero if another part of the rule already says the number.
    mutating func numbers(_ range: ClosedRange<UInt64>, by set: Int, unit: Weight, then next: Int) -> Int {
        let reach = Reach(set: set, range: range, unit: unit, next: next)
        if let known = reached[reach] { return known }
        // The caller checks the size and gives up.
        guard nodes.count < Self.mostNodes, reached.count < Self.mostNodes else { return next }
        var branches: [Branch] = []
        for numbers in rules.cases(of: set, for: range) { branches.append(branch(numbers, unit: unit, then: next)) }
        let node = choice(branches)
        reached[reach] = node
        return node
    }

    private mutating func branch(_ numbers: NumberRules.Case, unit: Weight, then next: Int) -> Branch {
        let parts = numbers.parts
        let same = carrier(parts, of: numbers.numbers) { if case .same(let set) = $0 { set } else { nil } }
        let quotient = carrier(parts, of: numbers.quotients) { if case .quotient(let set) = $0 { set } else { nil } }
        let remainder = carrier(parts, of: numbers.remainders) { if case .remainder(let set) = $0 { set } else { nil } }
        var said: UInt64 = 0
        if same == nil {
            if quotient == nil { said += numbers.quotients.lowerBound * numbers.rule.divisor }
            if remainder == nil { said += numbers.remainders.lowerBound }
        }
        var node = next
        for (index, part) in parts.enumerated().reversed() {
            switch part {
            case .text(let words): node = text(words, then: node)
            case .same(.set(let set)):
                node = self.numbers(numbers.numbers, by: set, unit: index == same ? unit : Weight(), then: node)
            case .quotient(.set(let set)):
                let carries = same == nil && index == quotient
                let unit = carries ? unit.times(Int64(clamping: numbers.rule.divisor)) : Weight()
                node = self.numbers(numbers.quotients, by: set, unit: unit, then: node)
            case .remainder(.set(let set)):
                let carries = same == nil && index == remainder
                node = self.numbers(numbers.remainders, by: set, unit: carries ? unit : Weight(), then: node)
            case .same, .quotient, .remainder, .digits, .optional: break
            }
        }
        return Branch(node: node, weight: unit.times(Int64(clamping: said)))
    }

    /// The part that identifies the number; `nil` if the range has only one number.
    private mutating func carrier(
        _ parts: [NumberRules.Part], of range: ClosedRange<UInt64>,
        _ reference: (NumberRules.Part) -> NumberRules.RuleSetReference?
    ) -> Int? {
        guard range.count > 1 else { return nil }
        let candidates = parts.enumerated().compactMap { index, part in
            reference(part).map { (index: index, reference: $0) }
        }
        return candidates.count > 1 ? losses.carrier(among: candidates, of: range) : candidates.first?.index
    }

    /// The first node of numbers with decimals, read by an `x.x` rule.
    /// - Parameters:
    ///   - whole: the possible whole numbers.
    ///   - places: the possible numbers of decimals.
    mutating func decimals(
        _ parts: [NumberRules.Part], whole: ClosedRange<UInt64>, places: ClosedRange<Int>, then next: Int
    ) -> Int {
        var node = next
        var isSaid = (whole: whole.count == 1, digits: false)
        for part in parts.reversed() {
            switch part {
            case .text(let words): node = text(words, then: node)
            case .quotient(.set(let set)):
                node = numbers(whole, by: set, unit: isSaid.whole ? Weight() : .one, then: node)
                isSaid.whole = true
            case .digits(.set(let set), let separator):
                node = digits(by: set, separator, places: places, isSaid: isSaid.digits, then: node)
                isSaid.digits = true
            case .optional(let parts):
                if whole.upperBound > 0 { node = decimals(parts, whole: whole, places: places, then: node) }
            case .quotient, .digits, .same, .remainder: break
            }
        }
        return node
    }

    /// Digits after the point; the last one is never zero.
    private mutating func digits(
        by set: Int, _ separator: String, places: ClosedRange<Int>, isSaid: Bool, then next: Int
    ) -> Int {
        var unit: Int64 = 1
        for _ in places.upperBound..<DecimalNumber.maximumDecimals { unit *= 10 }
        var following: Int?
        for place in (1...places.upperBound).reversed() {
            let weight = Weight(billionths: isSaid ? 0 : unit)
            var branches: [Branch] = []
            if place >= places.lowerBound {
                branches.append(Branch(node: numbers(1...9, by: set, unit: weight, then: next), weight: Weight()))
            }
            if let following {
                let more = text(separator, then: following)
                branches.append(Branch(node: numbers(0...9, by: set, unit: weight, then: more), weight: Weight()))
            }
            following = choice(branches)
            unit *= 10
        }
        return following ?? next
    }

    private mutating func add(_ node: Node) -> Int {
        if let known = numbers[node] { return known }
        let number = nodes.count
        nodes.append(node)
        numbers[node] = number
        let weight: Weight =
            switch node {
            case .end: Weight()
            case .letter(_, let next): weights[next]
            case .choice(let branches): branches.first.map { $0.weight + weights[$0.node] } ?? Weight()
            }
        weights.append(weight)
        return number
    }
}

extension String {
    /// The letters that are heard: without blanks, hyphens and other punctuation, invisible marks and capitals.
    var heardLetters: [Unicode.Scalar] {
        lowercased().unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .privateUse, .dashPunctuation,
                .otherPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
                .connectorPunctuation:
                false
            default: true
            }
        }
    }
}
