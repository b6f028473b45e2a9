/// Reads payment notices from untrusted JSON.
///
///     let decoder = PaymentNoticeDecoder(defaultCurrency: .CNY)
///     let decoded = try decoder.decode(Array(#"{"id": "T1", "amount": "12.50"}"#.utf8))
///
/// Pure; any thread.
public struct PaymentNoticeDecoder: Sendable {
    /// A larger message is refused unread. A real notice has a few hundred bytes.
    public static let maximumPayloadBytes = 64 * 1024
    static let maximumChannelBytes = 64

    /// The currency of a notice that names none.
    public var defaultCurrency: Currency
    /// Kinds besides payments and refunds; see ``Language/noticeKinds``.
    public var kinds: Set<KindName>

    public init(defaultCurrency: Currency, kinds: Set<KindName> = []) {
        self.defaultCurrency = defaultCurrency
        self.kinds = kinds
    }

    /// Unknown fields are ignored, so that a provider can add some. `null` and an empty text count as absent.
    public func decode(_ payload: [UInt8]) throws(NoticeRejection) -> DecodedNotice {
        let json = try Self.object(in: payload) { (json) throws(NoticeRejection) in try id(in: json) }
        let fields = NativeFields(
            checks: NoticeChecks(id: try id(in: json), kinds: kinds), json: json)
        let currency = try fields.currency(default: defaultCurrency)
        var notice = PaymentNotice(
            id: fields.checks.id, money: try fields.money(in: currency), kind: try fields.noticeKind(),
            text: fields.text())
        var unread = UnreadFields()
        do throws(NoticeRejection) { notice.channel = try fields.channel() } catch { unread.others.append(error) }
        do throws(NoticeRejection) { notice.paidAt = try fields.paidAt() } catch { unread.paidAt = error }
        return .notice(notice, unread: unread)
    }

    /// The JSON object of a notice in any format.
    /// - Parameter id: finds the id in the part before a mistake, so that the receipt can name it.
    static func object(
        in payload: [UInt8], id: (JSONValue) throws(NoticeRejection) -> PaymentID
    ) throws(NoticeRejection) -> JSONValue {
        guard payload.count <= maximumPayloadBytes else {
            throw .oversized(bytes: payload.count)
        }
        let json: JSONValue
        do { json = try JSONValue(parsing: payload, toleratesBrokenText: true) } catch {
            throw NoticeRejection(
                id: try? id(JSONValue(beginningOf: payload)), field: "payload", problem: error.description)
        }
        guard case .object = json else {
            throw NoticeRejection(id: nil, field: "payload", problem: "expected a JSON object, found \(json.kind)")
        }
        return json
    }

    private func id(in json: JSONValue) throws(NoticeRejection) -> PaymentID {
        guard let value = json["id"], value != .null else {
            throw NoticeRejection(id: nil, field: "id", problem: "this field is missing")
        }
        guard let text = value.string else {
            throw NoticeRejection(id: nil, field: "id", problem: "expected a string, found \(value.kind)")
        }
        // Before anything is refused: the rejection of a refund must not name its payment.
        return try PaymentID(text, field: "id").of(json["kind"]?.string.flatMap(PaymentNotice.Kind.init) ?? .payment)
    }
}

/// The fields of one notice in the box's own format.
private struct NativeFields {
    let checks: NoticeChecks
    let json: JSONValue

    func currency(default defaultCurrency: Currency) throws(NoticeRejection) -> Currency {
        guard let code = try string("currency") else { return defaultCurrency }
        return try checks.currency(code, field: "currency")
    }

    func money(in currency: Currency) throws(NoticeRejection) -> Money {
        switch (present("amount"), present("amount_minor")) {
        case (nil, nil):
            throw checks.rejection("amount", "this field is \(json["amount"] == .string("") ? "empty" : "missing")")
        case (.some, .some): throw checks.rejection("amount", "expected either amount or amount_minor, found both")
        case (let value?, nil): return try checks.money(decimal: value, of: value, currency, field: "amount")
        case (nil, let value?):
            guard case .number = value else {
                throw checks.rejection("amount_minor", "expected a number without quotes, found \(value.kind)")
            }
            return try checks.money(
                minorUnits: value, places: currency.exponent, currency, field: "amount_minor")
        }
    }

    func noticeKind() throws(NoticeRejection) -> PaymentNotice.Kind {
        guard let text = try string("kind") else { return .payment }
        return try checks.kind(text, field: "kind")
    }

    func channel() throws(NoticeRejection) -> String? {
        guard let channel = try string("channel") else { return nil }
        return try checks.channel(channel, field: "channel")
    }

    func paidAt() throws(NoticeRejection) -> Timestamp? {
        guard let text = try string("paid_at") else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw checks.rejection("paid_at", Timestamp.expected(text))
        }
        return time
    }

    /// Text must never cost the payment. A value that is no string becomes an empty text, which is not spoken.
    func text() -> String? { present("text").map { $0.string ?? "" } }

    private func string(_ name: String) throws(NoticeRejection) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.string else { throw checks.rejection(name, "expected a string, found \(value.kind)") }
        return text
    }

    /// `nil` for `null` and for an empty text, which many programs write for "none".
    private func present(_ name: String) -> JSONValue? {
        guard let value = json[name], value != .null, value != .string("") else { return nil }
        return value
    }
}
