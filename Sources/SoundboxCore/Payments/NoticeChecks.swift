/// Turns single values of a notice into what they mean, for every format. It knows the id, so that every rejection
/// carries it.
struct NoticeChecks {
    let id: PaymentID
    let excessDecimals: ExcessDecimals
    let kinds: Set<KindName>

    func rejection(_ field: String, _ problem: String) -> NoticeRejection {
        NoticeRejection(id: id, field: field, problem: problem)
    }

    func currency(_ code: String, field: String) throws(NoticeRejection) -> Currency {
        guard let currency = Currency(code) else {
            throw rejection(field, "\(code.excerpt) is no currency of ISO 4217; expected a code such as CNY")
        }
        return currency
    }

    func kind(_ text: String, field: String) throws(NoticeRejection) -> PaymentNotice.Kind {
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

    /// `nil` for an empty one.
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

    /// A decimal string or a JSON number, exactly.
    func decimal(_ value: JSONValue, field: String) throws(NoticeRejection) -> DecimalNumber {
        do throws(DecimalError) {
            if let number = try number(value, places: 0) { return number }
        } catch {
            throw rejection(field, error.description)
        }
        throw rejection(field, "expected a decimal string or a number, found \(value.kind)")
    }

    /// A whole number of a unit with `exponent` decimal places, as an amount above zero. The limit is the same as
    /// for every amount, 10¹⁵ of the currency's main unit.
    func minorUnits(_ value: JSONValue, exponent: Int, field: String) throws(NoticeRejection) -> DecimalNumber {
        let amount: DecimalNumber?
        do throws(DecimalError) { amount = try number(value, places: exponent) } catch {
            switch error {
            case .tooLarge:
                let limit = "\(DecimalNumber.maximumWhole)"
                throw rejection(
                    field, "larger than \(limit)\(String(repeating: "0", count: exponent)), an amount of \(limit)")
            case .tooManyDecimals: throw wholeNumberExpected(field)
            case .notANumber, .negative: throw rejection(field, error.description)
            }
        }
        guard let amount, amount.decimals.count <= exponent else { throw wholeNumberExpected(field) }
        return try nonZero(amount, field: field)
    }

    /// `nil` for anything but a string or a number.
    private func number(_ value: JSONValue, places: Int) throws(DecimalError) -> DecimalNumber? {
        switch value {
        case .string(let text): try DecimalNumber(text, places: places)
        case .number(let digits): try DecimalNumber(jsonNumber: digits, places: places)
        default: nil
        }
    }

    func wholeNumberExpected(_ field: String) -> NoticeRejection {
        rejection(field, "expected a whole number of the currency's minor unit")
    }

    /// An amount of a currency. ``ExcessDecimals`` decides about decimals that the currency does not have.
    func money(_ amount: DecimalNumber, _ currency: Currency, field: String) throws(NoticeRejection) -> Money {
        guard excessDecimals == .speak || amount.decimals.count <= currency.exponent else {
            let decimals = currency.exponent == 0 ? "none" : "at most \(currency.exponent)"
            throw rejection(field, "\(amount) has too many decimals; \(currency) has \(decimals)")
        }
        return Money(amount, currency)
    }

    func nonZero(_ amount: DecimalNumber, field: String) throws(NoticeRejection) -> DecimalNumber {
        guard !amount.isZero else { throw rejection(field, "must be greater than zero") }
        return amount
    }
}
