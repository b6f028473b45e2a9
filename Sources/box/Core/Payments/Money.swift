/// An exact amount of one currency, never negative.
public struct Money: Sendable, Hashable, CustomStringConvertible {
    public let amount: DecimalNumber
    public let currency: Currency

    public init(_ amount: DecimalNumber, _ currency: Currency) {
        self.amount = amount
        self.currency = currency
    }

    /// Reads plain decimal digits: `Money("123.45", .CNY)`.
    public init(_ text: some StringProtocol, _ currency: Currency) throws(DecimalError) {
        self.init(try DecimalNumber(text), currency)
    }

    public var description: String { "\(amount) \(currency)" }
}

/// A currency of ISO 4217, by its alphabetic code.
public struct Currency: Sendable, Hashable, CustomStringConvertible {
    /// Three capital letters: `CNY`.
    public let code: String
    /// Decimal places of the minor unit: 2 for CNY, 0 for JPY, 3 for KWD.
    public let exponent: Int

    /// `nil` when ISO 4217 lists no such currency. Upper case only, as in the standard.
    public init?(_ code: String) {
        // Three bytes: Unicode considers the kelvin sign equal to K, ISO 4217 does not.
        guard code.utf8.count == 3, let exponent = Self.exponents[code] else { return nil }
        self.code = code
        self.exponent = exponent
    }

    /// As ``init(_:)``, but also in lower case: `cny`.
    static func inAnyCase(_ code: String) -> Currency? {
        code.utf8.allSatisfy { $0 < 0x80 } ? Currency(code.uppercased()) : nil
    }

    private init(code: String, exponent: Int) {
        self.code = code
        self.exponent = exponent
    }

    public static let CNY = Currency(code: "CNY", exponent: 2)

    public var description: String { code }

    /// Every currency that has a minor unit.
    package static var all: [Currency] { exponents.map { Currency(code: $0.key, exponent: $0.value) } }

    /// ISO 4217 list one (active codes with a minor unit), as of 2026-01-01, by exponent.
    private static let exponents: [String: Int] = {
        let codes = [
            0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
            2: """
            AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE \
            CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD \
            HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP \
            MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD \
            SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS \
            VED VES WST XCD XCG YER ZAR ZMW ZWG
            """,
            3: "BHD IQD JOD KWD LYD OMR TND",
            4: "CLF UYW",
        ]
        var exponents: [String: Int] = [:]
        for (exponent, list) in codes {
            for code in list.split(separator: " ") { exponents[String(code)] = exponent }
        }
        return exponents
    }()
}
