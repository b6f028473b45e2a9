import SoundboxCore
import Testing

@Suite("Currencies and money")
struct CurrencyTests {
    @Test(
        "The minor unit's exponent is ISO 4217's",
        arguments: [
            ("CNY", 2), ("HKD", 2), ("MOP", 2), ("TWD", 2), ("USD", 2), ("EUR", 2), ("INR", 2), ("THB", 2), ("IDR", 2),
            ("JPY", 0), ("KRW", 0), ("VND", 0), ("CLP", 0), ("ISK", 0), ("KWD", 3), ("BHD", 3), ("JOD", 3), ("TND", 3),
            ("CLF", 4), ("UYW", 4),
        ])
    func exponents(code: String, exponent: Int) throws {
        let currency = try #require(Currency(code))
        #expect(currency.exponent == exponent)
        #expect(currency.description == code)
    }

    @Test(
        "What ISO 4217 does not list as money is no currency",
        arguments: [
            "", "RMB", "cny", "Cny", "CN", "CNYY", " CNY", "CNY ", "元", "XXX", "XAU", "HRK", "BTC", "\u{212A}RW",
        ])
    func unknown(code: String) {
        #expect(Currency(code) == nil)
    }

    @Test("The constant for CNY is the listed one")
    func constant() {
        #expect(Currency("CNY") == .CNY)
    }

    @Test("Money is equal when amount and currency are, however the amount was spelled")
    func money() throws {
        let dollar = try #require(Currency("USD"))
        #expect(try Money("12.50", .CNY) == Money("12.5", .CNY))
        #expect(try Money("12.50", .CNY) != Money("12.50", dollar))
        #expect(try Money("12.50", .CNY).description == "12.5 CNY")
        #expect(throws: DecimalError.negative) { try Money("-1", .CNY) }
    }
}
