import SoundboxCore

extension PaymentMapping {
    /// Reads and checks the keys of a mapping. The caller reads the document's other keys, and refuses what is left.
    package init(reading top: YAMLMapping) throws(YAMLError) {
        // A text for people.
        _ = top.optional("description")
        let amount = try top.required("amount").mapping()
        self.init(
            id: try top.required("id").idFields.fieldPaths(), amount: try amount.required("field").fieldPath(),
            unit: try amount.required("unit").choice(of: Unit.self), separators: try Separators(reading: amount),
            currency: try top.optional("currency").map { (value) throws(YAMLError) in try Source(currency: value) },
            channel: try top.optional("channel").map { (value) throws(YAMLError) in try Source(reading: value) },
            kind: try top.optional("kind").map { (value) throws(YAMLError) in try Source(kind: value) })
        idPrefix = try top.required("id").idPrefix()
        negative = try amount.read("negative") { try $0.choice(of: Negative.self) } ?? .refuse
        if let value = amount.optional("decimals") { decimals = try value.decimals(beside: unit) }
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
        guard let each = top.optional("each") else {
            if let path = fields.first(where: \.isFromTop) {
                throw top.value.error("$.\(path) is of use beside each only; expected \(path)")
            }
            return
        }
        let path = try each.fieldPath()
        guard !path.isFromTop else { throw each.error("expected the path without $., such as \(path)") }
        self.each = path
        if let outside = (id + [self.amount]).first(where: \.isFromTop) {
            throw each.error("$.\(outside) is the same for every element; id and amount must be inside \(path)")
        }
    }

    /// Why no message that fits the mapping can meet a condition and those before it; `nil` if one may.
    private func problem(of condition: Condition) -> String? {
        let field = condition.field
        if let other = fields.first(where: field.excludes) {
            return "no message has a value at both \(field) and \(other)"
        }
        let values = condition.tests.compactMap(\.values).flatMap(\.self)
        if field == amount, !values.isEmpty, !values.contains(where: mayBeAmount) {
            return "an amount has digits"
        }
        if [amount].contains(field) || id.contains(field), !values.isEmpty, values.allSatisfy({ $0.isAlike("null") }) {
            return "\(field == amount ? "an amount" : "an id") is not null"
        }
        // U+FFFD stands for half a character, which is refused wherever a mapping decides by it.
        if !values.isEmpty, values.allSatisfy({ $0.unicodeScalars.contains("\u{FFFD}") }) { return "U+FFFD is refused" }
        return condition.tests.contradiction(with: conditions.filter { $0.field == field }.flatMap(\.tests), of: field)
    }
}

extension PaymentMapping {
    /// Whether some unit and separators read the text as an amount, or as one that goes out. An exponent is JSON's.
    private func mayBeAmount(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") && negative != .refuse ? text.dropFirst() : text[...]
        return digits.first?.isNumber == true && digits.allSatisfy { $0.isNumber || ".,eE+-".contains($0) }
    }
}

extension [PaymentMapping.Condition.Test] {
    /// Why no value meets all of these and the earlier ones of the same field.
    fileprivate func contradiction(with earlier: [PaymentMapping.Condition.Test], of field: FieldPath) -> String? {
        let all = earlier + self
        let above = all.compactMap { test in if case .above(let limit) = test { ExactNumber(limit) } else { nil } }
            .max()
        let below = all.compactMap { test in if case .below(let limit) = test { ExactNumber(limit) } else { nil } }
            .min()
        if let above, let below, above >= below { return "no number is above the one and below the other" }
        for case .values(let values) in all {
            let remaining = values.filter { value in all.allSatisfy { $0.admits(value) } }
            if remaining.isEmpty {
                let others = earlier.isEmpty ? self : earlier
                return "\(field) must also be \(others.map(\.words).joined(separator: ", and "))"
            }
        }
        return nil
    }
}

extension PaymentMapping.Condition.Test {
    /// The texts of `values`.
    fileprivate var values: [String]? { if case .values(let values) = self { values } else { nil } }

    /// Whether a value that is written so may meet it.
    fileprivate func admits(_ text: String) -> Bool {
        switch self {
        case .values(let values): values.contains { $0.isAlike(text) }
        case .not(let values): !values.contains(text)
        case .above(let limit):
            ExactNumber(text).flatMap { number in ExactNumber(limit).map { $0 < number } } ?? false
        case .below(let limit):
            ExactNumber(text).flatMap { number in ExactNumber(limit).map { number < $0 } } ?? false
        case .matches(let patterns): patterns.contains { PaymentMapping.Condition.matches($0, text) }
        }
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
        let field = try mapping.required("field").fieldPath()
        var tests: [Test] = []
        if let list = mapping.optional("values") { tests.append(.values(try list.texts(of: "values"))) }
        if let list = mapping.optional("not") { tests.append(.not(try list.texts(of: "not"))) }
        if let limit = mapping.optional("above") { tests.append(.above(try limit.number())) }
        if let limit = mapping.optional("below") { tests.append(.below(try limit.number())) }
        if let patterns = mapping.optional("matches") { tests.append(.matches(try patterns.patterns())) }
        guard !tests.isEmpty else {
            throw value.error("expected one of values, not, above, below and matches")
        }
        self.init(
            field: field, tests: tests, otherwise: try mapping.required("otherwise").verdict(),
            absent: try mapping.read("absent") { try $0.verdict() } ?? .refuse)
        try mapping.refuseOtherKeys()
    }
}

extension YAMLValue {
    /// `reject` is the word of version 0.2.0.
    package func verdict() throws(YAMLError) -> PaymentMapping.Verdict {
        try string() == "reject" ? .refuse : try choice(of: PaymentMapping.Verdict.self)
    }

    /// A list of texts that are compared as they are. Always a list: `OK, PAID` without brackets would be one text.
    fileprivate func texts(of key: String) throws(YAMLError) -> [String] {
        var texts: [String] = []
        for value in try list() {
            let text = try value.string()
            if let problem = Self.problem(ofText: text) {
                throw value.error("\(text.excerpt) in \(key) is compared as it stands, and \(problem)")
            }
            texts.append(text)
        }
        guard !texts.isEmpty else { throw error("expected at least one value") }
        return texts
    }

    /// A list of patterns, or one.
    fileprivate func patterns() throws(YAMLError) -> [String] {
        var patterns: [String] = []
        for value in isList ? try list() : [self] {
            let text = try value.string()
            let isOther =
                text.isEmpty || text.contains("|") || text.hasPrefix("^") || text.hasPrefix("!") || text.hasSuffix("$")
                || text.first == " " || text.last == " " || text.isAlike("null") || text.contains(", ")
            guard !isOther else {
                throw value.error("expected a pattern such as PAY*, or a list of them: * is any characters, ? any one")
            }
            patterns.append(text)
        }
        guard !patterns.isEmpty else { throw error("expected at least one pattern") }
        return patterns
    }

    /// What a text that looks like a comparison or a pattern should be instead; `nil` if it looks like neither.
    private static func problem(ofText text: String) -> String? {
        let trimmed = text.drop { $0 == " " }
        if let first = trimmed.first, "<>=!≠≥≤".contains(first) {
            return "no field holds it: expected above:, below: or not: in place of values"
        }
        if text != trimmed || text.last == " " { return "has blanks at an end: expected it without" }
        if text.count > 1, let first = text.first, first == text.last, first == "'" || first == "\"" {
            return "is quoted twice"
        }
        if text.contains("*") || text.contains("|") || text.hasPrefix("^")
            || text.hasPrefix("/") && text.hasSuffix("/") && text.count > 1
        {
            return "looks like a pattern: expected matches: with * and ?, or a list of values"
        }
        if text.lowercased().hasPrefix("not ") { return "no field holds it: expected not: in place of values" }
        return nil
    }

    fileprivate func number() throws(YAMLError) -> String {
        let text = try string()
        guard ExactNumber(text) != nil else { throw error("expected a number such as 0, found \(text.excerpt)") }
        return text
    }

    /// `{IDR: 2, ISK: 2}`, or one number for every currency.
    fileprivate func decimals(beside unit: PaymentMapping.Unit) throws(YAMLError) -> [Currency: Int] {
        guard unit == .minor else { throw error("is of use beside unit: minor only") }
        let range = 0...DecimalNumber.maximumDecimals
        guard isMapping else {
            let places = try integer(in: range)
            return Dictionary(uniqueKeysWithValues: Currency.all.map { ($0, places) })
        }
        var decimals: [Currency: Int] = [:]
        for entry in try mapping().entries {
            guard let currency = Currency(entry.key) else {
                throw entry.value.error("expected a currency code of ISO 4217 such as IDR, found \(entry.key.excerpt)")
            }
            decimals[currency] = try entry.value.integer(in: range)
        }
        return decimals
    }
}

extension PaymentMapping.Source {
    /// `{field: PATH, codes: {CODE: MEANING}}` or `{constant: TEXT}`.
    package init(reading value: YAMLValue) throws(YAMLError) { try self.init(reading: try value.mapping()) }

    /// The caller has read the section's other keys.
    package init(reading mapping: YAMLMapping) throws(YAMLError) {
        let value = mapping.value
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
    /// The fields of an `id`, which is one, a list, or `{field: …, prefix: TEXT}`.
    package var idFields: YAMLValue {
        get throws(YAMLError) { isMapping ? try mapping().required("field") : self }
    }

    fileprivate func idPrefix() throws(YAMLError) -> String {
        guard isMapping else { return "" }
        let section = try mapping()
        _ = section.optional("field")
        let prefix = try section.required("prefix")
        try section.refuseOtherKeys()
        let text = try prefix.string()
        do { _ = try PaymentID(text) } catch { throw prefix.error("\(error)") }
        return text
    }

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
