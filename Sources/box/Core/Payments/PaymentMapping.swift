/// How to read another provider's payment notices: which of its fields means what. It is data, so a new provider needs
/// a new file and no program.
///
///     let mapping = try PaymentMapping(parsing: yaml, file: "provider.yaml")
///     let decoder = MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)
public struct PaymentMapping: Sendable, Equatable {
    /// The unit of the number in the amount's field.
    public enum Unit: String, Sendable, CaseIterable {
        /// The currency's main unit, with decimals: `"0.01"`.
        case decimal
        /// Hundredths, whatever the currency: 1 is 0.01.
        case cents
        /// The currency's minor unit by ISO 4217: 1 is 0.01 INR, but 1 VND.
        case minor
    }

    /// Where a text comes from.
    public enum Source: Sendable, Equatable {
        /// A field. Its value may be a code, whose meaning is in `codes`; other values are used as they are.
        case field(FieldPath, codes: [String: String])
        case constant(String)
    }

    /// What becomes of a message, or of one element of its list, that is no payment for the box.
    public enum Verdict: String, Sendable, CaseIterable {
        /// It is not meant for the box: it is acknowledged, and nothing else happens.
        case ignore
        /// It is a mistake: refused with a receipt.
        case refuse
    }

    /// What a field must be for the message to be a payment.
    public struct Condition: Sendable, Equatable {
        public enum Test: Sendable, Equatable {
            /// One of these texts as a document writes them: `true` is the boolean and the string, `1` any number with
            /// that value and the string. `null` is also met by a missing field.
            case values([String])
            case not([String])
            /// Numbers, compared by value. A JSON number, or a string that has one.
            case above(String)
            case below(String)
            /// The whole text: `*` is any characters, also none, and `?` is any one.
            case matches([String])
        }

        public var field: FieldPath
        /// All must be met. At least one.
        public var tests: [Test]
        /// For a value that is there.
        public var otherwise: Verdict
        /// For a missing field.
        public var absent: Verdict

        public init(field: FieldPath, tests: [Test], otherwise: Verdict, absent: Verdict = .refuse) {
            self.field = field
            self.tests = tests
            self.otherwise = otherwise
            self.absent = absent
        }
    }

    /// What a negative amount means. Banks report what goes out with a minus.
    public enum Negative: String, Sendable, CaseIterable {
        case ignore
        /// Money that was paid back: the amount without its sign, of the kind `refund`.
        case refund
        case refuse
    }

    /// The characters that group digits and separate decimals, for providers that write `1.234,50`. For strings only:
    /// numbers are JSON's.
    public struct Separators: Sendable, Equatable {
        public var thousands: Character?
        public var decimal: Character

        public init(thousands: Character? = nil, decimal: Character = ".") {
            self.thousands = thousands
            self.decimal = decimal
        }

        /// The digits with a point for the decimals; `nil` when a separator is in the wrong place. Groups between the
        /// first and the last may have two digits, as in India.
        func plain(_ text: String) -> String? {
            let parts = text.split(separator: decimal, maxSplits: 1, omittingEmptySubsequences: false)
            var groups = [parts[0]]
            if let thousands { groups = parts[0].split(separator: thousands, omittingEmptySubsequences: false) }
            if groups.count > 1 {
                // 0.500 is not five hundred.
                guard (1...3).contains(groups[0].count), groups[0].first != "0", groups[groups.count - 1].count == 3,
                    groups.dropFirst().dropLast().allSatisfy({ (2...3).contains($0.count) })
                else { return nil }
            }
            guard (groups + parts.dropFirst()).allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }) else { return nil }
            return ([groups.joined()] + parts.dropFirst().map(String.init)).joined(separator: ".")
        }
    }

    /// The list whose elements are payments, each read by itself; `nil` if the message is one payment.
    public var each: FieldPath?
    /// One field, or several that identify a payment together; see ``MappedNoticeDecoder``.
    public var id: [FieldPath]
    /// Stands before every id, so that two providers that number their payments from one on can share a box.
    public var idPrefix = ""
    public var amount: FieldPath
    public var unit: Unit
    public var separators: Separators
    /// The decimal places of ``Unit/minor`` where a provider has others than ISO 4217.
    public var decimals: [Currency: Int] = [:]
    public var negative = Negative.refuse
    /// `nil` uses the configured currency.
    public var currency: Source?
    public var channel: Source?
    public var kind: Source?
    public var paidAt: FieldPath?
    public var timeFormat: TimeFormat
    public var conditions: [Condition]

    public init(
        each: FieldPath? = nil, id: [FieldPath], amount: FieldPath, unit: Unit, separators: Separators = Separators(),
        currency: Source? = nil,
        channel: Source? = nil, kind: Source? = nil, paidAt: FieldPath? = nil, timeFormat: TimeFormat = .rfc3339,
        conditions: [Condition] = []
    ) {
        self.each = each
        self.separators = separators
        self.id = id
        self.amount = amount
        self.unit = unit
        self.currency = currency
        self.channel = channel
        self.kind = kind
        self.paidAt = paidAt
        self.timeFormat = timeFormat
        self.conditions = conditions
    }
}

extension PaymentMapping {
    /// The same mapping, for one element of the list of ``each``.
    func inElement(_ index: Int) -> PaymentMapping {
        guard let list = each else { return self }
        func resolved(_ source: Source?) -> Source? { source?.inElement(index, of: list) }
        var mapping = self
        mapping.id = id.map { $0.inElement(index, of: list) }
        mapping.amount = amount.inElement(index, of: list)
        mapping.currency = resolved(currency)
        mapping.channel = resolved(channel)
        mapping.kind = resolved(kind)
        mapping.paidAt = paidAt?.inElement(index, of: list)
        for place in conditions.indices {
            mapping.conditions[place].field = conditions[place].field.inElement(index, of: list)
        }
        return mapping
    }

    /// Every field that the mapping reads.
    package var fields: [FieldPath] {
        let texts = [currency, channel, kind].compactMap { $0?.field }
        return id + [amount] + texts + [paidAt].compactMap(\.self) + conditions.map(\.field)
    }
}

extension PaymentMapping.Source {
    package var field: FieldPath? { if case .field(let path, _) = self { path } else { nil } }

    /// The same source, for one element of a list.
    package func inElement(_ index: Int, of list: FieldPath) -> PaymentMapping.Source {
        guard case .field(let path, let codes) = self else { return self }
        return .field(path.inElement(index, of: list), codes: codes)
    }
}

extension PaymentMapping.Condition {
    /// Why the condition is not met; `nil` when it is.
    ///
    /// - Throws: what cannot be judged: a number is expected and something else is there.
    func violation(in json: JSONValue, _ separators: PaymentMapping.Separators?) throws(NoticeRejection) -> Violation? {
        guard let value = field.written(in: json) else {
            let isMet = tests.allSatisfy {
                if case .values(let values) = $0 { values.contains(where: Self.isNull) } else { false }
            }
            return isMet ? nil : Violation(reason: "\(field) is missing\(field.hint(in: json))", isAbsence: true)
        }
        // Many programs write an empty text for "none".
        if value == .null || value == .string(""), !tests.contains(where: { $0.names(value) }) {
            let isMet = value != .null && tests.allSatisfy { $0.names(.null) }
            return isMet ? nil : Violation(reason: "\(field) is \(value == .null ? "null" : "empty")", isAbsence: true)
        }
        // A list of one, or an object, is not what the mapping expects there; to ignore it would silence a provider.
        guard value.code != nil || value == .null else {
            throw NoticeRejection(
                id: nil, field: "\(field)", problem: "expected a text, a number or a boolean, found \(value.kind)")
        }
        for test in tests {
            guard try !isMet(test, by: value, separators) else { continue }
            return Violation(reason: "\(field) is \((value.code ?? value.kind).excerpt)", isAbsence: false)
        }
        return nil
    }

    struct Violation {
        var reason: String
        var isAbsence: Bool
    }

    private func isMet(
        _ test: Test, by value: JSONValue, _ separators: PaymentMapping.Separators?
    ) throws(NoticeRejection) -> Bool {
        switch test {
        case .values(let values): return values.contains(where: value.isWritten)
        case .not(let values): return !values.contains(where: value.isWritten)
        case .above(let limit):
            let number = try number(value, separators)
            return ExactNumber(limit).map { $0 < number } ?? false
        case .below(let limit):
            let number = try number(value, separators)
            return ExactNumber(limit).map { number < $0 } ?? false
        case .matches(let patterns):
            guard let text = value.code else { return false }
            return patterns.contains { Self.matches($0, text) }
        }
    }

    private func number(
        _ value: JSONValue, _ separators: PaymentMapping.Separators?
    ) throws(NoticeRejection) -> ExactNumber {
        var text = (value.digits ?? "").replacing("\u{2212}", with: "-")
        let sign = text.hasPrefix("-") ? "-" : ""
        if value.string != nil, let separators, separators != PaymentMapping.Separators() {
            // What cannot be read as an amount cannot be compared with one.
            text = separators.plain(String(text.dropFirst(sign.count))).map { sign + $0 } ?? ""
        }
        let plain = text
        // JSON has no zeros in front, and other programs write them.
        let digits = plain.dropFirst(sign.count)
        let zeros = digits.prefix { $0 == "0" }.count
        let significant = digits.dropFirst(zeros)
        let trimmed = sign + (significant.first?.isNumber == true ? "" : zeros > 0 ? "0" : "") + significant
        guard let number = ExactNumber(trimmed) else {
            throw NoticeRejection(
                id: nil, field: "\(field)",
                problem: "expected a number to compare, found \((value.code ?? value.kind).excerpt)")
        }
        return number
    }

    private static func isNull(_ text: String) -> Bool { text.isAlike("null") }

    /// Whether the whole text fits a pattern of `*` and `?`.
    package static func matches(_ pattern: String, _ text: String) -> Bool {
        let (pattern, text) = (Array(pattern), Array(text))
        // Where the last star was, and the end of the text that it took so far.
        var (star, taken): (Int?, Int) = (nil, 0)
        var (place, index) = (0, 0)
        while index < text.count {
            if place < pattern.count, pattern[place] == "*" {
                (star, taken) = (place, index)
                place += 1
            } else if place < pattern.count, pattern[place] == "?" || pattern[place] == text[index] {
                place += 1
                index += 1
            } else if let star {
                taken += 1
                (place, index) = (star + 1, taken)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}

extension PaymentMapping.Condition.Test {
    /// Whether it says of `null`, or of the empty text, itself what becomes of it.
    fileprivate func names(_ value: JSONValue) -> Bool {
        switch self {
        case .values(let values): values.contains(where: value.isWritten)
        case .not, .above, .below, .matches: false
        }
    }

    /// What is expected, in words.
    package var words: String {
        switch self {
        case .values(let values): values.joined(separator: " or ")
        case .not(let values): "anything but " + values.joined(separator: " and ")
        case .above(let limit): "a number above \(limit)"
        case .below(let limit): "a number below \(limit)"
        case .matches(let patterns): "a text like " + patterns.joined(separator: " or ")
        }
    }
}
