/// Turns single values of a notice into what they mean, for every format; knows the id, so that every complaint carries
/// it.
struct NoticeChecks {
    let id: PaymentID
    let excessDecimals: ExcessDecimals

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
        guard let kind = PaymentNotice.Kind(rawValue: text) else {
            throw rejection(field, "expected payment or refund")
        }
        return kind
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
            switch value {
            case .string(let text): return try DecimalNumber(text)
            case .number(let digits): return try DecimalNumber(jsonNumber: digits)
            default: break
            }
        } catch {
            throw rejection(field, error.description)
        }
        throw rejection(field, "expected a decimal string or a number, found \(value.kind)")
    }

    /// A whole number of a unit with `exponent` decimal places, as an amount above zero.
    func minorUnits(_ value: JSONValue, exponent: Int, field: String) throws(NoticeRejection) -> DecimalNumber {
        let units = try decimal(value, field: field)
        guard units.decimals.isEmpty else { throw wholeNumberExpected(field) }
        do { return try nonZero(try DecimalNumber(minorUnits: units.whole, exponent: exponent), field: field) } catch {
            throw error as? NoticeRejection ?? rejection(field, "\(error)")
        }
    }

    func wholeNumberExpected(_ field: String) -> NoticeRejection {
        rejection(field, "expected a whole number of the currency's minor unit")
    }

    /// An amount of a currency, by what is to be done about decimals that the currency does not have.
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
