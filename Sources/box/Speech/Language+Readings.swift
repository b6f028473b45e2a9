import SoundboxCore

extension Language {
    /// Spells an amount: `1005` CNY becomes 一千零五元.
    ///
    /// - Parameter withUnit: whether the currency's word follows; without it, decimals are read with a point.
    /// - Throws: ``SpeechError/noRule(_:)`` or ``SpeechError/noUnit(_:)``; the caller announces without the amount.
    public func reading(of money: Money, withUnit: Bool = true) throws(SpeechError) -> String {
        guard withUnit else { return try numbers.spell(money.amount, with: cardinalRuleSet) }
        return try reading(of: money, unitJoint: blank)
    }

    /// Spells a count of payments.
    public func reading(of count: Int) throws(SpeechError) -> String {
        guard let number = try? DecimalNumber(whole: UInt64(max(count, 0))) else {
            throw .noRule("\(count) is too large")
        }
        return try numbers.spell(number, with: countingRuleSet)
    }

    /// Spells a number that is called out: of a queue, of a table.
    public func reading(ofNumber number: Int64) throws(SpeechError) -> String {
        guard let whole = UInt64(exactly: number), let decimal = try? DecimalNumber(whole: whole) else {
            throw .noRule("\(number) is not from 0 to \(DecimalNumber.maximumWhole)")
        }
        return try numbers.spell(decimal, with: numberingRuleSet)
    }

    /// Names one digit, 0 to 9, as in a number that is read digit by digit.
    public func reading(ofDigit digit: Int) throws(SpeechError) -> String {
        guard (0...9).contains(digit), let number = try? DecimalNumber(whole: UInt64(digit)) else {
            throw .noRule("\(digit) is no digit")
        }
        return try numbers.spell(number, with: numberingRuleSet)
    }

    /// The amount as it is spoken: one number with a point, or one for the unit and each subunit that is not zero.
    /// - Parameter unitJoint: stands between a number and its unit.
    func reading(of money: Money, unitJoint: String) throws(SpeechError) -> String {
        guard let currency = units[money.currency.code] else { throw .noUnit(money.currency) }
        if decimalStyle == .subunit, let parts = subunitParts(of: money.amount, currency) {
            return try reading(of: money.amount, currency, parts, unitJoint)
        }
        return try reading(of: money.amount, currency.unit, unitJoint)
    }

    /// As ``reading(of:unitJoint:)``. If the currency has no word, a warning that it is another currency, then the
    /// number. The warning comes first, because listeners assume the usual currency when they hear a number.
    func readingOfAnyCurrency(_ money: Money, unitJoint: String) throws(SpeechError) -> String {
        guard units[money.currency.code] == nil, let otherCurrency else {
            return try reading(of: money, unitJoint: unitJoint)
        }
        return otherCurrency + (try numbers.spell(money.amount, with: cardinalRuleSet))
    }

    private func reading(
        of number: DecimalNumber, _ unit: CountedWord, _ unitJoint: String
    ) throws(SpeechError) -> String {
        try numbers.spell(number, with: ruleSet(before: unit)) + unitJoint + unit.form(for: number)
    }

    package func ruleSet(before unit: CountedWord) -> String { unit.cardinalRuleSet ?? cardinalRuleSet }

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

    private func reading(
        of amount: DecimalNumber, _ currency: CurrencyWords, _ parts: [DecimalNumber], _ unitJoint: String
    ) throws(SpeechError) -> String {
        var words = ""
        if amount.whole > 0, let whole = try? DecimalNumber(whole: amount.whole) {
            words = try reading(of: whole, currency.unit, unitJoint)
        }
        var hasGap = false
        for (subunit, value) in zip(currency.subunits, parts) {
            guard !value.isZero else {
                hasGap = !words.isEmpty
                continue
            }
            if !words.isEmpty { words += subunitJoint }
            if hasGap, let zero = subunitZero { words += zero + blank }
            words += try reading(of: value, subunit.word, unitJoint)
            hasGap = false
        }
        return words
    }
}
