import SoundboxCore
import SoundboxYAML

extension Language {
    /// The top-level keys of `voice.yaml` that are read here.
    static let keys = [
        "locale", "name", "words", "numbers", "cardinal", "counting", "units", "channels", "sentences", "prompts",
        "pauses",
    ]

    /// Reads what a voice says from its `voice.yaml`.
    /// - Throws: ``YAMLError`` naming file, line and key; for number rules also the rule.
    init(reading voice: YAMLValue) throws(YAMLError) {
        let top = try voice.mapping()
        let numbers = try NumberRules(reading: try top.required("numbers"))
        let cardinal = try top.required("cardinal")
        self.init(
            locale: try top.required("locale").string(), name: try top.required("name").string(),
            wordsAreSpaced: try top.required("words").choice(of: WordSpacing.self) == .spaced, numbers: numbers,
            cardinalRuleSet: try readRuleSet(cardinal, of: numbers),
            countingRuleSet: try readRuleSet(top.optional("counting") ?? cardinal, of: numbers),
            units: try readUnits(try top.required("units")), channels: try readChannels(try top.required("channels")),
            sentences: try readSentences(try top.required("sentences")),
            prompts: try readPrompts(top.optional("prompts")),
            pauses: try readPauses(try top.required("pauses")))
    }
}

private enum WordSpacing: String, CaseIterable {
    case spaced
    case unspaced
}

extension NumberRules {
    fileprivate init(reading value: YAMLValue) throws(YAMLError) {
        let text = try value.string()
        do { try self.init(parsing: text) } catch {
            // A block scalar's text begins on the line after its key.
            throw YAMLError(
                file: value.file, line: value.line.map { $0 + error.line }, key: value.key,
                problem: error.description)
        }
    }
}

private func readRuleSet(_ value: YAMLValue, of numbers: NumberRules) throws(YAMLError) -> String {
    let name = try value.string()
    guard numbers.setNames.contains(name) else {
        throw value.error("there is no rule set \(name); expected one of \(numbers.setNames.joined(separator: ", "))")
    }
    return name
}

private func readUnits(_ value: YAMLValue) throws(YAMLError) -> [String: String] {
    var units: [String: String] = [:]
    for (code, word) in try value.mapping().entries {
        guard Currency(code) != nil else {
            throw word.error("expected a currency code of ISO 4217 such as CNY, found \"\(code)\"")
        }
        units[code] = try word.string()
    }
    return units
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

private func readSentences(_ value: YAMLValue) throws(YAMLError) -> [Language.Sentence: String] {
    let mapping = try value.mapping()
    try mapping.allow(only: Language.Sentence.allCases.map(\.rawValue))
    var sentences: [Language.Sentence: String] = [:]
    for sentence in Language.Sentence.allCases {
        let value = try mapping.required(sentence.rawValue)
        let text = try value.string()
        let placeholders = text.matches(of: /\{([^}]*)\}/).map { String($0.1) }
        guard placeholders.sorted() == sentence.placeholders.sorted() else {
            let expected = sentence.placeholders.map { "{\($0)}" }.joined(separator: " and ")
            throw value.error(
                expected.isEmpty ? "expected a sentence without placeholders" : "expected \(expected), each once")
        }
        sentences[sentence] = text
    }
    return sentences
}

private func readPrompts(_ value: YAMLValue?) throws(YAMLError) -> [Prompt: String] {
    let mapping = try value?.mapping()
    try mapping?.allow(only: Prompt.allCases.map(\.rawValue))
    var prompts: [Prompt: String] = [:]
    for prompt in Prompt.allCases { prompts[prompt] = try mapping?.optional(prompt.rawValue)?.string() }
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
