/// A non-negative decimal number, exact to its last digit.
///
///     let number = try DecimalNumber("12.50")
///     number == (try DecimalNumber(jsonNumber: "1.25e1"))  // true
///
/// Binary floating point cannot represent 0.1. So an amount is read from its digits, stored as digits and spoken from
/// digits. Two spellings of one number are equal: `12.50` is `12.5`.
public struct DecimalNumber: Sendable, Hashable, CustomStringConvertible {
    /// The largest whole part, 10¹⁵: number rules must be able to read it.
    public static let maximumWhole: UInt64 = 1_000_000_000_000_000
    /// The most decimals. ISO 4217 has at most four; the rest leaves room for finer tariffs.
    public static let maximumDecimals = 9

    public let whole: UInt64
    /// The digits after the point, each 0–9, without zeros at the end. Empty for a whole number.
    public let decimals: [UInt8]

    public init(whole: UInt64, decimals: [UInt8] = []) throws(DecimalError) {
        guard whole <= Self.maximumWhole else { throw .tooLarge }
        var decimals = decimals
        while decimals.last == 0 { decimals.removeLast() }
        guard decimals.count <= Self.maximumDecimals else { throw .tooManyDecimals(decimals.count) }
        guard whole < Self.maximumWhole || decimals.isEmpty else { throw .tooLarge }
        self.whole = whole
        self.decimals = decimals
    }

    /// Reads plain decimal digits with an optional point: `123`, `0.06`. No sign, exponent, space or separator.
    /// - Parameter places: how many decimal places the digits' unit has: 12345 with 2 is 123.45.
    public init(_ text: some StringProtocol, places: Int = 0) throws(DecimalError) {
        if text.utf8.first == UInt8(ascii: "-") { throw .negative }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy(\.isDigits) else { throw .notANumber }
        let digits = parts.joined().map { $0 - UInt8(ascii: "0") }
        try self.init(digits: digits, pointAfter: parts[0].count - places)
    }

    /// Reads a JSON number, including its exponent: `1.2345e2` is 123.45.
    /// - Parameter places: as for ``init(_:places:)``.
    public init(jsonNumber text: String, places: Int = 0) throws(DecimalError) {
        if text.utf8.first == UInt8(ascii: "-") { throw .negative }
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        let pieces = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard pieces.allSatisfy(\.isDigits) else { throw .notANumber }
        let whole = pieces[0]
        let decimals = pieces.count == 2 ? Array(pieces[1]) : []
        let digits = (Array(whole) + decimals).map { $0 - UInt8(ascii: "0") }
        var exponent = 0
        if parts.count == 2 {
            let isNegative = parts[1].first == UInt8(ascii: "-")
            let isSigned = isNegative || parts[1].first == UInt8(ascii: "+")
            guard parts[1].dropFirst(isSigned ? 1 : 0).isDigits else { throw .notANumber }
            // An exponent too large for Int is out of every range, whatever its sign. Only zero stays zero.
            guard let parsed = Int(Substring(parts[1])), (-1000...1000).contains(parsed) else {
                if digits.allSatisfy({ $0 == 0 }) {
                    try self.init(whole: 0)
                    return
                }
                throw isNegative ? .tooManyDecimals(Int.max) : .tooLarge
            }
            exponent = parsed
        }
        try self.init(digits: digits, pointAfter: whole.count + exponent - places)
    }

    /// `minorUnits` of a unit that has `exponent` decimal places: 12345 with 2 is 123.45.
    public init(minorUnits: UInt64, exponent: Int) throws(DecimalError) {
        let digits = String(minorUnits).utf8.map { $0 - UInt8(ascii: "0") }
        try self.init(digits: digits, pointAfter: digits.count - exponent)
    }

    /// - Parameter pointAfter: how many of `digits` stand before the point; may be outside of them.
    private init(digits: [UInt8], pointAfter: Int) throws(DecimalError) {
        let significant = digits.drop { $0 == 0 }
        guard !significant.isEmpty else {
            try self.init(whole: 0)
            return
        }
        // Leading zeros stand before the point or before the first significant decimal.
        let point = pointAfter - (digits.count - significant.count)
        guard point <= 16 else { throw .tooLarge }
        var whole: UInt64 = 0
        for place in 0..<max(point, 0) {
            whole = whole * 10 + UInt64(place < significant.count ? significant[significant.startIndex + place] : 0)
        }
        let leadingZeros = max(-point, 0)
        var tail = Array(significant.dropFirst(max(point, 0)))
        while tail.last == 0 { tail.removeLast() }
        guard tail.isEmpty || leadingZeros + tail.count <= Self.maximumDecimals else {
            throw .tooManyDecimals(leadingZeros + tail.count)
        }
        try self.init(whole: whole, decimals: Array(repeating: 0, count: tail.isEmpty ? 0 : leadingZeros) + tail)
    }

    public var isZero: Bool { whole == 0 && decimals.isEmpty }

    /// Plain digits: `123.45`. The shortest spelling; equal numbers have equal descriptions.
    public var description: String {
        decimals.isEmpty ? String(whole) : "\(whole).\(decimals.map { String($0) }.joined())"
    }

    /// The sum.
    /// - Throws: ``DecimalError/tooLarge`` above 10¹⁵.
    public func adding(_ other: DecimalNumber) throws(DecimalError) -> DecimalNumber {
        let places = max(decimals.count, other.decimals.count)
        var sum = [UInt8](repeating: 0, count: places)
        var carry: UInt8 = 0
        for place in (0..<places).reversed() {
            let left = place < decimals.count ? decimals[place] : 0
            let right = place < other.decimals.count ? other.decimals[place] : 0
            let digit = left + right + carry
            sum[place] = digit % 10
            carry = digit / 10
        }
        return try DecimalNumber(whole: whole + other.whole + UInt64(carry), decimals: sum)
    }
}

extension Collection<UInt8> {
    /// Whether there is at least one byte and every one is 0–9.
    fileprivate var isDigits: Bool { !isEmpty && allSatisfy(\.isDigit) }
}

/// Why digits are no amount that the box can hold exactly. Nothing is ever rounded to make it fit.
public enum DecimalError: Error, Sendable, Equatable, CustomStringConvertible {
    case notANumber
    case negative
    /// Above 10¹⁵.
    case tooLarge
    case tooManyDecimals(Int)

    public var description: String {
        switch self {
        case .notANumber: "expected plain digits such as 123.45"
        case .negative: "must not be negative"
        case .tooLarge: "larger than 1000000000000000"
        case .tooManyDecimals: "more than \(DecimalNumber.maximumDecimals) decimals"
        }
    }
}
