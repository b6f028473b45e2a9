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

    /// What a field must contain for the message to be a payment.
    public struct Condition: Sendable, Equatable {
        public enum Otherwise: String, Sendable, CaseIterable {
            /// It is not meant for the box: it is acknowledged, and nothing else happens.
            case ignore
            /// It is a mistake: refused with a receipt.
            case reject
        }

        public var field: FieldPath
        /// Texts as a document writes them: `true` is the boolean and the string, `1` any number with that value and
        /// the string.
        public var values: [String]
        public var otherwise: Otherwise

        public init(field: FieldPath, values: [String], otherwise: Otherwise) {
            self.field = field
            self.values = values
            self.otherwise = otherwise
        }
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

    /// One field, or several that identify a payment together; see ``MappedNoticeDecoder``.
    public var id: [FieldPath]
    public var amount: FieldPath
    public var unit: Unit
    public var separators: Separators
    /// `nil` uses the configured currency.
    public var currency: Source?
    public var channel: Source?
    public var kind: Source?
    public var paidAt: FieldPath?
    public var timeFormat: TimeFormat
    public var conditions: [Condition]

    public init(
        id: [FieldPath], amount: FieldPath, unit: Unit, separators: Separators = Separators(), currency: Source? = nil,
        channel: Source? = nil, kind: Source? = nil, paidAt: FieldPath? = nil, timeFormat: TimeFormat = .rfc3339,
        conditions: [Condition] = []
    ) {
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

/// The path to a value inside nested objects and lists: `data.order.id`, `pix.0.valor`.
public struct FieldPath: Sendable, Equatable, CustomStringConvertible {
    public var names: [String]

    /// `nil` when a name is empty.
    public init?(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ !$0.isEmpty }) else { return nil }
    }

    public var description: String { names.joined(separator: ".") }

    /// `nil` when the field is missing or `null`.
    func value(in json: JSONValue) -> JSONValue? {
        guard let value = written(in: json), value != .null else { return nil }
        return value
    }

    /// `nil` when the field is missing.
    func written(in json: JSONValue) -> JSONValue? {
        names.reduce(json as JSONValue?) { value, name in value?.member(name) }
    }

    /// Why there is no value, in words.
    func lack(in json: JSONValue) -> String { "this field is missing" + hint(in: json) }

    /// What stands in the path's way, as the end of a sentence; empty when the field is only missing.
    func hint(in json: JSONValue) -> String {
        var value = json
        for (index, name) in names.enumerated() {
            guard let member = value.member(name) else { break }
            value = member
            guard index + 1 < names.count, value.member(names[index + 1]) == nil else { continue }
            let name = names[...index].joined(separator: ".")
            if case .array(let elements) = value {
                if elements.isEmpty { return "; \(name) is an empty list" }
                return "; \(name) is a list, whose first element is \(name).0"
            }
            if value.isTextOfJSON {
                return "; \(name) is a text that holds JSON: the sender must leave out the quotes around it"
            }
        }
        return ""
    }

    /// Whether one of the two is inside the other's value, so that never both are scalars.
    public func excludes(_ other: FieldPath) -> Bool {
        names != other.names && (names.starts(with: other.names) || other.names.starts(with: names))
    }
}

extension JSONValue {
    /// Whether this is a string in which an object or a list is written.
    fileprivate var isTextOfJSON: Bool {
        guard let string, let json = try? JSONValue(parsing: Array(string.utf8)) else { return false }
        switch json {
        case .object, .array: return true
        default: return false
        }
    }

    /// A member of an object, or an element of a list by its index from 0.
    fileprivate func member(_ name: String) -> JSONValue? {
        guard let elements else { return self[name] }
        guard name.utf8.allSatisfy(\.isDigit), let index = Int(name), elements.indices.contains(index) else {
            return nil
        }
        return elements[index]
    }
}
