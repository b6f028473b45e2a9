/// Reads payment notices in the format of a ``PaymentMapping``, as strictly as the box's own.
///
///     let decoder = MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)
///     let decoded = try decoder.decode(payload)
public struct MappedNoticeDecoder: Sendable {
    public var mapping: PaymentMapping
    /// The currency of a notice that names none.
    public var defaultCurrency: Currency
    /// Kinds besides payments and refunds; see ``Language/noticeKinds``.
    public var kinds: Set<KindName>

    public init(
        mapping: PaymentMapping, defaultCurrency: Currency, kinds: Set<KindName> = []
    ) {
        self.mapping = mapping
        self.defaultCurrency = defaultCurrency
        self.kinds = kinds
    }

    public func decode(_ payload: [UInt8]) throws(NoticeRejection) -> DecodedNotice {
        let json = try PaymentNoticeDecoder.object(in: payload) { (json) throws(NoticeRejection) in
            // A part after the mistake could have made it another payment's id.
            for path in mapping.id where path.value(in: json) == nil { throw missing(path, in: json) }
            return try id(in: json)
        }
        for condition in mapping.conditions {
            guard condition.field.value(in: json)?.string?.unicodeScalars.contains(JSONValue.replacement) == true else {
                continue
            }
            throw NoticeRejection(
                id: try? id(in: json), field: "\(condition.field)", problem: "holds \(JSONValue.brokenCharacter)")
        }
        for condition in mapping.conditions where condition.otherwise == .ignore {
            if let reason = violation(of: condition, in: json) { return .ignored(reason: reason) }
        }
        let checks = NoticeChecks(id: try id(in: json), kinds: kinds)
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
        var notice = PaymentNotice(
            id: checks.id, money: try money(in: json, currency, checks), kind: try kind(in: json, checks))
        var unread = UnreadFields()
        do throws(NoticeRejection) {
            if let channel = try text(mapping.channel, in: json, checks) {
                notice.channel = try checks.channel(channel.text, field: channel.field)
            }
        } catch { unread.channel = error }
        do throws(NoticeRejection) { notice.paidAt = try paidAt(in: json, checks) } catch { unread.paidAt = error }
        return .notice(notice, unread: unread)
    }

    /// - Returns: why the condition is not met; `nil` when it is.
    private func violation(of condition: PaymentMapping.Condition, in json: JSONValue) -> String? {
        guard let value = condition.field.written(in: json) else {
            return condition.values.contains { $0.isAlike("null") }
                ? nil : "\(condition.field) is missing\(condition.field.hint(in: json))"
        }
        guard !condition.values.contains(where: value.isWritten) else { return nil }
        return "\(condition.field) is \((value.code ?? value.kind).excerpt)"
    }

    private func missing(_ path: FieldPath, in json: JSONValue) -> NoticeRejection {
        NoticeRejection(id: nil, field: "\(path)", problem: path.lack(in: json))
    }

    /// Has its kind before anything is refused: the rejection of a refund must not name its payment.
    private func id(in json: JSONValue) throws(NoticeRejection) -> PaymentID {
        let id = try writtenID(in: json)
        let checks = NoticeChecks(id: id, kinds: kinds)
        return id.of((try? kind(in: json, checks)) ?? .payment)
    }

    /// The first field must exist. Missing later fields are left out, as when only a refund has a number of its own:
    /// `[trade_no, out_request_no]` is `T1` or `T1/R1`.
    private func writtenID(in json: JSONValue) throws(NoticeRejection) -> PaymentID {
        guard mapping.id[0].value(in: json) != nil else { throw missing(mapping.id[0], in: json) }
        var parts: [String] = []
        for path in mapping.id {
            let text: String
            switch path.value(in: json) {
            case nil: text = ""
            case .string(let string)?: text = string
            case .number(let digits)? where digits.utf8.allSatisfy(\.isDigit): text = digits
            case .number(let digits)?:
                throw NoticeRejection(
                    id: nil, field: "\(path)",
                    problem:
                        "expected a string or a whole number, found \(digits.excerpt), which another program may write "
                        + "in other digits")
            case let value?:
                throw NoticeRejection(
                    id: nil, field: "\(path)", problem: "expected a string or a whole number, found \(value.kind)")
            }
            parts.append(text)
        }
        guard parts.count > 1 else { return try PaymentID(parts[0], field: "\(mapping.id[0])") }
        // So that no two payments get one id: A and B/C, A/B and C.
        let escaped = parts.map { $0.replacing("%", with: "%25").replacing("/", with: "%2F") }
        let joined = escaped.reversed().drop { $0.isEmpty }.reversed().joined(separator: "/")
        return try PaymentID(joined, field: mapping.id.map(\.description).joined(separator: ", "))
    }

    private func money(
        in json: JSONValue, _ currency: Currency, _ checks: NoticeChecks
    ) throws(NoticeRejection) -> Money {
        let field = mapping.amount.description
        guard let value = mapping.amount.value(in: json) else {
            throw checks.rejection(field, mapping.amount.lack(in: json))
        }
        switch mapping.unit {
        case .decimal:
            return try checks.money(decimal: try plain(value, field, checks), of: value, currency, field: field)
        case .cents: return try checks.money(minorUnits: value, places: 2, currency, field: field)
        case .minor:
            return try checks.money(minorUnits: value, places: currency.exponent, currency, field: field)
        }
    }

    private func plain(_ value: JSONValue, _ field: String, _ checks: NoticeChecks) throws(NoticeRejection) -> JSONValue
    {
        guard mapping.separators != PaymentMapping.Separators(), let text = value.string else { return value }
        guard let plain = mapping.separators.plain(text) else {
            let example =
                (mapping.separators.thousands.map { "1\($0)234" } ?? "1234") + "\(mapping.separators.decimal)50"
            throw checks.rejection(field, "expected an amount such as \(example), found \(text.excerpt)")
        }
        return .string(plain)
    }

    private func kind(in json: JSONValue, _ checks: NoticeChecks) throws(NoticeRejection) -> PaymentNotice.Kind {
        guard let kind = try text(mapping.kind, in: json, checks) else { return .payment }
        return try checks.kind(kind.text, field: kind.field)
    }

    private func paidAt(in json: JSONValue, _ checks: NoticeChecks) throws(NoticeRejection) -> Timestamp? {
        guard let path = mapping.paidAt, let value = path.value(in: json), value != .string("") else { return nil }
        guard let text = value.digits, let time = mapping.timeFormat.time(text) else {
            throw checks.rejection("\(path)", "expected a time such as \(mapping.timeFormat.example)")
        }
        return time
    }

    private func text(
        _ source: PaymentMapping.Source?, in json: JSONValue, _ checks: NoticeChecks
    ) throws(NoticeRejection) -> (text: String, field: String)? {
        try source?.text(in: json, id: checks.id)
    }
}

extension PaymentMapping.Source {
    /// What a message says there.
    /// - Parameter id: the message's, for the rejection.
    /// - Returns: the text and the field to name in an error; `nil` when the field is missing, or empty without a code
    ///   for that.
    package func text(
        in json: JSONValue, id: PaymentID? = nil
    ) throws(NoticeRejection) -> (text: String, field: String)? {
        switch self {
        case .constant(let text): return (text, "the mapping's constant")
        case .field(let path, let codes):
            guard let value = path.written(in: json) else { return nil }
            // The exact text first: the strings "1" and "01" may have different meanings.
            if let meaning = value.code.flatMap({ codes[$0] }) ?? codes.first(where: { value.isWritten($0.key) })?.value
            {
                return (meaning, "\(path)")
            }
            guard value != .null, value != .string("") else { return nil }
            guard let text = value.code else {
                throw NoticeRejection(
                    id: id, field: "\(path)",
                    problem: "expected a string, a number or a boolean, found \(value.kind)")
            }
            return (text, "\(path)")
        }
    }
}

extension JSONValue {
    /// The text of a scalar: providers write codes as strings, numbers and booleans.
    fileprivate var code: String? {
        if case .bool(let bool) = self { "\(bool)" } else { digits }
    }
}
