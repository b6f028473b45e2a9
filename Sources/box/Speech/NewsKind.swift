import SoundboxCore

/// The words, chime and light of news other than payments and refunds: a deposit, a number that is called. Kinds belong
/// to the voice and not to the configuration, since their words need recordings.
public struct NewsKind: Sendable, Equatable {
    /// With at most one placeholder: `{amount}`, filled by notices, or `{number}`, filled by custom messages. Either
    /// may have a suffix.
    public var words: String
    /// The file, without its ending, that is played before the words; `nil` for none. Never the chime of payments.
    public var chime: String?
    /// Light and vibration during the words.
    public var pattern: OutputPattern

    /// White light without vibration, which is reserved for payments.
    public static let plainPattern = OutputPattern(ending: .hold(PanelOutputs(color: .white)))

    public init(words: String, chime: String? = nil, pattern: OutputPattern = Self.plainPattern) {
        self.words = words
        self.chime = chime
        self.pattern = pattern
    }

    public var hasAmount: Bool { has(.amount) }
    public var hasNumber: Bool { has(.number) }

    private func has(_ placeholder: SentenceTemplate.Placeholder) -> Bool {
        SentenceTemplate.placeholders(in: words).contains { $0.name == placeholder.rawValue }
    }
}

extension NewsKind {
    /// Reads the kinds of a voice.
    ///
    /// - Parameters:
    ///   - rules: of the same voice.
    ///   - suffixes: the voice's.
    static func all(
        reading value: YAMLValue, by rules: TextRules, _ suffixes: [String: Suffix]
    ) throws(YAMLError) -> [KindName: NewsKind] {
        var kinds: [KindName: NewsKind] = [:]
        for (key, value) in try value.mapping().entries {
            guard let name = KindName(key) else {
                throw value.error(
                    "expected a name of small letters, digits and underscores such as queue_number, and neither payment "
                        + "nor refund")
            }
            kinds[name] = try NewsKind(reading: value, by: rules, suffixes)
        }
        return kinds
    }

    private init(
        reading value: YAMLValue, by rules: TextRules, _ suffixes: [String: Suffix]
    ) throws(YAMLError) {
        let mapping = try value.mapping()
        let words = try mapping.required("words")
        let light = try mapping.optional("light").map { (value) throws(YAMLError) in try Light(reading: value) }
        self.init(
            words: try readWords(words, by: rules, suffixes), chime: try mapping.optional("chime")?.string(),
            pattern: (light ?? Light()).pattern(vibrating: try readVibration(mapping.optional("vibration"))))
        try mapping.refuseOtherKeys()
    }
}

private func readWords(
    _ value: YAMLValue, by rules: TextRules, _ suffixes: [String: Suffix]
) throws(YAMLError) -> String {
    let words = try value.string()
    let placeholders = SentenceTemplate.placeholders(in: words)
    guard placeholders.isEmpty || ["amount", "number"].contains(placeholders.map(\.name).joined(separator: " ")) else {
        throw value.error("expected at most one placeholder, {amount} or {number}")
    }
    try value.checkSuffixes(of: placeholders, among: suffixes)
    try value.refuseOwnNumbers(in: words, suffixes, by: rules)
    // A number that is called out must not sound like money, however large it is. All forms of a suffix are checked.
    let forms = placeholders.first?.suffix.flatMap { suffixes[$0]?.forms.map(\.text) } ?? [""]
    for form in forms {
        let number = placeholders.first?.name == "number" ? "1000" : " "
        let said = words.replacing(/\{[^}]*\}/, with: number + form)
        guard !said.allSatisfy(\.isWhitespace) else { throw value.error("expected words beside the amount") }
        do throws(TextProblem) { try rules.check(said, by: .voice) } catch { throw value.error("\(error)") }
    }
    return words
}

/// How the light shows a kind. The quick flicker of a payment is not among its patterns.
private struct Light {
    enum Color: String, CaseIterable {
        case white, red, green, yellow, magenta, cyan

        var color: LightColor {
            switch self {
            case .white: .white
            case .red: .red
            case .green: .green
            case .yellow: .yellow
            case .magenta: .magenta
            case .cyan: .cyan
            }
        }
    }

    enum Pattern: String, CaseIterable {
        case steady, blink, flash
    }

    var color = LightColor.white
    var pattern = Pattern.steady

    init() {}

    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        color = try mapping.optional("color")?.choice(of: Color.self).color ?? .white
        pattern = try mapping.optional("pattern")?.choice(of: Pattern.self) ?? .steady
        try mapping.refuseOtherKeys()
    }

    /// - Parameter pulses: durations of vibration and pause, alternating.
    func pattern(vibrating pulses: [Duration]) -> OutputPattern {
        let lit = PanelOutputs(color: color)
        let intro = pulses.enumerated().map { index, length in
            OutputPattern.Step(length, PanelOutputs(color: color, isVibrating: index.isMultiple(of: 2)))
        }
        return switch pattern {
        case .steady: OutputPattern(intro: intro, ending: .hold(lit))
        case .blink:
            OutputPattern(
                intro: intro, ending: .repeat([.init(.milliseconds(500), lit), .init(.milliseconds(500), .off)]))
        case .flash:
            OutputPattern(
                intro: intro, ending: .repeat([.init(.milliseconds(150), lit), .init(.milliseconds(850), .off)]))
        }
    }
}

/// `true` is one pulse; a list is pulses and pauses, alternating.
private func readVibration(_ value: YAMLValue?) throws(YAMLError) -> [Duration] {
    guard let value else { return [] }
    guard value.isList else { return try value.bool() ? [.milliseconds(400)] : [] }
    var pulses: [Duration] = []
    for item in try value.list() { pulses.append(try item.duration(in: .milliseconds(50) ... .seconds(2))) }
    guard (1...8).contains(pulses.count) else { throw value.error("expected 1 to 8 time spans, found \(pulses.count)") }
    guard pulses != [.milliseconds(200), .milliseconds(100), .milliseconds(200)] else {
        throw value.error("these are the pulses of a payment; expected others")
    }
    return pulses
}
