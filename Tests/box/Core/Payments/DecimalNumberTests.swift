import SoundboxCore
import TestSupport
import Testing

@Suite("Decimal numbers")
struct DecimalNumberTests {
    @Test(
        "Plain digits are read exactly",
        arguments: [
            ("0", 0, []), ("123", 123, []), ("0.06", 0, [0, 6]), ("123.45", 123, [4, 5]), ("12.50", 12, [5]),
            ("12.00", 12, []), ("000.10", 0, [1]), ("00012", 12, []), ("0.000000001", 0, [0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("1.50000000000000000000", 1, [5]), ("1000000000000000", 1_000_000_000_000_000, []),
            ("1000000000000000.00", 1_000_000_000_000_000, []),
            ("999999999999999.999999999", 999_999_999_999_999, [9, 9, 9, 9, 9, 9, 9, 9, 9]),
        ] as [(String, UInt64, [UInt8])])
    func plainDigits(text: String, whole: UInt64, decimals: [UInt8]) throws {
        let number = try DecimalNumber(text)
        #expect(number.whole == whole)
        #expect(number.decimals == decimals)
    }

    @Test(
        "What is not plain digits is refused with its reason",
        arguments: [
            ("", .notANumber), (".", .notANumber), (".5", .notANumber), ("5.", .notANumber), ("1.2.3", .notANumber),
            ("1..2", .notANumber), ("+1", .notANumber), (" 1", .notANumber), ("1 ", .notANumber),
            ("1,000", .notANumber),
            ("1,5", .notANumber), ("1e2", .notANumber), ("0x10", .notANumber), ("NaN", .notANumber),
            ("Infinity", .notANumber), ("１２", .notANumber), ("١٢", .notANumber), ("一", .notANumber),
            ("1\n", .notANumber),
            ("1\u{0}", .notANumber), ("-1", .negative), ("-0.01", .negative), ("1000000000000001", .tooLarge),
            ("1000000000000000.1", .tooLarge), ("99999999999999999999999999999999", .tooLarge),
            ("0.0000000001", .tooManyDecimals(10)), ("1.23456789012", .tooManyDecimals(11)),
        ] as [(String, DecimalError)])
    func refused(text: String, reason: DecimalError) {
        #expect(throws: reason) { try DecimalNumber(text) }
    }

    @Test(
        "A number is read from JSON's notation without binary floating point",
        arguments: [
            ("0", "0"), ("0.0", "0"), ("123.45", "123.45"), ("1.2345e2", "123.45"), ("1.2345E+2", "123.45"),
            ("12345e-2", "123.45"), ("1e2", "100"), ("1e15", "1000000000000000"), ("1e-9", "0.000000001"),
            ("0e99999999999999999999", "0"), ("0.000e-99999999999999999999", "0"), ("100e-2", "1"),
            ("0.1", "0.1"), ("0.30000000", "0.3"), ("4503599627370.497", "4503599627370.497"),
            ("0.00000000000000000001e20", "1"), ("100000000000000000000e-20", "1"),
        ])
    func jsonNotation(text: String, expected: String) throws {
        #expect(try DecimalNumber(jsonNumber: text).description == expected)
    }

    @Test(
        "A JSON number outside the range is refused, however its exponent is written",
        arguments: [
            ("1e16", .tooLarge), ("1e1000", .tooLarge), ("1e1001", .tooLarge), ("1e99999999999999999999", .tooLarge),
            ("1e9223372036854775807", .tooLarge), ("1e-10", .tooManyDecimals(10)),
            ("1e-9223372036854775808", .tooManyDecimals(.max)), ("1e-99999999999999999999", .tooManyDecimals(.max)),
            ("-1", .negative), ("-1e2", .negative), ("1000000000000000.000000001", .tooLarge),
        ] as [(String, DecimalError)])
    func jsonOutOfRange(text: String, reason: DecimalError) {
        #expect(throws: reason) { try DecimalNumber(jsonNumber: text) }
    }

    @Test(
        "Text that JSON would not call a number is refused",
        arguments: ["", ".", "1.", ".5", "1e", "e5", "1e+", "1e1.5", "1e1e1", "1.2.3", "+1", "NaN", "0x1", "1 "])
    func notJSON(text: String) {
        #expect(throws: DecimalError.notANumber) { try DecimalNumber(jsonNumber: text) }
    }

    @Test(
        "Minor units become units by the currency's exponent",
        arguments: [
            (12345, 2, "123.45"), (6, 2, "0.06"), (10, 2, "0.1"), (500, 0, "500"), (1500, 3, "1.5"), (1, 4, "0.0001"),
            (0, 2, "0"), (1_000_000_000_000_000, 0, "1000000000000000"),
        ] as [(UInt64, Int, String)])
    func minorUnits(units: UInt64, exponent: Int, expected: String) throws {
        #expect(try DecimalNumber(minorUnits: units, exponent: exponent).description == expected)
    }

    @Test("More minor units than 10¹⁵ units hold are refused")
    func tooManyMinorUnits() {
        #expect(throws: DecimalError.tooLarge) { try DecimalNumber(minorUnits: .max, exponent: 2) }
        #expect(throws: DecimalError.tooLarge) { try DecimalNumber(minorUnits: 1_000_000_000_000_001, exponent: 0) }
    }

    @Test("Two spellings of one number are equal and share a hash and a description")
    func spellings() throws {
        let numbers = try ["12.5", "12.50", "012.500", "12.5000000000000"].map { try DecimalNumber($0) }
        #expect(Set(numbers).count == 1)
        #expect(Set(numbers.map(\.description)) == ["12.5"])
        #expect(try DecimalNumber("12.5") != DecimalNumber("12.05"))
    }

    @Test(
        "Sums are exact",
        arguments: [
            ("0.1", "0.2", "0.3"), ("0.99", "0.01", "1"), ("999.999999999", "0.000000001", "1000"),
            ("12.5", "0", "12.5"),
            ("0.05", "1.1", "1.15"), ("999999999999999", "1", "1000000000000000"),
        ])
    func sums(left: String, right: String, expected: String) throws {
        #expect(try DecimalNumber(left).adding(DecimalNumber(right)).description == expected)
        #expect(try DecimalNumber(right).adding(DecimalNumber(left)).description == expected)
    }

    @Test("A sum above 10¹⁵ is refused and not wrapped")
    func sumTooLarge() throws {
        let most = try DecimalNumber("1000000000000000")
        #expect(throws: DecimalError.tooLarge) { try most.adding(most) }
        #expect(throws: DecimalError.tooLarge) { try most.adding(try DecimalNumber("0.01")) }
    }

    @Test("A random number survives being written and read, and its sum with itself is twice its minor units")
    func roundTrips() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let units = UInt64.random(in: 0...500_000_000_000_000, using: &random)
            let exponent = Int.random(in: 0...9, using: &random)
            let number = try DecimalNumber(minorUnits: units, exponent: exponent)
            #expect(try DecimalNumber(number.description) == number)
            #expect(try DecimalNumber(jsonNumber: number.description) == number)
            #expect(try DecimalNumber(jsonNumber: "\(units)e-\(exponent)") == number)
            #expect(try number.adding(number) == DecimalNumber(minorUnits: 2 * units, exponent: exponent))
        }
    }
}
