import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("Amounts with their units")
struct AmountReadingTests {
    private static let english = """
        %n:
        x.x: << point >>;
        0: zero; one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve;
        20: twenty[ >>]; 30: thirty[ >>]; 40: forty[ >>]; 50: fifty[ >>]; 100: << hundred[ >>];
        """

    private func language(_ style: DecimalStyle) throws -> Language {
        let dollars = CurrencyWords(
            unit: CountedWord(one: "dollar", other: "dollars"),
            subunits: [.init(digits: 2, word: CountedWord(one: "cent", other: "cents"))])
        let dinars = CurrencyWords(
            unit: CountedWord(one: "dinar", other: "dinars"), subunits: [.init(digits: 3, word: CountedWord("fils"))])
        return Language(
            locale: "en", name: "English", wordsAreSpaced: true, numbers: try NumberRules(parsing: Self.english),
            cardinalRuleSet: "%n", countingRuleSet: "%n", decimalStyle: style, subunitJoint: " and ",
            units: ["USD": dollars, "KWD": dinars, "JPY": CurrencyWords(unit: CountedWord("yen"))], channels: [:],
            sentences: [:], prompts: [:], pauses: [:])
    }

    private func reading(_ amount: String, _ code: String, _ style: DecimalStyle) throws -> String {
        try language(style).reading(of: Money(amount, try #require(Currency(code))))
    }

    @Test(
        "With a point: one is singular, everything else plural",
        arguments: [
            ("1", "USD", "one dollar"), ("1.00", "USD", "one dollar"), ("2", "USD", "two dollars"),
            ("0", "USD", "zero dollars"), ("1.5", "USD", "one point five dollars"),
            ("0.05", "USD", "zero point zero five dollars"), ("7", "JPY", "seven yen"),
        ])
    func point(amount: String, code: String, expected: String) throws {
        #expect(try reading(amount, code, .point) == expected)
    }

    @Test(
        "With subunits: what is zero is not spoken, each part has its own number",
        arguments: [
            ("1.01", "USD", "one dollar and one cent"), ("2.50", "USD", "two dollars and fifty cents"),
            ("0.05", "USD", "five cents"), ("0.01", "USD", "one cent"), ("3", "USD", "three dollars"),
            ("3.00", "USD", "three dollars"), ("1.005", "KWD", "one dinar and five fils"),
            // Finer than a cent, and a currency without parts: exactly, with a point.
            ("1.005", "USD", "one point zero zero five dollars"), ("1.5", "JPY", "one point five yen"),
        ])
    func subunits(amount: String, code: String, expected: String) throws {
        #expect(try reading(amount, code, .subunit) == expected)
    }

    @Test(
        "In Mandarin 角 and 分 are two parts, and a missing 角 is 零",
        arguments: [
            ("12.5", "十二元五角"), ("12.05", "十二元零五分"), ("12.55", "十二元五角五分"), ("0.06", "六分"),
            ("0.10", "一角"), ("12.00", "十二元"), ("12.345", "十二点三四五元"),
        ])
    func mandarin(amount: String, expected: String) throws {
        var language = try Mandarin.language()
        language.decimalStyle = .subunit
        #expect(try language.reading(of: Money(amount, .CNY)) == expected)
    }

    /// Spanish: uno alone, un before a masculine word, una before a feminine one.
    private func spanish(_ style: DecimalStyle) throws -> Language {
        let numbers = """
            %n:
            x.x: << coma >>;
            0: cero; uno; dos; tres; cuatro; cinco; seis; siete; ocho; nueve; diez; 11: diez y >>;
            20: << veces diez[ y >>];
            %m:
            x.x: =%n=;
            0: cero; un; 2: =%n=; 11: diez y >>; 20: <%n< veces diez[ y >>];
            %f:
            x.x: =%n=;
            0: cero; una; 2: =%n=; 11: diez y >>; 20: <%n< veces diez[ y >>];
            """
        let euros = CurrencyWords(
            unit: CountedWord(one: "euro", other: "euros", cardinalRuleSet: "%m"),
            subunits: [.init(digits: 2, word: CountedWord(one: "céntimo", other: "céntimos", cardinalRuleSet: "%m"))])
        let pounds = CurrencyWords(
            unit: CountedWord(one: "libra", other: "libras", cardinalRuleSet: "%f"),
            subunits: [.init(digits: 2, word: CountedWord(one: "penique", other: "peniques", cardinalRuleSet: "%m"))])
        return Language(
            locale: "es", name: "Español", wordsAreSpaced: true, numbers: try NumberRules(parsing: numbers),
            cardinalRuleSet: "%n", countingRuleSet: "%n", decimalStyle: style, subunitJoint: " con ",
            units: ["EUR": euros, "GBP": pounds, "JPY": CurrencyWords(unit: CountedWord("yen"))], channels: [:],
            sentences: [:], prompts: [:], pauses: [:])
    }

    @Test(
        "A unit's gender decides the number before it, a part's its own",
        arguments: [
            ("1", "EUR", "un euro"), ("1", "GBP", "una libra"), ("21", "GBP", "dos veces diez y una libras"),
            ("1.01", "GBP", "una libra con un penique"), ("1", "JPY", "uno yen"),
            ("11.5", "EUR", "diez y un euros con cinco veces diez céntimos"),
        ])
    func gender(amount: String, code: String, expected: String) throws {
        #expect(try spanish(.subunit).reading(of: Money(amount, try #require(Currency(code)))) == expected)
    }

    @Test("With a point the number has the gender that the set gives it, and a number alone has none")
    func genderOfDecimals() throws {
        let language = try spanish(.point)
        #expect(try language.reading(of: Money("1.1", try #require(Currency("GBP")))) == "uno coma uno libras")
        #expect(try language.reading(ofNumber: 1) == "uno")
        #expect(language.amountRuleSets == ["%n", "%f", "%m"])
    }

    @Test("A rest before the unit is played and not written")
    func unitPause() throws {
        var language = try Mandarin.language()
        language.unitPause = .milliseconds(40)
        let writer = ScriptWriter(language: language, phrases: Mandarin.phrases())
        let script = try writer.exactScript(for: .payment(Money("5", .CNY), channel: "alipay"))
        #expect(script.text == "支付宝到账,五元")
        #expect(script.elements.contains(.pause(.milliseconds(40))))
    }
}
