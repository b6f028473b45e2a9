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

    /// The only notice of a message.
    public func decode(_ payload: [UInt8]) throws(NoticeRejection) -> DecodedNotice {
        let first = try decodeAll(payload)[0]
        if case .refused(let rejection) = first { throw rejection }
        return first
    }

    /// Every notice of a message, in their order: at least one.
    ///
    /// - Throws: why nothing of the message can be read.
    public func decodeAll(_ payload: [UInt8]) throws(NoticeRejection) -> [DecodedNotice] {
        let json = try PaymentNoticeDecoder.object(in: payload) { (json) throws(NoticeRejection) in
            // A part after the mistake could have made it another payment's id.
            guard mapping.each == nil else { throw missing(mapping.id[0], in: json) }
            for path in mapping.id where path.value(in: json) == nil { throw missing(path, in: json) }
            return try id(in: json)
        }
        guard let list = mapping.each else { return [try decode(json)] }
        // What says of the whole message that it has no payments.
        let conditions = mapping.conditions.filter(\.field.isFromTop).map { condition in
            var condition = condition
            condition.field = condition.field.inElement(0, of: list)
            return condition
        }
        try refuseBrokenText(of: conditions, in: json)
        try refuseAmbiguity(of: conditions.map(\.field) + [list], in: json)
        if let verdict = try verdict(of: conditions, in: json, id: nil) { return [verdict] }
        guard let value = list.value(in: json) else { throw missing(list, in: json) }
        guard let elements = value.elements else {
            throw NoticeRejection(id: nil, field: "\(list)", problem: "expected a list, found \(value.kind)")
        }
        guard !elements.isEmpty else { return [.ignored(reason: "\(list) is an empty list")] }
        guard elements.count <= Self.mostNotices else {
            throw NoticeRejection(
                id: nil, field: "\(list)",
                problem: "has \(elements.count) elements, and one message may have \(Self.mostNotices)")
        }
        return elements.indices.map { index in
            let decoder = MappedNoticeDecoder(
                mapping: mapping.inElement(index), defaultCurrency: defaultCurrency, kinds: kinds)
            do throws(NoticeRejection) { return try decoder.decode(json) } catch { return .refused(error) }
        }
    }

    /// The most elements of ``PaymentMapping/each``.
    public static let mostNotices = 256

    private func decode(_ json: JSONValue) throws(NoticeRejection) -> DecodedNotice {
        try refuseBrokenText(of: mapping.conditions, in: json)
        // A condition that takes one of several elements would silence the others.
        let unique = mapping.conditions.filter { $0.field.ambiguity(in: json) == nil }
        if let verdict = try verdict(of: unique, in: json, id: try? id(in: json)) { return verdict }
        try refuseAmbiguity(of: mapping.fields, in: json)
        if mapping.negative == .ignore, isNegative(in: json) {
            return .ignored(reason: "\(mapping.amount) is negative")
        }
        let checks = NoticeChecks(id: try id(in: json), kinds: kinds)
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
        } catch { unread.others.append(error) }
        do throws(NoticeRejection) { notice.paidAt = try paidAt(in: json, checks) } catch { unread.paidAt = error }
        return .notice(notice, unread: unread)
    }

    /// Half a character is another value than the one that was sent: nothing may be ignored because of it.
    private func refuseBrokenText(
        of conditions: [PaymentMapping.Condition], in json: JSONValue
    ) throws(NoticeRejection) {
        for condition in conditions
        where condition.field.value(in: json)?.string?.unicodeScalars.contains(JSONValue.replacement) == true {
            throw NoticeRejection(
                id: try? id(in: json), field: "\(condition.field)", problem: "holds \(JSONValue.brokenCharacter)")
        }
    }

    private func refuseAmbiguity(of paths: [FieldPath], in json: JSONValue) throws(NoticeRejection) {
        for path in paths {
            guard let problem = path.ambiguity(in: json) else { continue }
            throw NoticeRejection(id: nil, field: "\(path)", problem: problem)
        }
    }

    /// - Returns: why the message, or the element, is ignored; `nil` if it is not.
    private func verdict(
        of conditions: [PaymentMapping.Condition], in json: JSONValue, id: PaymentID?
    ) throws(NoticeRejection) -> DecodedNotice? {
        var refusal: NoticeRejection?
        for condition in conditions {
            let violation: PaymentMapping.Condition.Violation?
            do throws(NoticeRejection) {
                violation = try condition.violation(
                    in: json, condition.field == mapping.amount ? mapping.separators : nil)
            } catch {
                refusal = refusal ?? NoticeRejection(id: id, field: error.field, problem: error.problem)
                continue
            }
            guard let violation else { continue }
            if (violation.isAbsence ? condition.absent : condition.otherwise) == .ignore {
                return violation.isAbsence
                    ? .ignoredByAbsence(reason: violation.reason) : .ignored(reason: violation.reason)
            }
            let expected = condition.tests.map(\.words).joined(separator: ", and ")
            let problem =
                violation.isAbsence
                ? "\(condition.field.lack(in: json)); expected \(expected)"
                : "expected \(expected), found \(condition.found(in: json))"
            refusal = refusal ?? NoticeRejection(id: id, field: "\(condition.field)", problem: problem)
        }
        if let refusal {
            // A message whose id cannot be read is refused for that first.
            if id == nil, mapping.each == nil { _ = try self.id(in: json) }
            throw refusal
        }
        return nil
    }

    private func isNegative(in json: JSONValue) -> Bool {
        guard let text = mapping.amount.value(in: json)?.digits else { return false }
        return Self.magnitude(text) != nil
    }

    /// The text without a minus sign in front; `nil` if it has none.
    private static func magnitude(_ text: String) -> String? {
        guard let first = text.first, ["-", "\u{2212}"].contains(first) else { return nil }
        return String(text.dropFirst())
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
        guard let first = mapping.id[0].value(in: json) else { throw missing(mapping.id[0], in: json) }
        if mapping.id.count > 1, first == .string("") {
            throw NoticeRejection(id: nil, field: "\(mapping.id[0])", problem: "this field is empty")
        }
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
        // An empty id stays none.
        guard parts.count > 1 else {
            return try PaymentID(parts[0].isEmpty ? "" : mapping.idPrefix + parts[0], field: "\(mapping.id[0])")
        }
        // So that no two payments get one id: A and B/C, A/B and C.
        let escaped = parts.map { $0.replacing("%", with: "%25").replacing("/", with: "%2F") }
        let joined = escaped.reversed().drop { $0.isEmpty }.reversed().joined(separator: "/")
        return try PaymentID(mapping.idPrefix + joined, field: mapping.id.map(\.description).joined(separator: ", "))
    }

    private func money(
        in json: JSONValue, _ currency: Currency, _ checks: NoticeChecks
    ) throws(NoticeRejection) -> Money {
        let field = mapping.amount.description
        guard var value = mapping.amount.value(in: json) else {
            throw checks.rejection(field, mapping.amount.lack(in: json))
        }
        if mapping.negative == .refund {
            switch value {
            case .string(let text): value = Self.magnitude(text).map(JSONValue.string) ?? value
            case .number(let text): value = Self.magnitude(text).map(JSONValue.number) ?? value
            default: break
            }
        }
        switch mapping.unit {
        case .decimal:
            return try checks.money(decimal: try plain(value, field, checks), of: value, currency, field: field)
        case .cents: return try checks.money(minorUnits: value, places: 2, currency, field: field)
        case .minor:
            let places = mapping.decimals[currency] ?? currency.exponent
            return try checks.money(minorUnits: value, places: places, currency, field: field)
        }
    }

    private func plain(_ value: JSONValue, _ field: String, _ checks: NoticeChecks) throws(NoticeRejection) -> JSONValue
    {
        guard mapping.separators != PaymentMapping.Separators() else { return value }
        guard let text = value.string else {
            // Which of the two was meant? Signed fields do not say whether a value was a text.
            if mapping.separators.thousands == ".", let digits = value.digits, digits.contains("."),
                let text = mapping.separators.plain(digits)
            {
                throw checks.rejection(
                    field, "\(digits) is \(digits) as a number, and \(text) as a text; expected a text")
            }
            return value
        }
        guard let plain = mapping.separators.plain(text) else {
            let example =
                (mapping.separators.thousands.map { "1\($0)234" } ?? "1234") + "\(mapping.separators.decimal)50"
            throw checks.rejection(field, "expected an amount such as \(example), found \(text.excerpt)")
        }
        return .string(plain)
    }

    private func kind(in json: JSONValue, _ checks: NoticeChecks) throws(NoticeRejection) -> PaymentNotice.Kind {
        if mapping.negative == .refund, isNegative(in: json) { return .refund }
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
    /// - Returns: the text and the field to name in an error; `nil` when the field is missing.
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

extension PaymentMapping.Condition {
    fileprivate func found(in json: JSONValue) -> String {
        guard let value = field.written(in: json) else { return "nothing" }
        return (value.code ?? value.kind).excerpt
    }
}

extension JSONValue {
    /// The text of a scalar: providers write codes as strings, numbers and booleans.
    package var code: String? {
        if case .bool(let bool) = self { "\(bool)" } else { digits }
    }
}
