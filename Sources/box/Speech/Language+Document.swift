import SoundboxCore

extension Language {
    /// Reads the words of a voice from its `voice.yaml`. Ignores other top-level keys. Whether two numbers sound alike
    /// is checked by `soundbox-voicetools check`.
    /// - Throws: ``YAMLError`` naming file, line and key; for number rules also the rule.
    public init(reading voice: YAMLValue) throws(YAMLError) {
        let top = try voice.mapping()
        let rules = try top.required("numbers")
        let numbers = try NumberRules(reading: rules)
        let cardinal = try top.required("cardinal")
        let suffixes =
            try top.optional("suffixes").map { (value) throws(YAMLError) in try Suffix.all(reading: value) } ?? [:]
        let isSpaced = try top.required("words").choice(of: WordSpacing.self) == .spaced
        self.init(
            locale: try top.required("locale").string(), name: try top.required("name").string(),
            wordsAreSpaced: isSpaced, numbers: numbers, cardinalRuleSet: try readRuleSet(cardinal, of: numbers),
            countingRuleSet: try readRuleSet(top.optional("counting") ?? cardinal, of: numbers),
            numberingRuleSet: try readRuleSet(top.optional("numbering") ?? cardinal, of: numbers),
            decimalStyle: try top.optional("decimal")?.choice(of: DecimalStyle.self) ?? .point,
            subunitJoint: try top.optional("subunit_joint")?.string() ?? (isSpaced ? " " : ""),
            subunitZero: try top.optional("subunit_zero")?.string(),
            units: try readUnits(try top.required("units"), numbers),
            currency: try top.optional("currency").map { (value) throws(YAMLError) in
                try readCurrency(value, of: try top.required("units"))
            },
            otherCurrency: try top.optional("other_currency")?.string(),
            unitPause: try top.optional("unit_pause")?.duration(in: .zero ... .seconds(1)) ?? .zero,
            channels: try readChannels(try top.required("channels")),
            sentences: try readSentences(try top.required("sentences"), suffixes), suffixes: suffixes,
            prompts: try readPrompts(try top.required("prompts")), pauses: try readPauses(try top.required("pauses")))
        try checkNumbers(rules)
        let textRules = TextRules([self])
        try refuseOwnNumbers(in: try top.required("sentences"), top.optional("suffixes"), by: textRules)
        if let value = top.optional("kinds") { kinds = try NewsKind.all(reading: value, by: textRules, suffixes) }
    }

    /// Refuses rules that omit a number, or never end, when the voice is loaded and not at the counter.
    private func checkNumbers(_ rules: YAMLValue) throws(YAMLError) {
        do {
            let amountRuleSets = amountRuleSets
            for set in ruleSets { try numbers.validate(set, withDecimals: amountRuleSets.contains(set)) }
        } catch {
            throw rules.error(error)
        }
    }
}

extension YAMLValue {
    /// Converts an error in a block of number rules to its place in the file.
    package func error(_ mistake: NumberRuleError) -> YAMLError {
        // A block scalar's text begins on the line after its key.
        YAMLError(file: file, line: line.map { $0 + mistake.line }, key: key, problem: mistake.description)
    }
}

private enum WordSpacing: String, CaseIterable {
    case spaced
    case unspaced
}

extension NumberRules {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let text = try value.string()
        do { try self.init(parsing: text) } catch { throw value.error(error) }
    }
}

private func readRuleSet(_ value: YAMLValue, of numbers: NumberRules) throws(YAMLError) -> String {
    let name = try value.string()
    guard numbers.setNames.contains(name) else {
        throw value.error("there is no rule set \(name); expected one of \(numbers.setNames.joined(separator: ", "))")
    }
    return name
}

private func readUnits(
    _ value: YAMLValue, _ numbers: NumberRules
) throws(YAMLError) -> [String: CurrencyWords] {
    var units: [String: CurrencyWords] = [:]
    for (code, words) in try value.mapping().entries {
        guard let currency = Currency(code) else {
            throw words.error("expected a currency code of ISO 4217 such as CNY, found \"\(code)\"")
        }
        units[code] = try CurrencyWords(reading: words, of: currency, numbers)
    }
    return units
}

private func readCurrency(_ value: YAMLValue, of units: YAMLValue) throws(YAMLError) -> Currency {
    let code = try value.string()
    guard let currency = Currency(code), try units.mapping().entries.contains(where: { $0.key == code }) else {
        throw value.error("expected a currency that has a word under units, such as CNY, found \"\(code)\"")
    }
    return currency
}

extension CurrencyWords {
    /// `元`, or `{one: dollar, other: dollars, subunits: [{digits: 2, one: cent, other: cents}]}`.
    fileprivate init(
        reading value: YAMLValue, of currency: Currency, _ numbers: NumberRules
    ) throws(YAMLError) {
        guard value.isMapping else {
            self.init(unit: CountedWord(try value.string()))
            return
        }
        let mapping = try value.mapping()
        var subunits: [Subunit] = []
        for part in try mapping.optional("subunits")?.list() ?? [] {
            let fields = try part.mapping()
            subunits.append(
                Subunit(
                    digits: try fields.required("digits").integer(in: 1...4),
                    word: try CountedWord(reading: fields, numbers)))
            try fields.refuseOtherKeys()
        }
        let unit = try CountedWord(reading: mapping, numbers)
        try mapping.refuseOtherKeys()
        let places = subunits.reduce(0) { $0 + $1.digits }
        guard subunits.isEmpty || places == currency.exponent else {
            throw value.error("the subunits take \(places) decimals together, \(currency) has \(currency.exponent)")
        }
        self.init(unit: unit, subunits: subunits)
    }
}

extension CountedWord {
    /// `one` may be left out if it is the same, `cardinal` if numbers are read with the language's own rule set.
    fileprivate init(reading mapping: YAMLMapping, _ numbers: NumberRules) throws(YAMLError) {
        let other = try mapping.required("other").string()
        self.init(
            one: try mapping.optional("one")?.string() ?? other, other: other,
            cardinalRuleSet: try mapping.optional("cardinal").map { (value) throws(YAMLError) in
                try readRuleSet(value, of: numbers)
            })
    }
}

private func readChannels(_ value: YAMLValue) throws(YAMLError) -> [String: String] {
    var channels: [String: String] = [:]
    for (channel, word) in try value.mapping().entries {
        guard channel == channel.lowercased() else {
            throw word.error("channels are written in small letters; notices may write them either way")
        }
        channels[channel] = try word.string()
    }
    return channels
}

private func readSentences(
    _ value: YAMLValue, _ suffixes: [String: Suffix]
) throws(YAMLError) -> [Language.Sentence: String] {
    let mapping = try value.mapping()
    var sentences: [Language.Sentence: String] = [:]
    for sentence in Language.Sentence.allCases {
        let key = sentence.rawValue
        guard let value = sentence.isRequired ? try mapping.required(key) : mapping.optional(key) else { continue }
        let text = try value.string()
        let placeholders = SentenceTemplate.placeholders(in: text)
        guard placeholders.map(\.name).sorted() == sentence.placeholders.sorted() else {
            let expected = sentence.placeholders.map { "{\($0)}" }.joined(separator: " and ")
            throw value.error(
                expected.isEmpty ? "expected a sentence without placeholders" : "expected \(expected), each once")
        }
        try value.checkSuffixes(of: placeholders, among: suffixes)
        sentences[sentence] = text
    }
    try mapping.refuseOtherKeys()
    return sentences
}

extension YAMLValue {
    /// Refuses unknown suffixes.
    func checkSuffixes(
        of placeholders: [(name: String, suffix: String?)], among suffixes: [String: Suffix]
    ) throws(YAMLError) {
        for (name, suffix) in placeholders {
            guard let suffix, suffixes[suffix] == nil else { continue }
            let known = suffixes.keys.sorted().joined(separator: ", ")
            throw error(
                "{\(name):\(suffix)}: there is no suffix \(suffix.excerpt); expected "
                    + (known.isEmpty ? "one that `suffixes` describes" : "one of \(known)"))
        }
    }
}

private func readPrompts(_ value: YAMLValue) throws(YAMLError) -> [Prompt: String] {
    let mapping = try value.mapping()
    var prompts: [Prompt: String] = [:]
    for prompt in Prompt.allCases {
        let key = prompt.rawValue
        let value = prompt.isRequired ? try mapping.required(key) : mapping.optional(key)
        prompts[prompt] = try value?.string()
    }
    try mapping.refuseOtherKeys()
    return prompts
}

private func readPauses(_ value: YAMLValue) throws(YAMLError) -> [Character: Duration] {
    var pauses: [Character: Duration] = [:]
    for (mark, length) in try value.mapping().entries {
        guard mark.count == 1, let character = mark.first else {
            throw length.error("expected a single punctuation mark as key, found \"\(mark)\"")
        }
        pauses[character] = try length.duration(in: .zero ... .seconds(2))
    }
    return pauses
}
