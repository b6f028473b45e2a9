/// Converts single values of a notice, for every format. It has the id, so that every rejection contains it.
package struct NoticeChecks {
    let id: PaymentID
    let kinds: Set<KindName>

    package init(id: PaymentID, kinds: Set<KindName>) {
        self.id = id
        self.kinds = kinds
    }

    func rejection(_ field: String, _ problem: String) -> NoticeRejection {
        NoticeRejection(id: id, field: field, problem: problem)
    }

    func currency(_ code: String, field: String) throws(NoticeRejection) -> Currency {
        guard let currency = Currency.inAnyCase(code) else {
            throw rejection(field, "\(code.excerpt) is no currency of ISO 4217; expected a code such as CNY")
        }
        return currency
    }

    package func kind(_ text: String, field: String) throws(NoticeRejection) -> PaymentNotice.Kind {
        switch PaymentNotice.Kind(rawValue: text) {
        case .payment: return .payment
        case .refund: return .refund
        case .other(let name) where kinds.contains(name): return .other(name)
        case .other, nil: throw rejection(field, "expected \(namesOfKinds)")
        }
    }

    private var namesOfKinds: String {
        let names = ["payment", "refund"] + kinds.map(\.text).sorted()
        return names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
    }

    /// `nil` for an empty channel.
    func channel(_ channel: String, field: String) throws(NoticeRejection) -> String? {
        guard !channel.isEmpty else { return nil }
        guard channel.utf8.count <= PaymentNoticeDecoder.maximumChannelBytes else {
            throw rejection(field, "longer than \(PaymentNoticeDecoder.maximumChannelBytes) bytes")
        }
        guard channel.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw rejection(field, "must not contain control characters")
        }
        return channel
    }

    /// A decimal string or a JSON number, exactly, as an amount above zero of a currency.
    /// - Parameter original: the value as it came, for errors.
    func money(
        decimal value: JSONValue, of original: JSONValue, _ currency: Currency, field: String
    ) throws(NoticeRejection) -> Money {
        let amount: DecimalNumber?
        do throws(DecimalError) { amount = try number(value, places: 0) } catch {
            throw rejection(field, error.description)
        }
        guard let amount, let written = value.digits else {
            throw rejection(field, "expected a decimal string or a number, found \(value.kind)")
        }
        let money = try money(amount, currency, field: field)
        // 10.000 is ten thousand where a dot groups thousands, and ten elsewhere. Which one is meant is unknown.
        guard currency.exponent >= 3 || Self.decimals(of: written) != 3 else {
            throw rejection(
                field,
                "\((original.digits ?? written).excerpt) has three decimals, and \(currency) has \(allowed(currency)): do "
                    + "they belong to the thousands? Expected plain digits such as 10000")
        }
        return money
    }

    /// How many decimals are written, zeros included. An exponent moves the point.
    /// - Parameter number: one that ``DecimalNumber`` reads as more than zero, so its exponent is small.
    private static func decimals(of number: String) -> Int {
        let parts = number.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        let pieces = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let exponent = parts.count == 2 ? Int(Substring(parts[1])) ?? 0 : 0
        return (pieces.count == 2 ? pieces[1].count : 0) - exponent
    }

    /// A whole number of a unit with `places` decimal places, as an amount above zero of a currency. The limit is that
    /// of every amount, 10¹⁵ of the currency's main unit.
    func money(
        minorUnits value: JSONValue, places: Int, _ currency: Currency, field: String
    ) throws(NoticeRejection) -> Money {
        // A sender who writes 88.00 means the main unit.
        guard let written = value.digits, !written.utf8.contains(UInt8(ascii: ".")) else {
            throw wholeNumberExpected(field, found: value)
        }
        let amount: DecimalNumber?
        do throws(DecimalError) { amount = try number(value, places: places) } catch {
            switch error {
            case .tooLarge:
                let limit = "\(DecimalNumber.maximumWhole)"
                throw rejection(
                    field, "larger than \(limit)\(String(repeating: "0", count: places)), an amount of \(limit)")
            case .tooManyDecimals, .notANumber: throw wholeNumberExpected(field, found: value)
            case .negative: throw rejection(field, error.description)
            }
        }
        guard let amount, amount.decimals.count <= places else { throw wholeNumberExpected(field, found: value) }
        return try money(amount, currency, field: field)
    }

    /// `nil` for anything but a string or a number.
    private func number(_ value: JSONValue, places: Int) throws(DecimalError) -> DecimalNumber? {
        switch value {
        case .string(let text): try DecimalNumber(text, places: places)
        case .number(let digits): try DecimalNumber(jsonNumber: digits, places: places)
        default: nil
        }
    }

    func wholeNumberExpected(_ field: String, found value: JSONValue) -> NoticeRejection {
        rejection(field, "expected a whole number without a point, found \(value.digits?.excerpt ?? value.kind)")
    }

    /// Decimals that the currency does not have, as in 12.3456 CNY, are spoken digit by digit: nothing is ever rounded.
    private func money(_ amount: DecimalNumber, _ currency: Currency, field: String) throws(NoticeRejection) -> Money {
        guard !amount.isZero else { throw rejection(field, "must be greater than zero") }
        return Money(amount, currency)
    }

    private func allowed(_ currency: Currency) -> String {
        currency.exponent == 0 ? "none" : "at most \(currency.exponent)"
    }
}

extension JSONValue {
    /// The text of a string or a number.
    var digits: String? {
        switch self {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}

extension PaymentID {
    /// - Throws: naming the field of the notice.
    init(_ text: String, field: String) throws(NoticeRejection) {
        // Two ids that were broken at the same place would look alike, and the second payment would not be spoken.
        guard !text.unicodeScalars.contains(JSONValue.replacement) else {
            throw NoticeRejection(id: nil, field: field, problem: "holds \(JSONValue.brokenCharacter)")
        }
        do { try self.init(text) } catch {
            throw NoticeRejection(id: nil, field: field, problem: error.description)
        }
    }
}

extension JSONValue {
    static let brokenCharacter = "half of a character, or U+FFFD in its place: it was cut or read in another encoding"
}
