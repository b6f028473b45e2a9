/// Reads payment notices from their JSON, believing nothing.
public struct PaymentNoticeDecoder: Sendable {
    /// A larger message is refused unread; a real notice takes a few hundred bytes.
    public static let maximumPayloadBytes = 64 * 1024
    static let maximumChannelBytes = 64

    /// The currency of a notice that names none.
    public var defaultCurrency: Currency

    public init(defaultCurrency: Currency) {
        self.defaultCurrency = defaultCurrency
    }

    /// Unknown fields are ignored, so that a provider can add some without asking; `null` counts as absent.
    public func decode(_ payload: [UInt8]) throws(NoticeRejection) -> PaymentNotice {
        guard payload.count <= Self.maximumPayloadBytes else {
            throw NoticeRejection(
                id: nil, field: "payload",
                problem: "\(payload.count) bytes long, at most \(Self.maximumPayloadBytes) are allowed")
        }
        let json: JSONValue
        do { json = try JSONValue(parsing: payload) } catch {
            throw NoticeRejection(id: nil, field: "payload", problem: error.description)
        }
        guard case .object = json else {
            throw NoticeRejection(id: nil, field: "payload", problem: "expected a JSON object, found \(json.kind)")
        }
        let fields = NoticeFields(id: try id(in: json), json: json)
        let currency = try fields.currency(default: defaultCurrency)
        return PaymentNotice(
            id: fields.id, money: Money(try fields.amount(in: currency), currency), kind: try fields.noticeKind(),
            channel: try fields.channel(), paidAt: try fields.paidAt())
    }

    private func id(in json: JSONValue) throws(NoticeRejection) -> PaymentID {
        guard let value = json["id"], value != .null else {
            throw NoticeRejection(id: nil, field: "id", problem: "this field is missing")
        }
        guard let text = value.string else {
            throw NoticeRejection(id: nil, field: "id", problem: "expected a string, found \(value.kind)")
        }
        do { return try PaymentID(text) } catch {
            throw NoticeRejection(id: nil, field: "id", problem: error.description)
        }
    }
}

/// The fields of one notice whose id is known, so that every complaint can carry it.
private struct NoticeFields {
    let id: PaymentID
    let json: JSONValue

    func currency(default defaultCurrency: Currency) throws(NoticeRejection) -> Currency {
        guard let code = try string("currency") else { return defaultCurrency }
        guard let currency = Currency(code) else {
            throw rejection("currency", "\(code.excerpt) is no currency of ISO 4217; expected a code such as CNY")
        }
        return currency
    }

    func amount(in currency: Currency) throws(NoticeRejection) -> DecimalNumber {
        switch (present("amount"), present("amount_minor")) {
        case (nil, nil): throw rejection("amount", "this field is missing")
        case (.some, .some): throw rejection("amount", "expected either amount or amount_minor, found both")
        case (let value?, nil):
            return try nonZero("amount") { () throws(NoticeRejection) in try decimal(value, field: "amount") }
        case (nil, let value?):
            return try nonZero("amount_minor") { () throws(NoticeRejection) in try minorUnits(value, of: currency) }
        }
    }

    func noticeKind() throws(NoticeRejection) -> PaymentNotice.Kind {
        guard let text = try string("kind") else { return .payment }
        guard let kind = PaymentNotice.Kind(rawValue: text) else {
            throw rejection("kind", "expected payment or refund")
        }
        return kind
    }

    func channel() throws(NoticeRejection) -> String? {
        guard let channel = try string("channel"), !channel.isEmpty else { return nil }
        guard channel.utf8.count <= PaymentNoticeDecoder.maximumChannelBytes else {
            throw rejection("channel", "longer than \(PaymentNoticeDecoder.maximumChannelBytes) bytes")
        }
        guard channel.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw rejection("channel", "must not contain control characters")
        }
        return channel
    }

    func paidAt() throws(NoticeRejection) -> Timestamp? {
        guard let text = try string("paid_at") else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw rejection("paid_at", "expected a time such as 2026-11-21T10:15:00+08:00 (RFC 3339)")
        }
        return time
    }

    private func decimal(_ value: JSONValue, field: String) throws(NoticeRejection) -> DecimalNumber {
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

    private func minorUnits(_ value: JSONValue, of currency: Currency) throws(NoticeRejection) -> DecimalNumber {
        let units = try decimal(value, field: "amount_minor")
        guard case .number = value, units.decimals.isEmpty else {
            throw rejection("amount_minor", "expected a whole number of the currency's minor unit")
        }
        do { return try DecimalNumber(minorUnits: units.whole, exponent: currency.exponent) } catch {
            throw rejection("amount_minor", error.description)
        }
    }

    private func nonZero(
        _ field: String, _ read: () throws(NoticeRejection) -> DecimalNumber
    ) throws(NoticeRejection) -> DecimalNumber {
        let amount = try read()
        guard !amount.isZero else { throw rejection(field, "must be greater than zero") }
        return amount
    }

    private func string(_ name: String) throws(NoticeRejection) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.string else { throw rejection(name, "expected a string, found \(value.kind)") }
        return text
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = json[name], value != .null else { return nil }
        return value
    }

    private func rejection(_ field: String, _ problem: String) -> NoticeRejection {
        NoticeRejection(id: id, field: field, problem: problem)
    }
}
