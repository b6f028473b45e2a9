/// A JSON value (RFC 8259) whose numbers keep their digits.
///
///     let json = try JSONValue(parsing: Array(#"{"amount": 123.45}"#.utf8))
///     json["amount"]  // .number("123.45")
///
/// An amount must never pass through binary floating point, so a number stays text. Members of an object keep their
/// order. The parser refuses a name that occurs twice: two readers could otherwise see two different amounts.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The digits as written: `123.45`, `1e2`.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    public static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    /// The member with that name; `nil` when there is none or this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    public var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    public var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// The value of a number without point and exponent; `nil` for anything else.
    public var integer: Int? {
        guard case .number(let digits) = self else { return nil }
        return Int(digits)
    }

    /// Whether a document writes this scalar as `text`: the same boolean or `null`, a number with the same value, or a
    /// string with the same characters.
    func isWritten(_ text: String) -> Bool {
        switch self {
        case .null: ["null", "~"].contains(text.lowercased())
        case .bool(let bool): text.lowercased() == "\(bool)"
        case .number(let digits): ExactNumber(digits).map { $0 == ExactNumber(text) } ?? false
        case .string(let string): string == text
        case .array, .object: false
        }
    }

    /// What kind of value this is, for errors: "a string", "a number" …
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.name == $1.name && $0.value == $1.value }
        default: false
        }
    }
}
