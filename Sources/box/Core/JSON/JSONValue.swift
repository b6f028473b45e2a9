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

/// A JSON number that is compared by its value: `1`, `1.0` and `10e-1` are equal.
package struct ExactNumber: Comparable, Sendable {
    private let isNegative: Bool
    /// Without zeros at either end; empty for 0.
    private let digits: [UInt8]
    /// How many of the digits stand before the point. 0 for 0.
    private let point: Int

    /// `nil` for text that is no JSON number, and for an exponent that does not fit in an `Int`.
    package init?(_ text: String) {
        guard case .number? = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        let parts = text.utf8.split { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = parts[0].drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
        let written = Array(mantissa.joined())
        guard let exponent = parts.count == 2 ? Int(Substring(parts[1])) : 0 else { return nil }
        let significant = written.drop { $0 == UInt8(ascii: "0") }
        let (point, isTooLarge) = (mantissa[0].count - (written.count - significant.count))
            .addingReportingOverflow(exponent)
        guard !isTooLarge else { return nil }
        digits = Array(significant.reversed().drop { $0 == UInt8(ascii: "0") }.reversed())
        isNegative = !digits.isEmpty && text.utf8.first == UInt8(ascii: "-")
        self.point = digits.isEmpty ? 0 : point
    }

    package static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isNearerToZero(than: left) : left.isNearerToZero(than: right)
    }

    private func isNearerToZero(than other: ExactNumber) -> Bool {
        guard !digits.isEmpty, !other.digits.isEmpty, point != other.point else {
            if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
            return digits.lexicographicallyPrecedes(other.digits)
        }
        return point < other.point
    }
}

extension String {
    /// Whether one value can be written as both: the same text, or two numbers, booleans or nulls with the same value.
    package func isAlike(_ other: String) -> Bool {
        self == other || isValue(thatIsWritten: other) || other.isValue(thatIsWritten: self)
    }

    private func isValue(thatIsWritten other: String) -> Bool {
        switch try? JSONValue(parsing: Array(lowercased().utf8)) {
        case .string, .array, .object, nil: false
        case let value?: value.isWritten(other)
        }
    }
}

extension JSONValue {
    /// The value as compact JSON in UTF-8. Members keep their order, so equal values give equal bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// The value as compact JSON.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let digits): bytes += digits.utf8
        case .string(let string): Self.write(string, to: &bytes)
        case .array(let elements):
            bytes += "[".utf8
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes += ",".utf8 }
                element.write(to: &bytes)
            }
            bytes += "]".utf8
        case .object(let members):
            bytes += "{".utf8
            for (index, member) in members.enumerated() {
                if index > 0 { bytes += ",".utf8 }
                Self.write(member.name, to: &bytes)
                bytes += ":".utf8
                member.value.write(to: &bytes)
            }
            bytes += "}".utf8
        }
    }

    private static func write(_ string: String, to bytes: inout [UInt8]) {
        bytes += "\"".utf8
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            // JSON requires this only for the first 32 characters. The others could control a terminal that shows them.
            case _ where scalar.isControl:
                let digits = String(scalar.value, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: bytes += scalar.utf8
            }
        }
        bytes += "\"".utf8
    }
}
