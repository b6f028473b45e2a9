/// A sum of amounts, exact to its last digit, that may also be negative.
///
///     var sum = ExactSum.zero
///     sum += ExactSum(try DecimalNumber("12.50"))
///     print(sum)  // 12.5
///
/// 128 bits hold 10¹⁴ of the largest amounts. A larger sum is reported as too large, instead of a wrong one.
public struct ExactSum: Sendable, Equatable, CustomStringConvertible {
    private static let unit: Int128 = 1_000_000_000

    /// In billionths, the finest unit of an amount; `nil` when it does not fit.
    private var billionths: Int128?

    public static let zero = ExactSum(billionths: 0)

    private init(billionths: Int128?) { self.billionths = billionths }

    public init(_ amount: DecimalNumber) {
        let digits = amount.decimals + repeatElement(0, count: DecimalNumber.maximumDecimals - amount.decimals.count)
        billionths = digits.reduce(Int128(amount.whole)) { $0 * 10 + Int128($1) }
    }

    /// Reads ``description``.
    public init?(_ text: String) {
        guard text != Self.unspeakable else {
            billionths = nil
            return
        }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = (isNegative ? text.dropFirst() : text[...]).split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        guard parts.count <= 2, let whole = parts.first, (1...29).contains(whole.utf8.count),
            decimals.utf8.count <= 9, parts.count == 1 || !decimals.isEmpty
        else { return nil }
        var digits = [UInt8](whole.utf8)
        digits.append(contentsOf: decimals.utf8)
        guard digits.allSatisfy(\.isDigit) else { return nil }
        while digits.count < whole.utf8.count + 9 { digits.append(UInt8(ascii: "0")) }
        var magnitude: Int128 = 0
        for digit in digits {
            let (scaled, isScaledTooFar) = magnitude.multipliedReportingOverflow(by: 10)
            let (next, isTooLarge) = scaled.addingReportingOverflow(Int128(digit - UInt8(ascii: "0")))
            guard !isScaledTooFar, !isTooLarge else { return nil }
            magnitude = next
        }
        billionths = isNegative ? -magnitude : magnitude
    }

    private static let unspeakable = "too large"

    public var isZero: Bool { billionths == 0 }

    /// Plain digits, the shortest spelling: `123.45`, `-6`; `too large` if it is.
    public var description: String {
        guard let billionths else { return Self.unspeakable }
        let (whole, rest) = billionths.magnitude.quotientAndRemainder(dividingBy: Self.unit.magnitude)
        var decimals = String(rest)
        decimals = String(repeating: "0", count: 9 - decimals.utf8.count) + decimals
        while decimals.last == "0" { decimals.removeLast() }
        return (billionths < 0 ? "-" : "") + String(whole) + (decimals.isEmpty ? "" : ".\(decimals)")
    }

    /// As an amount that can be spoken; `nil` when it is negative, or larger than an amount can be.
    public var amount: DecimalNumber? { try? DecimalNumber(description) }

    public static func + (left: ExactSum, right: ExactSum) -> ExactSum {
        combine(left, right) { $0.addingReportingOverflow($1) }
    }

    public static func - (left: ExactSum, right: ExactSum) -> ExactSum {
        combine(left, right) { $0.subtractingReportingOverflow($1) }
    }

    public static func += (left: inout ExactSum, right: ExactSum) { left = left + right }

    private static func combine(
        _ left: ExactSum, _ right: ExactSum, _ operation: (Int128, Int128) -> (Int128, Bool)
    ) -> ExactSum {
        guard let left = left.billionths, let right = right.billionths else { return ExactSum(billionths: nil) }
        let (result, isTooLarge) = operation(left, right)
        return ExactSum(billionths: isTooLarge ? nil : result)
    }
}
