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
