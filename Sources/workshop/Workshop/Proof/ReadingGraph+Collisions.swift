import SoundboxCore

extension ReadingGraph {
    /// Two different numbers with the same reading.
    struct Collision: Equatable {
        var first: Weight
        var second: Weight
    }

    enum Finding: Equatable {
        /// All different numbers have different readings.
        case distinct
        case collision(Collision)
        /// The rules have too many readings to compare in a reasonable time.
        case tooLarge
    }

    /// Searches two paths from a node to the end with the same letters and different weights.
    func finding(from start: Int) -> Finding {
        guard nodes.count < Self.mostNodes, reached.count < Self.mostNodes else { return .tooLarge }
        var search = CollisionSearch(self, from: start)
        return search.run()
    }
}

/// Walks backwards from the end along two paths at once, while their letters are equal.
///
/// Backwards, because the letters at the end separate most paths soon: every language that counts with quotients and
/// remainders says the remainder last.
private struct CollisionSearch {
    typealias Weight = ReadingGraph.Weight

    /// A letter before another one, and the weight between them.
    private struct Step: Hashable {
        var letter: Int
        var weight: Weight
    }

    private struct Pair {
        var first: Int
        var second: Int

        /// Both in one number: there are far fewer than 2³² nodes.
        var key: UInt64 { UInt64(first) << 32 | UInt64(second) }
    }

    private struct Open {
        var pair: Pair
        /// The weight of the path from the first letter to the end.
        var weight: Weight
        /// The weight of the second path minus the first.
        var difference: Weight
    }

    /// The differences of a pair so far. Two are enough: with any common beginning, at least one of two differences
    /// remains, and that is a collision.
    private struct Differences {
        var first: Weight
        var second: Weight?

        /// Whether the pair must be searched with this difference.
        mutating func insert(_ difference: Weight) -> Bool {
            guard second == nil, difference != first else { return false }
            second = difference
            return true
        }
    }

    /// More pairs than the rules of any shipped language need.
    private static let mostPairs = 1_000_000

    private let graph: ReadingGraph
    /// By node: its letter; 0 if it is not a letter.
    private let letters: [UInt32]
    private let start: Int
    /// A node before the first letter of every reading.
    private let beginning: Int
    /// By letter: the letters that may precede it, with the steps.
    private var before: [[Step]]
    /// By letter: the weight of one path to it from the beginning.
    private var weightUpTo: [Weight?]
    private var closures: [Int: [Step]] = [:]
    /// By the key of a pair.
    private var seen: [UInt64: Differences] = [:]
    private var open: [Open] = []
    private var collision: ReadingGraph.Collision?

    init(_ graph: ReadingGraph, from start: Int) {
        self.graph = graph
        letters = graph.nodes.map { if case .letter(let letter, _) = $0 { letter.value } else { 0 } } + [0]
        self.start = start
        beginning = graph.nodes.count
        before = Array(repeating: [], count: graph.nodes.count)
        weightUpTo = Array(repeating: nil, count: graph.nodes.count)
    }

    mutating func run() -> ReadingGraph.Finding {
        collectSteps()
        if let collision { return .collision(collision) }
        for letter in graph.nodes.indices where weightUpTo[letter] != nil {
            let steps = before[letter]
            for (index, step) in steps.enumerated() {
                for other in steps[..<index] {
                    meet(step, other, weight: graph.weights[letter], difference: Weight())
                }
            }
        }
        while collision == nil, let next = open.popLast() {
            guard seen.count < Self.mostPairs else { return .tooLarge }
            for step in before[next.pair.first] {
                for other in before[next.pair.second] {
                    meet(step, other, weight: next.weight, difference: next.difference)
                }
            }
        }
        return collision.map { .collision($0) } ?? .distinct
    }

    /// Takes one step back on both paths.
    /// - Parameters:
    ///   - weight: of the first path from here to the end.
    ///   - difference: the weight of the second path minus the first.
    private mutating func meet(_ step: Step, _ other: Step, weight: Weight, difference: Weight) {
        let weight = weight + step.weight
        let difference = difference + other.weight - step.weight
        if step.letter == other.letter {
            // The paths meet: two readings with the same letters.
            guard difference != Weight(), collision == nil else { return }
            let before = step.letter == beginning ? Weight() : weightUpTo[step.letter] ?? Weight()
            collision = ReadingGraph.Collision(first: before + weight, second: before + weight + difference)
            return
        }
        guard letters[step.letter] == letters[other.letter], letters[step.letter] != 0 else { return }
        let isOrdered = step.letter < other.letter
        let pair = Pair(
            first: isOrdered ? step.letter : other.letter, second: isOrdered ? other.letter : step.letter)
        let next = Open(
            pair: pair, weight: isOrdered ? weight : weight + difference,
            difference: isOrdered ? difference : difference.times(-1))
        let key = pair.key
        if seen[key]?.insert(next.difference) == false { return }
        if seen[key] == nil { seen[key] = Differences(first: next.difference) }
        open.append(next)
    }

    /// Collects which letters follow which, from the beginning on.
    private mutating func collectSteps() {
        var open = [beginning]
        while let letter = open.popLast(), collision == nil {
            let next =
                if letter == beginning { start } else if case .letter(_, let next) = graph.nodes[letter] { next } else {
                    ReadingGraph.end
                }
            guard letter == beginning || letters[letter] != 0 else { continue }
            let own = letter == beginning ? Weight() : weightUpTo[letter] ?? Weight()
            var weights: [Int: Weight] = [:]
            for step in closure(of: next) {
                if let known = weights[step.letter] {
                    if known != step.weight {
                        let rest = own + graph.weights[step.letter]
                        collision = ReadingGraph.Collision(first: rest + known, second: rest + step.weight)
                        return
                    }
                    continue
                }
                weights[step.letter] = step.weight
                before[step.letter].append(Step(letter: letter, weight: step.weight))
                if weightUpTo[step.letter] == nil {
                    weightUpTo[step.letter] = own + step.weight
                    open.append(step.letter)
                }
            }
        }
    }

    /// The first letters from a node on, or the end.
    private mutating func closure(of node: Int) -> [Step] {
        guard case .choice(let branches) = graph.nodes[node] else { return [Step(letter: node, weight: Weight())] }
        if let known = closures[node] { return known }
        var steps: Set<Step> = []
        for branch in branches {
            for step in closure(of: branch.node) {
                steps.insert(Step(letter: step.letter, weight: step.weight + branch.weight))
            }
        }
        let sorted = steps.sorted { $0.letter < $1.letter }
        closures[node] = sorted
        return sorted
    }
}
