import SoundboxCore

/// What is wrong with a rule, and where.
public struct NumberRuleError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1 in the text of the rules.
    public var line: Int
    /// The rule as written.
    public var rule: String
    public var problem: String

    package init(line: Int, rule: String, problem: String) {
        self.line = line
        self.rule = rule
        self.problem = problem
    }

    public var description: String { "rule \"\(rule)\": \(problem)" }
}

extension NumberRules {
    /// Parses rule sets; see ``NumberRules`` for the syntax.
    public init(parsing text: String) throws(NumberRuleError) {
        var parser = NumberRuleParser()
        try parser.collectSets(from: text)
        self.init(sets: try parser.parseRules())
    }
}

private struct NumberRuleParser {
    /// CLDR's longest rules have about half as many. The parser follows them set by set, so this also bounds its depth.
    static let mostSets = 200

    struct Source {
        var line: Int
        var text: String
    }

    private var names: [String] = []
    private var lines: [Int] = []
    private var sources: [[Source]] = []

    /// First pass: collects the sets, so that a rule may name a later one.
    mutating func collectSets(from text: String) throws(NumberRuleError) {
        var pending = ""
        var pendingLine = 1
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            // A comment begins with `#` at the start of a line. Elsewhere `#` belongs to a number pattern.
            if line.drop(while: \.isWhitespace).first == "#" { continue }
            for character in line {
                if pending.isEmpty {
                    if character.isWhitespace { continue }
                    pendingLine = index + 1
                }
                if character == ":", pending.first == "%" {
                    try addSet(named: pending, line: pendingLine)
                    pending = ""
                } else if character == ";" {
                    try addRule(Source(line: pendingLine, text: pending))
                    pending = ""
                } else {
                    pending.append(character)
                }
            }
        }
        guard pending.isEmpty else {
            throw NumberRuleError(line: pendingLine, rule: pending, problem: "expected \";\" at the end")
        }
        guard !names.isEmpty else {
            throw NumberRuleError(line: 1, rule: "", problem: "expected a rule set such as %spellout-cardinal:")
        }
    }

    private mutating func addSet(named name: String, line: Int) throws(NumberRuleError) {
        guard !names.contains(name) else {
            throw NumberRuleError(line: line, rule: name.excerpt, problem: "this set stands twice")
        }
        guard names.count < Self.mostSets else {
            throw NumberRuleError(
                line: line, rule: name.excerpt, problem: "expected at most \(Self.mostSets) rule sets")
        }
        names.append(name)
        lines.append(line)
        sources.append([])
    }

    private mutating func addRule(_ source: Source) throws(NumberRuleError) {
        guard !sources.isEmpty else {
            throw NumberRuleError(line: source.line, rule: source.text, problem: "stands before the first %set:")
        }
        sources[sources.count - 1].append(source)
    }

    /// Second pass.
    func parseRules() throws(NumberRuleError) -> [NumberRules.RuleSet] {
        var sets: [NumberRules.RuleSet] = []
        for (index, name) in names.enumerated() {
            var set = NumberRules.RuleSet(name: name, line: lines[index])
            var nextBase: UInt64 = 0
            for source in sources[index] {
                let rule = RuleText(source, ownSet: index, names: names)
                switch try rule.head(continuing: nextBase) {
                case .ignored: continue
                case .fraction: set.fraction = try rule.parts(inFraction: true)
                case .properFraction: set.properFraction = try rule.parts(inFraction: true)
                case .whole(let base, let divisor):
                    guard set.rules.isEmpty || base >= nextBase else {
                        throw rule.error("its base \(base) does not rise above the rule before it")
                    }
                    let parts = try rule.parts(inFraction: false)
                    set.rules.append(
                        NumberRules.Rule(
                            line: source.line, source: source.text, base: base, divisor: divisor, parts: parts,
                            yieldsWithoutRemainder: base % divisor != 0 && parts.contains(where: \.spellsRemainder)))
                    nextBase = base + 1
                }
            }
            sets.append(set)
        }
        return sets
    }
}

extension NumberRules.Part {
    fileprivate var spellsRemainder: Bool {
        switch self {
        case .remainder: true
        case .optional(let parts): parts.contains(where: \.spellsRemainder)
        default: false
        }
    }
}

/// One rule's text, taken apart.
private struct RuleText {
    enum Head {
        case whole(base: UInt64, divisor: UInt64)
        case fraction
        /// `0.x`: below one.
        case properFraction
        /// Negative numbers, infinity and not-a-number: part of CLDR's rules, never an amount.
        case ignored
    }

    /// The largest base in CLDR's rules.
    static let maximumBase: UInt64 = 1_000_000_000_000_000_000

    let source: NumberRuleParser.Source
    let ownSet: Int
    let names: [String]
    private let descriptor: Substring?
    private let body: Substring

    init(_ source: NumberRuleParser.Source, ownSet: Int, names: [String]) {
        self.source = source
        self.ownSet = ownSet
        self.names = names
        if let colon = source.text.firstIndex(of: ":") {
            descriptor = source.text[..<colon]
            body = source.text[source.text.index(after: colon)...]
        } else {
            descriptor = nil
            body = source.text[...]
        }
    }

    func error(_ problem: String) -> NumberRuleError {
        NumberRuleError(line: source.line, rule: source.text, problem: problem)
    }

    func head(continuing nextBase: UInt64) throws(NumberRuleError) -> Head {
        guard let descriptor else { return .whole(base: nextBase, divisor: largestPower(of: 10, notAbove: nextBase)) }
        switch descriptor {
        case "-x", "Inf", "NaN", "x.0", "x,0": return .ignored
        case "x.x", "x,x": return .fraction
        case "0.x", "0,x": return .properFraction
        default: break
        }
        let lowered = descriptor.reversed().prefix { $0 == ">" }.count
        let numbers = descriptor.dropLast(lowered).split(separator: "/", omittingEmptySubsequences: false)
        // CLDR separates thousands in bases by commas and spaces.
        let values = numbers.map { UInt64($0.filter { $0 != "," && $0 != "." && $0 != " " }) }
        guard (1...2).contains(values.count), let base = values[0] else {
            throw error("expected a base such as 100, 1000/1000 or x.x before the colon")
        }
        guard base <= Self.maximumBase else { throw error("its base is above \(Self.maximumBase)") }
        let radix = values.count == 2 ? values[1] : 10
        guard let radix, radix >= 2 else { throw error("expected a radix of at least 2 after \"/\"") }
        var divisor = largestPower(of: radix, notAbove: base)
        for _ in 0..<lowered {
            guard divisor > 1 else { throw error("more \">\" than the base has powers of \(radix)") }
            divisor /= radix
        }
        return .whole(base: base, divisor: divisor)
    }

    func parts(inFraction: Bool) throws(NumberRuleError) -> [NumberRules.Part] {
        var text = body.drop(while: \.isWhitespace)
        // A leading apostrophe keeps the spaces after it.
        if text.first == "'" { text = text.dropFirst() }
        var scanner = PartScanner(rule: self, text: text, inFraction: inFraction)
        return try scanner.scan(untilBracket: false)
    }

    /// The set that a substitution names between its signs; empty for the rule's own.
    func reference(_ name: Substring) throws(NumberRuleError) -> NumberRules.RuleSetReference {
        if name.isEmpty { return .set(ownSet) }
        if name.first == "#" || name.first == "0" { return .figures }
        guard let index = names.firstIndex(of: String(name)) else {
            throw error("there is no set \(name); the sets are \(names.joined(separator: ", "))")
        }
        return .set(index)
    }

    private func largestPower(of radix: UInt64, notAbove base: UInt64) -> UInt64 {
        var power: UInt64 = 1
        while power <= base / radix { power *= radix }
        return power
    }
}

extension Substring {
    /// Enough of a rule to find it.
    fileprivate var excerptOfRule: Substring { prefix(12) }
}

private struct PartScanner {
    let rule: RuleText
    var text: Substring
    let inFraction: Bool

    mutating func scan(untilBracket: Bool) throws(NumberRuleError) -> [NumberRules.Part] {
        var parts: [NumberRules.Part] = []
        var literal = ""
        func flushed() -> [NumberRules.Part] { literal.isEmpty ? [] : [.text(literal)] }
        while let character = text.first {
            switch character {
            case "<", ">", "=":
                parts += flushed()
                literal = ""
                parts.append(try substitution(character))
            case "[":
                guard !untilBracket else { throw rule.error("brackets do not nest") }
                text = text.dropFirst()
                parts += flushed()
                literal = ""
                parts.append(.optional(try scan(untilBracket: true)))
            case "]":
                guard untilBracket else { throw rule.error("\"]\" without \"[\"") }
                text = text.dropFirst()
                return parts + flushed()
            case "$": throw rule.error("plural forms in rules ($(…)$) are not part of this subset")
            case "0"..."9", ":", "%":
                // Words contain none of these characters. A sign that begins another rule or set means that the end of
                // the rule before is missing.
                throw rule.error("expected \";\" before \"\(text.excerptOfRule)\", which begins another rule")
            default:
                literal.append(character)
                text = text.dropFirst()
            }
        }
        guard !untilBracket else { throw rule.error("\"[\" without \"]\"") }
        return parts + flushed()
    }

    private mutating func substitution(_ sign: Character) throws(NumberRuleError) -> NumberRules.Part {
        text = text.dropFirst()
        guard let end = text.firstIndex(of: sign) else { throw rule.error("expected a second \"\(sign)\"") }
        let name = text[..<end]
        text = text[text.index(after: end)...]
        let reference = try rule.reference(name)
        switch sign {
        case "<": return .quotient(reference)
        case "=": return .same(reference)
        default: break
        }
        let isTriple = name.isEmpty && text.first == ">"
        if isTriple { text = text.dropFirst() }
        if inFraction {
            // RBNF reads `>%set>` in an x.x rule as a numerator over a denominator, which no amount is.
            guard name.isEmpty else { throw rule.error("expected >> or >>> in an x.x rule, found >\(name)>") }
            return .digits(reference, separator: isTriple ? "" : " ")
        }
        guard !isTriple else { throw rule.error("\">>>\" is not part of this subset in a rule for whole numbers") }
        return .remainder(reference)
    }
}
