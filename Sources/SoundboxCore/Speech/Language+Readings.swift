extension Language {
    /// Spells an amount: `1005` CNY becomes 一千零五元.
    ///
    /// - Parameter withUnit: whether the currency's word follows; without it, decimals are read with a point.
    /// - Throws: ``SpeechError/noRule(_:)`` or ``SpeechError/noUnit(_:)``; the caller announces without the amount.
    public func reading(of money: Money, withUnit: Bool = true) throws(SpeechError) -> String {
        guard withUnit else { return try numbers.spell(money.amount, with: cardinalRuleSet) }
        var words: [UInt8] = []
        try spell(money, unitJoint: blank, into: &words)
        return String(decoding: words, as: UTF8.self)
    }

    /// Spells a count of payments.
    public func reading(of count: Int) throws(SpeechError) -> String {
        guard let number = try? DecimalNumber(whole: UInt64(max(count, 0))) else {
            throw .noRule("\(count) is too large")
        }
        return try numbers.spell(number, with: countingRuleSet)
    }

    /// Names one digit, 0 to 9, as in a number that is read out digit by digit.
    public func reading(ofDigit digit: Int) throws(SpeechError) -> String {
        guard (0...9).contains(digit), let number = try? DecimalNumber(whole: UInt64(digit)) else {
            throw .noRule("\(digit) is no digit")
        }
        return try numbers.spell(number, with: cardinalRuleSet)
    }

    /// Appends the amount as it is said, as UTF-8: one number with a point, or one for the unit and each subunit that is
    /// not zero.
    /// - Parameter unitJoint: stands between a number and its unit.
    func spell(_ money: Money, unitJoint: String, into words: inout [UInt8]) throws(SpeechError) {
        guard let currency = units[money.currency.code] else { throw .noUnit(money.currency) }
        if decimalStyle == .subunit, let parts = subunitParts(of: money.amount, currency) {
            return try spell(money.amount, currency, parts, unitJoint, into: &words)
        }
        try spell(money.amount, currency.unit, unitJoint, into: &words)
    }

    /// Appends the amount as ``spell(_:unitJoint:into:)`` does, and where its currency has no word, that it is another
    /// currency's, and then the number. The warning comes first: whoever hears a number has a currency in mind already.
    func spellOfAnyCurrency(_ money: Money, unitJoint: String, into words: inout [UInt8]) throws(SpeechError) {
        guard units[money.currency.code] == nil, let otherCurrency else {
            return try spell(money, unitJoint: unitJoint, into: &words)
        }
        words += otherCurrency.utf8
        try numbers.spell(money.amount, with: cardinalRuleSet, into: &words)
    }

    private func spell(
        _ number: DecimalNumber, _ unit: CountedWord, _ unitJoint: String, into words: inout [UInt8]
    ) throws(SpeechError) {
        try numbers.spell(number, with: cardinalRuleSet, into: &words)
        words += unitJoint.utf8
        words += unit.form(for: number).utf8
    }

    var blank: String { wordsAreSpaced ? " " : "" }

    /// The values of the subunits; `nil` when the amount has none or is finer than they are.
    private func subunitParts(of amount: DecimalNumber, _ words: CurrencyWords) -> [DecimalNumber]? {
        let places = words.subunits.reduce(0) { $0 + $1.digits }
        guard !amount.decimals.isEmpty, amount.decimals.count <= places else { return nil }
        var digits = (amount.decimals + repeatElement(0, count: places - amount.decimals.count))[...]
        return words.subunits.compactMap { subunit in
            defer { digits = digits.dropFirst(subunit.digits) }
            return try? DecimalNumber(whole: digits.prefix(subunit.digits).reduce(0) { $0 * 10 + UInt64($1) })
        }
    }

    private func spell(
        _ amount: DecimalNumber, _ currency: CurrencyWords, _ parts: [DecimalNumber], _ unitJoint: String,
        into words: inout [UInt8]
    ) throws(SpeechError) {
        var isFirst = true
        if amount.whole > 0, let whole = try? DecimalNumber(whole: amount.whole) {
            try spell(whole, currency.unit, unitJoint, into: &words)
            isFirst = false
        }
        var hasGap = false
        for (subunit, value) in zip(currency.subunits, parts) {
            guard !value.isZero else {
                hasGap = !isFirst
                continue
            }
            if !isFirst { words += subunitJoint.utf8 }
            if hasGap, let zero = subunitZero { words += (zero + blank).utf8 }
            try spell(value, subunit.word, unitJoint, into: &words)
            isFirst = false
            hasGap = false
        }
    }
}
