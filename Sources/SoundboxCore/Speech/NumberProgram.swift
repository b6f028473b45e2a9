/// Number rules laid out flat, in the form in which they are run.
///
/// A payment is read while a customer waits, on a processor that has other work: so texts lie as UTF-8 in one array,
/// rules refer to one another by index, and nothing is allocated but the reading itself.
struct NumberProgram: Sendable {
    /// A stretch of `bytes`.
    struct Text: Sendable, Equatable {
        var start: UInt32
        var count: UInt32

        static let none = Text(start: .max, count: 0)
    }

    enum Operation: Sendable {
        case text(Text)
        case quotient(NumberRules.RuleSetReference)
        case remainder(NumberRules.RuleSetReference)
        case same(NumberRules.RuleSetReference)
        case digits(NumberRules.RuleSetReference, separator: Text)
        /// The next so many operations are the content of brackets.
        case optional(count: Int)
    }

    struct Rule: Sendable {
        var base: UInt64
        var divisor: UInt64
        var operations: Range<Int>
        var yieldsWithoutRemainder: Bool
        /// Whether it needs quotient or remainder. Rules that only hand a number on are many, and dividing is slow.
        var divides: Bool
    }

    struct RuleSet: Sendable {
        /// Ascending by base.
        var rules: Range<Int>
        var fraction: Range<Int>?
        var properFraction: Range<Int>?
    }

    /// Numbers below this one are spelled in advance by every set. Nearly every reading ends in one, and most of those
    /// inside a long one are.
    static let preparedCount = 100
    /// Bytes that most readings stay below; longer ones cost another allocation and nothing else.
    static let usualLength = 192

    private(set) var bytes: [UInt8] = []
    private(set) var operations: [Operation] = []
    private(set) var rules: [Rule] = []
    private(set) var sets: [RuleSet] = []
    /// `prepared[set * preparedCount + number]`; ``Text/none`` where the rules have no reading.
    private(set) var prepared: [Text] = []

    init(_ source: [NumberRules.RuleSet]) {
        for set in source {
            let first = rules.count
            for rule in set.rules {
                rules.append(
                    Rule(
                        base: rule.base, divisor: rule.divisor, operations: add(rule.parts),
                        yieldsWithoutRemainder: rule.yieldsWithoutRemainder,
                        divides: rule.parts.contains(where: \.divides)))
            }
            sets.append(
                RuleSet(
                    rules: first..<rules.count, fraction: set.fraction.map { add($0) },
                    properFraction: set.properFraction.map { add($0) }))
        }
    }

    /// Keeps the readings of the first numbers by one set, which must be the next one.
    mutating func keep(_ readings: [[UInt8]?]) {
        prepared += readings.map { $0.map { add($0) } ?? .none }
    }

    private mutating func add(_ parts: [NumberRules.Part]) -> Range<Int> {
        let first = operations.count
        for part in parts { add(part) }
        return first..<operations.count
    }

    private mutating func add(_ part: NumberRules.Part) {
        switch part {
        case .text(let text): operations.append(.text(add(Array(text.utf8))))
        case .quotient(let reference): operations.append(.quotient(reference))
        case .remainder(let reference): operations.append(.remainder(reference))
        case .same(let reference): operations.append(.same(reference))
        case .digits(let reference, let separator):
            operations.append(.digits(reference, separator: add(Array(separator.utf8))))
        case .optional(let parts):
            let place = operations.count
            operations.append(.optional(count: 0))
            let content = add(parts)
            operations[place] = .optional(count: content.count)
        }
    }

    private mutating func add(_ text: [UInt8]) -> Text {
        bytes += text
        return Text(start: UInt32(bytes.count - text.count), count: UInt32(text.count))
    }
}

extension NumberRules.Part {
    fileprivate var divides: Bool {
        switch self {
        case .quotient, .remainder, .optional: true
        case .text, .same, .digits: false
        }
    }
}
