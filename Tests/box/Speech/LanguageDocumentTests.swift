import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("What a voice says, read from its document")
struct LanguageDocumentTests {
    private typealias Entries = [(String, YAMLNode)]

    private static func text(_ text: String) -> YAMLNode { YAMLNode(.scalar(text)) }

    private static func mapping(_ entries: Entries) -> YAMLNode {
        YAMLNode(.mapping(entries.map { (text($0.0), $0.1) }))
    }

    /// The least that a voice must have.
    private static var least: Entries {
        let sentences = Language.Sentence.allCases.filter(\.isRequired).map { sentence in
            (sentence.rawValue, text(sentence.placeholders.map { "{\($0)}" }.joined(separator: ", ")))
        }
        let prompts = Prompt.allCases.filter(\.isRequired).map { ($0.rawValue, text("\($0)")) }
        return [
            ("locale", text("en")), ("name", text("English")), ("words", text("spaced")),
            ("numbers", text("%n:\nx.x: << point >>;\n0: o; a; b; c; d; e; f; g; h; k;\n10: << >>;\n")),
            ("cardinal", text("%n")), ("units", mapping([("CNY", text("yuan"))])),
            ("channels", mapping([("alipay", text("Alipay"))])), ("sentences", mapping(sentences)),
            ("prompts", mapping(prompts)), ("pauses", mapping([(",", text("160ms"))])),
        ]
    }

    /// Changes what stands at one key of `least`, or removes it.
    private func language(_ key: String? = nil, _ change: ((YAMLNode) -> YAMLNode?)? = nil) throws -> Language {
        let entries = Self.least.compactMap { entry -> (String, YAMLNode)? in
            guard entry.0 == key, let change else { return entry }
            return change(entry.1).map { (entry.0, $0) }
        }
        return try Language(reading: YAMLValue(Self.mapping(entries), file: "voice.yaml"))
    }

    private func error(_ key: String, _ change: @escaping (YAMLNode) -> YAMLNode?) throws -> String {
        try #require(throws: YAMLError.self) { try language(key, change) }.description
    }

    @Test("The least that a voice must have is enough")
    func enough() throws {
        let language = try language()
        #expect(try language.reading(of: Money("12.5", .CNY)) == "a b point e yuan")
        #expect(language.words(of: .setupFault) == language.words(of: .notProvisioned))
        #expect(language.decimalStyle == .point && language.subunitJoint == " ")
    }

    @Test("A voice without words for a refused payment says that there is a message; a marker has no substitute")
    func optionalPrompts() throws {
        var language = try language()
        #expect(language.words(of: .paymentUnreadable).isEmpty)
        language.prompts[.message] = "a message"
        #expect(language.words(of: .paymentUnreadable) == "a message")
        #expect(language.words(of: .marker).isEmpty)
    }

    @Test("Numbers that are names have rules of their own where the voice has them")
    func numbering() throws {
        func language(_ rules: String) throws -> Language {
            let numbers = "%n:\nx.x: << point >>;\n0: o; a; b; c; d; e; f; g; h; k;\n10: << >>;\n" + rules
            let entries = Self.least.map { $0.0 == "numbers" ? ($0.0, Self.text(numbers)) : $0 }
            return try Language(
                reading: YAMLValue(Self.mapping(entries + [("numbering", Self.text("%m"))]), file: "voice.yaml"))
        }
        let voice = try language("%m:\n0: =%n=;\n2: bis;\n3: =%n=;\n")
        #expect(try (0...3).map { try voice.reading(ofDigit: $0) } == ["o", "a", "bis", "c"])
        #expect(try voice.reading(ofNumber: 2) == "bis" && voice.reading(of: Money("2", .CNY)) == "b yuan")
    }

    @Test("Every key of the least is required", arguments: least.map(\.0))
    func required(key: String) throws {
        #expect(try error(key) { _ in nil } == "voice.yaml: \(key): this key is missing")
    }

    @Test("Every sentence and prompt without a fallback is required, and nothing else may stand beside them")
    func sentencesAndPrompts() throws {
        for key in ["sentences", "prompts"] {
            let entries = try #require(Self.least.first { $0.0 == key }).1
            guard case .mapping(let all) = entries.content else { continue }
            for index in all.indices {
                var fewer = all
                fewer.remove(at: index)
                #expect(try error(key) { _ in YAMLNode(.mapping(fewer)) }.contains("this key is missing"))
            }
            let more = all + [(Self.text("zzz"), Self.text(""))]
            #expect(try error(key) { _ in YAMLNode(.mapping(more)) }.contains("\(key).zzz: unknown key"))
        }
    }

    @Test("A sentence with other placeholders than its own is refused")
    func placeholders() throws {
        let wrong = { (node: YAMLNode) -> YAMLNode in
            guard case .mapping(let all) = node.content else { return node }
            return YAMLNode(.mapping([(all[0].key, Self.text("{amount}"))] + all.dropFirst()))
        }
        #expect(
            try error("sentences", wrong)
                == "voice.yaml: sentences.payment: expected {channel} and {amount}, each once")
    }

    /// The least, and kinds.
    private func language(kind name: String, _ fields: Entries) throws -> Language {
        let kinds = Self.mapping([(name, Self.mapping(fields))])
        let least = Self.least.map { entry -> (String, YAMLNode) in
            guard entry.0 == "sentences", case .mapping(let all) = entry.1.content else { return entry }
            let received = Self.text("{channel} received, {amount}")
            return ("sentences", YAMLNode(.mapping([(all[0].key, received)] + all.dropFirst())))
        }
        return try Language(reading: YAMLValue(Self.mapping(least + [("kinds", kinds)]), file: "voice.yaml"))
    }

    @Test("A kind has words, a chime, a light and vibration of its own")
    func kind() throws {
        let light = Self.mapping([("color", Self.text("cyan")), ("pattern", Self.text("blink"))])
        let language = try language(
            kind: "deposit",
            [
                ("words", Self.text("deposit, {amount}")), ("chime", Self.text("ding")), ("light", light),
                ("vibration", Self.text("true")),
            ])
        let name = try #require(KindName("deposit"))
        let kind = try #require(language.kinds[name])
        #expect(kind.words == "deposit, {amount}" && kind.chime == "ding")
        #expect(kind.pattern.moment(at: .zero).outputs == PanelOutputs(color: .cyan, isVibrating: true))
        #expect(kind.pattern.moment(at: .milliseconds(950)).outputs == .off)
        #expect(language.noticeKinds == [name] && language.customMessageKinds == [])
    }

    @Test(
        "A kind that says an amount of its own, or what an arrival says, is refused",
        arguments: [
            ("deposit received", "received"), ("r.e.c.e.i.v.e.d", "r.e.c.e.i.v.e.d"), ("五 yuan", "yuan"),
            ("{number} yuan", "yuan"), ("Alipay {number}", "Alipay"), ("$", "$"), ("{amount}", "expected words"),
            ("{amount} {number}", "at most one placeholder"), ("{amount} {amount}", "at most one placeholder"),
            ("{total}", "at most one placeholder"), ("", "expected words"),
        ])
    func wordsOfArrivals(words: String, problem: String) throws {
        let error = try #require(throws: YAMLError.self) {
            try language(kind: "deposit", [("words", Self.text(words))])
        }
        #expect(error.key == "kinds.deposit.words")
        #expect(error.problem.contains(problem))
    }

    @Test("Other mistakes in a kind are refused with their key")
    func kindMistakes() throws {
        let words = ("words", Self.text("deposit"))
        let pulses = YAMLNode(.sequence([Self.text("200ms"), Self.text("100ms"), Self.text("200ms")]))
        let mistakes: [(String, Entries, String)] = [
            ("Deposit", [words], "kinds.Deposit"), ("refund", [words], "kinds.refund"),
            ("deposit", [words, ("vibration", pulses)], "kinds.deposit.vibration"),
            ("deposit", [words, ("light", Self.mapping([("color", Self.text("blue"))]))], "kinds.deposit.light.color"),
            ("deposit", [words, ("sound", Self.text("x"))], "kinds.deposit.sound"),
            ("deposit", [], "kinds.deposit.words"),
        ]
        for (name, fields, key) in mistakes {
            #expect(try #require(throws: YAMLError.self) { try language(kind: name, fields) }.key == key)
        }
    }

    @Test("Number rules that leave a number out are refused when the voice is read")
    func incompleteRules() throws {
        #expect(try error("numbers") { _ in Self.text("%n:\nx.x: <<.>>;\n1: i;") }.contains("it has no rule for 0"))
    }

    @Test("Numbers that sound alike are the author's check's to find: the box speaks, and does not prove at each start")
    func alike() throws {
        let rules = "%n:\nx.x: << point >>;\n0: o; a; b; c; d; e; f; g; h; k;\n10: << ty;\n100: << >>;\n"
        let voice = try language("numbers") { _ in Self.text(rules) }
        #expect(try voice.reading(of: Money("11", .CNY)) == "a ty yuan")
    }

    @Test("A unit names the rule set of its number; one that is private or not there is refused")
    func unitRuleSet() throws {
        func voice(_ set: String) throws -> Language {
            let rules = "%n:\nx.x: << point >>;\n0: o; a; b; c; d; e; f; g; h; k;\n10: << >>;\n"
            let others = "%f:\nx.x: =%n=;\n0: =%%p=;\n%%p:\nx.x: =%n=;\n0: o; one;\n2: =%n=;\n"
            let unit = Self.mapping([("other", Self.text("lira")), ("cardinal", Self.text(set))])
            let entries =
                Self.least.filter { $0.0 != "units" && $0.0 != "numbers" }
                + [("units", Self.mapping([("TRY", unit)])), ("numbers", Self.text(rules + others))]
            return try Language(reading: YAMLValue(Self.mapping(entries), file: "voice.yaml"))
        }
        #expect(try voice("%f").reading(of: Money("1", try #require(Currency("TRY")))) == "one lira")
        for name in ["%g", "%%p"] {
            let absent = try #require(throws: YAMLError.self) { try voice(name) }
            #expect(
                absent.key == "units.TRY.cardinal" && absent.problem.hasSuffix("expected one of %n, %f"), "\(absent)"
            )
        }
    }

    @Test("The currency of the command line is the voice's own, CNY unless it says otherwise, and has a word")
    func currency() throws {
        #expect(try language().currency == .CNY)
        let units = Self.mapping([("USD", Self.text("dollars")), ("EUR", Self.text("euros"))])
        #expect(try language("units") { _ in units }.currency.code == "EUR")
        func voice(of code: String) throws -> Language {
            let entries = Self.least.filter { $0.0 != "units" } + [("units", units), ("currency", Self.text(code))]
            return try Language(reading: YAMLValue(Self.mapping(entries), file: "voice.yaml"))
        }
        #expect(try voice(of: "USD").currency.code == "USD")
        let error = try #require(throws: YAMLError.self) { try voice(of: "CNY") }
        #expect(error.key == "currency" && error.problem.contains("a word under units"))
    }
}
