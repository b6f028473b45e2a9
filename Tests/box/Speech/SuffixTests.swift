import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("Parts of a sentence that depend on what stands before them")
struct SuffixTests {
    /// The Korean subject particle: 이 behind a consonant, 가 behind a vowel.
    private static let particle = [
        ("after", list("원", "일", "삼")), ("say", text("이")),
    ]

    private static func text(_ text: String) -> YAMLNode { YAMLNode(.scalar(text)) }
    private static func list(_ items: String...) -> YAMLNode { YAMLNode(.sequence(items.map(text))) }
    private static func mapping(_ entries: [(String, YAMLNode)]) -> YAMLNode {
        YAMLNode(.mapping(entries.map { (text($0.0), $0.1) }))
    }

    private func language(
        payment: String = "{channel}, {amount:이/가} 왔습니다", kind: String? = nil, name: String = "이/가",
        _ forms: [[(String, YAMLNode)]] = [particle, [("say", text("가"))]]
    ) throws -> Language {
        let sentences = Language.Sentence.allCases.filter(\.isRequired).map { sentence in
            (
                sentence.rawValue,
                Self.text(
                    sentence == .payment ? payment : sentence.placeholders.map { "{\($0)}" }.joined(separator: ", "))
            )
        }
        let kinds = kind.map { [("kinds", Self.mapping([("deposit", Self.mapping([("words", Self.text($0))]))]))] }
        let document = [
            ("locale", Self.text("ko-KR")), ("name", Self.text("한국어")), ("words", Self.text("unspaced")),
            ("numbers", Self.text("%n:\nx.x: <<점>>>;\n0: 영; 일; 이; 삼; 사; 오; 육; 칠; 팔; 구;\n10: <<십>>;\n")),
            ("cardinal", Self.text("%n")),
            ("units", Self.mapping([("KRW", Self.text("원")), ("USD", Self.text("달러"))])),
            ("channels", Self.mapping([("toss", Self.text("토스"))])),
            ("suffixes", Self.mapping([(name, YAMLNode(.sequence(forms.map(Self.mapping))))])),
            ("sentences", Self.mapping(sentences)),
            (
                "prompts",
                Self.mapping(
                    Prompt.allCases.filter(\.isRequired).map {
                        ($0.rawValue, Self.text("\($0)"))
                    })
            ), ("pauses", Self.mapping([(",", Self.text("160ms"))])),
        ]
        return try Language(reading: YAMLValue(Self.mapping(document + (kinds ?? [])), file: "voice.yaml"))
    }

    private func error(_ make: () throws -> Language) throws -> String {
        try #require(throws: YAMLError.self) { try make() }.description
    }

    private let phrases = ["토스", "원", "달러", "이", "가", "왔습니다", "삼", "사", "보증금", "영수"]

    @Test(
        "The form is chosen by the end of what stands before it",
        arguments: [("3", "KRW", "토스, 삼원이 왔습니다"), ("3", "USD", "토스, 삼달러가 왔습니다")])
    func form(amount: String, code: String, text: String) throws {
        let money = try Money(amount, try #require(Currency(code)))
        let script = try ScriptWriter(language: language(), phrases: phrases)
            .exactScript(for: .payment(money, channel: "toss"))
        #expect(script.text == text)
        // It is no part of the amount: a cancel may end the sentence before it, and after the last word of the money.
        let amounts = try #require(script.amountRanges.first)
        #expect(script.amountRanges.count == 1 && script.elements.count - amounts.upperBound == 2)
    }

    @Test("A kind that is told without its amount has no suffix of an amount either")
    func kind() throws {
        let language = try language(payment: "{channel}, {amount:이/가}", kind: "보증금 {amount:이/가} 왔습니다")
        let writer = ScriptWriter(language: language, phrases: phrases)
        let name = try #require(KindName("deposit"))
        let money = try Money("3", try #require(Currency("KRW")))
        #expect(writer.script(for: .kind(name, amount: money, number: nil)).text == "보증금 삼원이 왔습니다")
        let large = try Money("5", try #require(Currency("KRW")))
        let script = writer.script(for: .kind(name, amount: large, number: nil))
        #expect(script.text == "보증금  왔습니다" && script.lacksAmount)
    }

    @Test("A suffix may not say for a kind what an arrival says")
    func arrival() throws {
        let forms = [[("after", Self.list("원")), ("say", Self.text(" 입금"))], [("say", Self.text(""))]]
        let refusal = try error { try language(payment: "{channel} 입금 {amount}", kind: "보증금 {amount:이/가}", forms) }
        #expect(refusal.contains("kinds.deposit.words") && refusal.contains("입금"))
    }

    @Test("A sentence, a suffix or a kind with a number of its own is refused: it would make the amount another")
    func ownNumbers() throws {
        let last: [(String, YAMLNode)] = [("say", Self.text(""))]
        let forms = { (say: String) in [[("after", Self.list("원")), ("say", Self.text(say))], last] }
        #expect(
            try error { try language(payment: "{channel} {amount} 삼 원") }
                .contains("sentences.payment: says an amount of its own"))
        #expect(
            try error { try language(payment: "{channel} 삼{amount}") }
                .contains("sentences.payment: a number stands right before {amount}"))
        #expect(try error { try language(forms(" 삼 원")) }.contains("suffixes.이/가: says an amount of its own"))
        #expect(
            try error { try language(payment: "{channel} {amount}", kind: "{number:이/가} 번", forms("삼")) }
                .contains("kinds.deposit.words: the suffix 이/가 says a number"))
        // 이 is a particle and two: behind won it is no number.
        #expect(try language().suffixes.count == 1)
    }

    @Test("A mistake in a suffix is refused with its place and what was expected")
    func mistakes() throws {
        let last: [(String, YAMLNode)] = [("say", Self.text("가"))]
        let unknown = try error { try language(payment: "{channel} {amount:을/를}") }
        let expected = "sentences.payment: {amount:을/를}: there is no suffix \"을/를\"; expected one of 이/가"
        #expect(unknown == "voice.yaml: \(expected)")
        #expect(try error { try language(kind: "보증금 {amount:x}") }.contains("kinds.deposit.words: {amount:x}"))
        #expect(try error { try language([last, last]) }.contains("suffixes.이/가[0]: expected `after`"))
        #expect(try error { try language([Self.particle, Self.particle]) }.contains("expected the last form without"))
        #expect(try error { try language([last]) }.contains("expected two or more forms"))
        #expect(try error { try language([]) }.contains("expected two or more forms"))
        #expect(try error { try language([[("after", Self.list()), last[0]], last]) }.contains("expected one ending"))
        #expect(try error { try language([[("after", Self.list("")), last[0]], last]) }.contains("expected letters"))
        #expect(try error { try language([Self.particle + [("x", Self.text("y"))], last]) }.contains("unknown key"))
        #expect(try error { try language(name: "a:b") }.contains("without braces and colons"))
    }
}
