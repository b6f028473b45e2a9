/// Reads payment notices in the format that a ``PaymentMapping`` describes, as strictly as the box's own.
public struct MappedNoticeDecoder: Sendable {
    public var mapping: PaymentMapping
    /// The currency of a notice that names none.
    public var defaultCurrency: Currency
    public var excessDecimals: ExcessDecimals
    /// Beside payments and refunds; see ``Language/noticeKinds``.
    public var kinds: Set<KindName>

    public init(
        mapping: PaymentMapping, defaultCurrency: Currency, excessDecimals: ExcessDecimals = .speak,
        kinds: Set<KindName> = []
    ) {
        self.mapping = mapping
        self.defaultCurrency = defaultCurrency
        self.excessDecimals = excessDecimals
        self.kinds = kinds
    }

    public func decode(_ payload: [UInt8]) throws(NoticeRejection) -> DecodedNotice {
        let json = try PaymentNoticeDecoder.object(in: payload)
        for condition in mapping.conditions where condition.otherwise == .ignore {
            if let reason = violation(of: condition, in: json) { return .ignored(reason: reason) }
        }
        let checks = NoticeChecks(id: try id(in: json), excessDecimals: excessDecimals, kinds: kinds)
        for condition in mapping.conditions where condition.otherwise == .reject {
            guard violation(of: condition, in: json) == nil else {
                let values = condition.values.joined(separator: " or ")
                throw checks.rejection("\(condition.field)", "expected \(values)")
            }
        }
        var currency = defaultCurrency
        if let code = try text(mapping.currency, in: json, checks) {
            currency = try checks.currency(code.text, field: code.field)
        }
        let money = try checks.money(
            try amount(in: json, currency, checks), currency, field: mapping.amount.description)
        let kind = try text(mapping.kind, in: json, checks)
        let channel = try text(mapping.channel, in: json, checks)
        return .notice(
            PaymentNotice(
                id: checks.id, money: money,
                kind: try kind.map { (kind) throws(NoticeRejection) in try checks.kind(kind.text, field: kind.field) }
                    ?? .payment,
                channel: try channel.map { (channel) throws(NoticeRejection) in
                    try checks.channel(channel.text, field: channel.field)
                } ?? nil,
                paidAt: try paidAt(in: json, checks)))
    }

    /// - Returns: why the condition is not met; `nil` when it is.
    private func violation(of condition: PaymentMapping.Condition, in json: JSONValue) -> String? {
        guard let value = condition.field.value(in: json) else { return "\(condition.field) is missing" }
        guard let text = value.plainText, condition.values.contains(text) else {
            return "\(condition.field) is \((value.plainText ?? value.kind).excerpt)"
        }
        return nil
    }

    private func id(in json: JSONValue) throws(NoticeRejection) -> PaymentID {
        let field = mapping.id.description
        guard let value = mapping.id.value(in: json) else {
            throw NoticeRejection(id: nil, field: field, problem: "this field is missing")
        }
        guard let text = value.plainText else {
            throw NoticeRejection(
                id: nil, field: field, problem: "expected a string or a whole number, found \(value.kind)")
        }
        do { return try PaymentID(text) } catch {
            throw NoticeRejection(id: nil, field: field, problem: error.description)
        }
    }

    private func amount(
        in json: JSONValue, _ currency: Currency, _ checks: NoticeChecks
    ) throws(NoticeRejection) -> DecimalNumber {
        let field = mapping.amount.description
        guard let value = mapping.amount.value(in: json) else {
            throw checks.rejection(field, "this field is missing")
        }
        switch mapping.unit {
        case .decimal: return try checks.nonZero(try checks.decimal(value, field: field), field: field)
        case .cents: return try checks.minorUnits(value, exponent: 2, field: field)
        case .minor: return try checks.minorUnits(value, exponent: currency.exponent, field: field)
        }
    }

    private func paidAt(in json: JSONValue, _ checks: NoticeChecks) throws(NoticeRejection) -> Timestamp? {
        guard let path = mapping.paidAt, let value = path.value(in: json) else { return nil }
        guard let text = value.plainText, let time = mapping.timeFormat.time(text) else {
            throw checks.rejection("\(path)", "expected a time such as \(mapping.timeFormat.example)")
        }
        return time
    }

    /// - Returns: the text and the field to name in a complaint; `nil` when the field is missing.
    private func text(
        _ source: PaymentMapping.Source?, in json: JSONValue, _ checks: NoticeChecks
    ) throws(NoticeRejection) -> (text: String, field: String)? {
        switch source {
        case nil: return nil
        case .constant(let text): return (text, "the mapping's constant")
        case .field(let path, let codes):
            guard let value = path.value(in: json) else { return nil }
            guard let text = value.plainText else {
                throw checks.rejection("\(path)", "expected a string or a whole number, found \(value.kind)")
            }
            return (codes[text] ?? text, "\(path)")
        }
    }
}

extension JSONValue {
    /// A string, or the digits of a whole number: providers write codes and ids either way.
    fileprivate var plainText: String? {
        switch self {
        case .string(let text): text
        case .number(let digits): digits.utf8.allSatisfy(\.isDigit) ? digits : nil
        default: nil
        }
    }
}
