import SoundboxCore

extension PaymentMapping {
    /// Reads and checks the keys of a mapping. The caller reads the document's other keys, and refuses what is left.
    package init(reading top: YAMLMapping) throws(YAMLError) {
        // A text for people.
        _ = top.optional("description")
        let amount = try top.required("amount").mapping()
        self.init(
            id: try top.required("id").fieldPaths(), amount: try amount.required("field").fieldPath(),
            unit: try amount.required("unit").choice(of: Unit.self), separators: try Separators(reading: amount),
            currency: try top.optional("currency").map { (value) throws(YAMLError) in try Source(currency: value) },
            channel: try top.optional("channel").map { (value) throws(YAMLError) in try Source(reading: value) },
            kind: try top.optional("kind").map { (value) throws(YAMLError) in try Source(kind: value) })
        try amount.refuseOtherKeys()
        if let time = try top.optional("paid_at")?.mapping() {
            paidAt = try time.required("field").fieldPath()
            timeFormat = try TimeFormat(reading: time)
        }
        for value in try top.optional("conditions")?.list() ?? [] {
            let condition = try Condition(reading: value)
            if let problem = problem(of: condition) { throw value.error("can never be met: \(problem)") }
            conditions.append(condition)
        }
    }

    /// Why no message that fits the mapping can meet a condition and those before it; `nil` if one may.
    private func problem(of condition: Condition) -> String? {
        let field = condition.field
        if let other = fields.first(where: field.excludes) {
            return "no message has a value at both \(field) and \(other)"
        }
        if field == amount, !condition.values.contains(where: Self.mayBeAmount) {
            return "an amount has digits, and no sign"
        }
        if id.contains(field), condition.values.allSatisfy({ $0.isAlike("null") }) { return "an id is not null" }
        // U+FFFD stands for half a character, which is refused wherever a mapping decides by it.
        if condition.values.allSatisfy({ $0.unicodeScalars.contains("\u{FFFD}") }) { return "U+FFFD is refused" }
        let earlier = conditions.filter { $0.field == field }
        let remaining = condition.values.filter { value in
            earlier.allSatisfy { $0.values.contains { $0.isAlike(value) } }
        }
        guard remaining.isEmpty else { return nil }
        let others = earlier.map { $0.values.joined(separator: " or ") }.joined(separator: ", and ")
        return "\(field) must also be \(others)"
    }

    /// Whether some unit and separators read the text as an amount. An exponent is JSON's.
    private static func mayBeAmount(_ text: String) -> Bool {
        text.first?.isNumber == true && text.allSatisfy { $0.isNumber || ".,eE+-".contains($0) }
    }

    /// Every field that the mapping reads.
    private var fields: [FieldPath] {
        let texts = [currency, channel, kind].compactMap { source in
            if case .field(let path, _)? = source { path } else { nil }
        }
        return id + [amount] + texts + [paidAt].compactMap(\.self) + conditions.map(\.field)
    }
}

extension PaymentMapping.Separators {
    /// `thousands` and `decimal`, next to `field` and `unit`.
    fileprivate init(reading amount: YAMLMapping) throws(YAMLError) {
        self.init()
        let (thousands, decimal) = (amount.optional("thousands"), amount.optional("decimal"))
        for value in [thousands, decimal].compactMap(\.self) {
            guard try amount.required("unit").string() == PaymentMapping.Unit.decimal.rawValue else {
                throw value.error("is of use beside unit: decimal only")
            }
        }
        if let decimal { self.decimal = try decimal.separator() }
        guard let thousands else { return }
        let separator = try thousands.separator()
        guard separator != self.decimal else {
            throw thousands.error(
                "is the decimal separator as well; expected decimal: \"\(separator == "." ? "," : ".")\"")
        }
        self.thousands = separator
    }
}

extension PaymentMapping.Condition {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let list = try mapping.required("values")
        var values: [String] = []
        for value in try list.list() {
            let text = try value.string()
            guard !Self.isComparison(text) else {
                throw value.error("expected a value as the provider writes it; \"\(text)\" is not compared with")
            }
            values.append(text)
        }
        guard !values.isEmpty else { throw list.error("expected at least one value") }
        self.init(
            field: try mapping.required("field").fieldPath(), values: values,
            otherwise: try mapping.required("otherwise").choice(of: Otherwise.self))
        try mapping.refuseOtherKeys()
    }

    /// Whether somebody meant `> 0`: the message that holds these very letters never comes.
    private static func isComparison(_ text: String) -> Bool {
        let words = text.drop { $0.isWhitespace }
        let operand = words.drop { "<>=!≤≥≠".contains($0) }
        guard operand.startIndex > words.startIndex else { return false }
        let number = operand.drop { $0.isWhitespace || "+-.".contains($0) }
        return number.first?.isNumber == true
    }
}

extension PaymentMapping.Source {
    /// `{field: PATH, codes: {CODE: MEANING}}` or `{constant: TEXT}`.
    package init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let (field, constant) = (mapping.optional("field"), mapping.optional("constant"))
        let meanings = mapping.optional("codes")
        try mapping.refuseOtherKeys()
        switch (field, constant) {
        case (nil, nil): throw value.error("expected either field or constant, found neither")
        case (.some, .some): throw value.error("expected either field or constant, found both")
        case (nil, let constant?):
            if let meanings { throw meanings.error("is of use beside field only") }
            self = .constant(try constant.string())
        case (let field?, nil):
            var codes: [String: String] = [:]
            for entry in try meanings?.mapping().entries ?? [] {
                if let other = codes.first(where: { $0.key.isAlike(entry.key) }) {
                    throw entry.value.error("is the same code as \(other.key)")
                }
                codes[entry.key] = try entry.value.string()
            }
            self = .field(try field.fieldPath(), codes: codes)
        }
    }

    fileprivate init(currency value: YAMLValue) throws(YAMLError) {
        try self.init(reading: value)
        for text in meanings where Currency(text) == nil {
            throw value.error("expected a currency code of ISO 4217 such as CNY, found \"\(text)\"")
        }
    }

    fileprivate init(kind value: YAMLValue) throws(YAMLError) {
        try self.init(reading: value)
        for text in meanings where PaymentNotice.Kind(rawValue: text) == nil {
            throw value.error(
                "expected payment, refund or the name of a kind of the voice (small letters, digits, underscores), "
                    + "found \"\(text)\"")
        }
    }

    /// Every text that this source can produce by itself.
    private var meanings: [String] {
        switch self {
        case .constant(let text): [text]
        case .field(_, let codes): codes.values.sorted()
        }
    }
}

extension TimeFormat {
    fileprivate init(reading mapping: YAMLMapping) throws(YAMLError) {
        let format = try mapping.required("format")
        let offset = mapping.optional("utc_offset")
        try mapping.refuseOtherKeys()
        let name = try format.string()
        switch name {
        case "rfc3339": self = .rfc3339
        case "seconds": self = .unixSeconds
        case "milliseconds": self = .unixMilliseconds
        default:
            guard let offset else {
                throw format.error("a pattern needs utc_offset beside it, such as \"+08:00\"")
            }
            guard let made = TimeFormat(pattern: name, offset: try offset.string()) else {
                throw format.error(
                    "expected rfc3339, seconds, milliseconds, or a pattern with each of yyyy, MM, dd, HH, mm and ss "
                        + "once, no other letter than T and Z (a fraction behind ss is read by itself), and a utc_offset "
                        + "such as \"+08:00\"")
            }
            self = made
            return
        }
        if let offset {
            throw offset.error("is of use beside a pattern only: this format knows its offset")
        }
    }
}

extension YAMLValue {
    /// One path, or a list of paths.
    fileprivate func fieldPaths() throws(YAMLError) -> [FieldPath] {
        guard isList else { return [try fieldPath()] }
        var paths: [FieldPath] = []
        for value in try list() { paths.append(try value.fieldPath()) }
        guard !paths.isEmpty else { throw error("expected at least one field") }
        return paths
    }

    fileprivate func separator() throws(YAMLError) -> Character {
        let text = try string()
        guard text == "." || text == "," else { throw error("expected \".\" or \",\", found \"\(text)\"") }
        return Character(text)
    }

    fileprivate func fieldPath() throws(YAMLError) -> FieldPath {
        let text = try string()
        guard let path = FieldPath(text) else {
            throw error("expected the name of a field, or a path such as data.order.id, found \"\(text)\"")
        }
        return path
    }
}
