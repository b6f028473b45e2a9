import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("Spelling by number rules")
struct NumberRulesTests {
    private func spell(_ text: String, by rules: String, with set: String = "%main") throws -> String {
        try NumberRules(parsing: rules).spell(DecimalNumber(text), with: set)
    }

    private static let digits = "0: zero; one; two; three; four; five; six; seven; eight; nine; "

    private static let indianEnglish = """
        # Lakh and crore.
        %main:
        x.x: << point >>;
        \(digits)
        10: ten; eleven; twelve; thirteen; fourteen; fifteen; sixteen; seventeen; eighteen; nineteen;
        20: twenty[->>]; 30: thirty[->>]; 40: forty[->>]; 50: fifty[->>]; 60: sixty[->>];
        70: seventy[->>]; 80: eighty[->>]; 90: ninety[->>];
        100: << hundred[ >>];
        1,000: << thousand[ >>];
        100,000/100,000: << lakh[ >>];
        10,000,000/10,000,000: << crore[ >>];
        """

    @Test(
        "Rules that would take for ever are given up",
        arguments: [
            // Each power of ten says the rest four times: 4 to the power of 15.
            (
                "%main: 0: x; 10: << >> >> >> >>; 100: << >> >> >> >>; "
                    + (3...15).map { "1\(String(repeating: "0", count: $0)): << >> >> >> >>; " }.joined(),
                "999999999999999"
            ),
            ("%main: x.x: =%%a= =%%a=; 0: x; %%a: x.x: =%%b= =%%b=; 0: x; %%b: x.x: =%main=; 0: x;", "1.5"),
        ])
    func beyondMeasure(rules: String, number: String) throws {
        #expect(throws: SpeechError.self) { try spell(number, by: rules) }
    }

    @Test(
        "Indian English counts in lakh and crore",
        arguments: [
            ("0", "zero"), ("21", "twenty-one"), ("100", "one hundred"), ("105", "one hundred five"),
            ("100000", "one lakh"), ("1000000", "ten lakh"),
            (
                "12345678.9",
                "one crore twenty-three lakh forty-five thousand six hundred seventy-eight point nine"
            ),
            ("0.05", "zero point zero five"), ("1000000000000000", "ten crore crore"),
        ])
    func indianEnglish(number: String, expected: String) throws {
        #expect(try spell(number, by: Self.indianEnglish) == expected)
    }

    @Test("Three signs spell decimals without spaces, two with them")
    func decimals() throws {
        #expect(try spell("1.25", by: "%main: x.x: <<.>>>; \(Self.digits)") == "one.twofive")
        #expect(try spell("1.25", by: "%main: x.x: <<.>>; \(Self.digits)") == "one.two five")
    }

    @Test("A rule that passes a number on to another set passes its decimals too")
    func decimalsArePassedOn() throws {
        let rules = "%main: x.x: =%other=; 0: =%other=; %other: x.x: << point >>; \(Self.digits)"
        #expect(try spell("1.25", by: rules) == "one point two five")
        #expect(throws: SpeechError.self) {
            try spell("1.25", by: "%main: x.x: =%other=; 0: no; %other: \(Self.digits)")
        }
        #expect(throws: SpeechError.self) { try spell("1.25", by: "%main: x.x: =%main=; \(Self.digits)") }
    }

    @Test("A rule for numbers below one speaks for those only")
    func belowOne() throws {
        let rules = "%main: x.x: << point >>; 0.x: nought point >>; \(Self.digits)"
        #expect(try spell("0.5", by: rules) == "nought point five")
        #expect(try spell("2.5", by: rules) == "two point five")
        let alone = "%main: 0.x: nought point >>; \(Self.digits)"
        #expect(try spell("0.5", by: alone) == "nought point five")
        #expect(throws: SpeechError.self) { try spell("2.5", by: alone) }
    }

    @Test("The words that a voice must have recorded include those for numbers below one")
    func vocabularyBelowOne() throws {
        let rules = try NumberRules(parsing: "%main: x.x: << point >>; 0.x: nought point >>; 0: zero; one;")
        #expect(rules.vocabulary(ofSets: ["%main"]) == ["zero", "one", " point ", "nought point "])
    }

    @Test("Brackets in a rule for decimals are left out below one")
    func decimalBrackets() throws {
        let rules = "%main: x.x: [<< and ]point >>; \(Self.digits)"
        #expect(try spell("0.5", by: rules) == "point five")
        #expect(try spell("2.5", by: rules) == "two and point five")
    }

    @Test("A rule names the set that spells its quotient or remainder")
    func otherSets() throws {
        let rules = "%main: \(Self.digits) 10: <%%tens<>%%ones>; %%tens: 1: X; XX; %%ones: 0: ; I; II;"
        #expect(try spell("21", by: rules) == "XXI")
        #expect(try spell("10", by: rules) == "X")
    }

    @Test("A radix and lowered powers choose the divisor")
    func divisors() throws {
        #expect(try spell("25", by: "%main: \(Self.digits) 10: ten; 12/12: << dozen[ >>];") == "two dozen one")
        #expect(try spell("45", by: "%main: \(Self.digits) 20/20: << score[ >>];") == "two score five")
        #expect(
            try spell("1905", by: "%main: \(Self.digits) 10: ten[ >>]; 1100>: <%%c< hundred[ >>]; %%c: 19: nineteen;")
                == "nineteen hundred five")
    }

    @Test("A rule for remainders yields to the rule before it where there is no remainder")
    func rollback() throws {
        let rules = "%main: \(Self.digits) 100: << hundred; 101: << hundred and >>;"
        #expect(try spell("200", by: rules) == "two hundred")
        #expect(try spell("201", by: rules) == "two hundred and one")
    }

    @Test(
        "What the rules do not cover is an error and never a wrong number",
        arguments: [
            ("5", "%main: 6: six;"), ("0", "%main: 1: one;"), ("1.5", "%main: \(digits)"),
            ("10", "%main: 0: a; 10: =#,##0=;"),
            ("1.5", "%main: x.x: =#,##0.#=; 0: a;"), ("5", "%main: 0: =%main=;"),
            ("5", "%main: 0: =%b=; %b: 0: =%main=;"),
            ("15", "%main: 10: <<;"),
        ])
    func uncovered(number: String, rules: String) throws {
        let rules = try NumberRules(parsing: rules)
        #expect(throws: SpeechError.self) { try rules.spell(DecimalNumber(number), with: "%main") }
    }

    @Test("A set that does not exist is an error")
    func unknownSet() throws {
        #expect(throws: SpeechError.self) { try spell("1", by: "%main: \(Self.digits)", with: "%other") }
    }
}
