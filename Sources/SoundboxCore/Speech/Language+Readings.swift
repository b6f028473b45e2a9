extension Language {
    /// Spells an amount: `1005` CNY becomes 一千零五元.
    ///
    /// - Parameter withUnit: whether the currency's word follows; without it, decimals are read with a point.
    /// - Throws: ``SpeechError/noRule(_:)`` or ``SpeechError/noUnit(_:)``; the caller announces without the amount.
    public func reading(of money: Money, withUnit: Bool = true) throws(SpeechError) -> String {
        guard withUnit else { return try numbers.spell(money.amount, with: cardinalRuleSet) }
        return try pieces(of: money).map { $0.number + blank + $0.unit }.joined(separator: subunitJoint)
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

    /// One number with the word that follows it.
    struct AmountPiece {
        var number: String
        var unit: String
    }

    /// The amount as it is said: one piece with a point, or one for the unit and each subunit that is not zero.
    func pieces(of money: Money) throws(SpeechError) -> [AmountPiece] {
        guard let words = units[money.currency.code] else { throw .noUnit(money.currency) }
        if decimalStyle == .subunit, let parts = subunitParts(of: money.amount, words) {
            return try subunitPieces(money.amount, words, parts)
        }
        let number = try numbers.spell(money.amount, with: cardinalRuleSet)
        return [AmountPiece(number: number, unit: words.unit.form(for: money.amount))]
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

    private func subunitPieces(
        _ amount: DecimalNumber, _ words: CurrencyWords, _ parts: [DecimalNumber]
    ) throws(SpeechError) -> [AmountPiece] {
        var pieces: [AmountPiece] = []
        if amount.whole > 0, let whole = try? DecimalNumber(whole: amount.whole) {
            let number = try numbers.spell(whole, with: cardinalRuleSet)
            pieces.append(AmountPiece(number: number, unit: words.unit.form(for: whole)))
        }
        var hasGap = false
        for (subunit, value) in zip(words.subunits, parts) {
            guard !value.isZero else {
                hasGap = !pieces.isEmpty
                continue
            }
            var number = try numbers.spell(value, with: cardinalRuleSet)
            if hasGap, let zero = subunitZero { number = zero + blank + number }
            pieces.append(AmountPiece(number: number, unit: subunit.word.form(for: value)))
            hasGap = false
        }
        return pieces
    }
}
