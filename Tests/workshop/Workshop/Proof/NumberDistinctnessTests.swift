import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxWorkshop

@Suite("Different numbers have different words")
struct NumberDistinctnessTests {
    private static let digits = "x.x: << point >>;\n0: zero; one; two; three; four; five; six; seven; eight; nine;\n"

    private func problem(_ text: String, withDecimals: Bool = true) throws -> NumberRuleError? {
        let rules = try NumberRules(parsing: text)
        try rules.validate("%a", withDecimals: withDecimals)
        do {
            try rules.validateDistinctness("%a", withDecimals: withDecimals)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Rules that say all of a number pass",
        arguments: [
            // Digit by digit.
            "%a:\n\(digits)10: << >>;",
            "%a:\n\(digits)10: << ty[ >>]; 100: one hundred[ >>]; 200: << hundred[ >>]; 1000: << thousand[ >>];",
            // The word for thousand depends on how many there are, which is said beside it.
            "%a:\n\(digits)10: << ty[ >>]; 100: << hundred[ >>]; 1000: << <%%form<[ >>];\n"
                + "%%form: 1: thousand; 2: thousands; 5: thousandz; 10: >%%rest>; 100: >%%rest>; 1000: >%%rest>;\n"
                + "%%rest: 0: thousandz; 1: =%%form=; 10: >>; 100: >>;",
            // A base that is lowered says on purpose how many hundreds.
            "%a:\n\(digits)10: << ty[ >>]; 100: << hundred[ >>]; 1000: << thousand[ >>]; 1100>: << hundred[ >>]; "
                + "2000: << thousand[ >>];",
            // Another rule for what is below one.
            "%a:\n0.x: nought point >>;\n\(digits)10: << >>;",
        ])
    func complete(rules: String) throws {
        #expect(try problem(rules) == nil)
    }

    @Test(
        "A rule that leaves out a part of its numbers is named, with two numbers that sound alike",
        arguments: [
            (
                "\(digits)10: << ty[ >>]; 100: one hundred[ >>]; 200: << hundred;\n1000: << thousand[ >>];",
                "rule \"200: << hundred\": 201 and 200 are both read \"two hundred\"; expected \">>\", or a rule for 201"
            ),
            (
                "\(digits)10: << ty[ >>]; 100: hundred[ >>]; 1000: << thousand[ >>];",
                "rule \"100: hundred[ >>]\": 200 and 100 are both read \"hundred\"; expected \"<<\", or a rule for 200"
            ),
            // What stands in brackets does not say it either.
            (
                "\(digits)10: << ty[ and more]; 100: << hundred[ >>]; 1000: << thousand[ >>];",
                "12 and 11 are both read \"one ty and more\""
            ),
            // One word is missing: each behind it is said for the number before.
            (
                "x.x: << point >>; 0: zero; one; two; three; four; five; six; seven; nine; 10: << ty[ >>];",
                "rule \"nine\": 9 and 8 are both read \"nine\"; expected a rule for 9"
            ),
            // Lost by a set that gets fewer numbers than the one before it.
            (
                "\(digits)10: << ty[ >%%rest>]; 100: << hundred[ >>]; 1000: << thousand[ >>];\n%%rest: 1: =%a=; 8: eight;",
                "rule \"8: eight\": 19 and 18 are both read \"one ty eight\"; expected a rule for 9"
            ),
            // 109 as 19.
            (
                "\(digits)10: << ten[ >>]; 100: << ten[ >>]; 1000: << thousand[ >>];",
                "are both read \"one ten"
            ),
            // Two words for each of two numbers, put together alike.
            ("\(digits)10: one ty[ >>]; 20: << ty[ >>]; 30: three ty one[ >>]; 40: << >>;", "are both read"),
        ])
    func loss(rules: String, words: String) throws {
        let error = try #require(try problem("%a:\n\(rules)"))
        #expect(error.description.contains(words), "\(error)")
    }

    @Test(
        "Decimals that are lost are found",
        arguments: [
            ("x.x: << point;", "0.2 and 0.1 are read alike; expected \">>\""),
            ("x.x: point >>;", "1.5 and 0.5 are read alike; expected \"<<\""),
            ("x.x: <<>>>;", "are both read"),
            ("x.x: =%%b=;", "are both read"),
        ])
    func decimals(rule: String, words: String) throws {
        // A zero that is not heard makes 12.05 into 12.5.
        let other = "%%b: x.x: <%a< point >>>; 0: '; one; two; three; four; five; six; seven; eight; nine;"
        let words0 = "0: zero; one; two; three; four; five; six; seven; eight; nine; 10: << >>;\n"
        let error = try #require(try problem("%a:\n\(rule)\n\(words0)\(other)"))
        #expect(error.description.contains(words), "\(error)")
    }

    @Test(
        "A unit that is left out is found, though its numbers can be told apart",
        arguments: [
            // Thirty-four tens and five.
            ("10: ten[ >>]; 20: << ten[ >>]; 1000: << thousand[ >>];", "reads 100 as \"ten ten\""),
            // Ten hundred, where there are thousands.
            (
                "10: << ty[ >>]; 100: << hundred[ >>]; 2000: << thousand[ >>];",
                "reads 1000 as \"one ty hundred\"; expected a rule for 1000"
            ),
            ("10: << ty[ >>]; 100: << hundred[ >>]; 1000000: << million[ >>];", "reads 1000 as \"one ty hundred\""),
        ])
    func gap(rules: String, words: String) throws {
        let error = try #require(try problem("%a:\n\(Self.digits)\(rules)"))
        #expect(error.description.contains(words), "\(error)")
    }

    @Test("Blanks, hyphens and capitals tell no numbers apart: they are not heard")
    func unheard() throws {
        let teens = "10: ten; one-ten; One ten; a; b; c; d; e; f; g; 20: << >>;"
        let error = try #require(try problem("%a:\n\(Self.digits)\(teens)"))
        #expect(error.description.contains("12 and 11 are both read"), "\(error)")
    }

    @Test("A number without words is refused")
    func silence() throws {
        let rules = "%a:\n0: '; one; two; three; four; five; six; seven; eight; nine; 10: << ty[ >>];"
        let error = try #require(try problem(rules, withDecimals: false))
        #expect(error.problem == "it has no words for 0")
    }
}

@Suite("Different amounts have different words")
struct AmountDistinctnessTests {
    private func language(_ unit: CurrencyWords, joint: String = " ") throws -> Language {
        let rules = """
            %n:
            x.x: << point >>;
            0: zero; one; two; three; four; five; six; seven; eight; nine;
            10: << ty[ >>]; 100: << hundred[ >>]; 1000: << thousand[ >>];
            """
        return Language(
            locale: "en", name: "English", wordsAreSpaced: true, numbers: try NumberRules(parsing: rules),
            cardinalRuleSet: "%n", countingRuleSet: "%n", subunitJoint: joint, units: ["USD": unit], channels: [:],
            sentences: [:], prompts: [:], pauses: [:])
    }

    private func cents(_ one: String, _ other: String, unit: String = "dollars") -> CurrencyWords {
        CurrencyWords(
            unit: CountedWord(one: "dollar", other: unit),
            subunits: [.init(digits: 2, word: CountedWord(one: one, other: other))])
    }

    @Test("Units with parts of other names pass")
    func distinct() throws {
        try language(cents("cent", "cents")).proveAmounts(of: "USD")
        try language(CurrencyWords(unit: CountedWord("dollar"))).proveAmounts(of: "USD")
    }

    @Test("Cents that are called as dollars are found")
    func sameWord() throws {
        let error = try #require(throws: Language.AlikeAmounts.self) {
            try language(cents("dollar", "dollars")).proveAmounts(of: "USD")
        }
        #expect(error.description.contains("are both read"), "\(error)")
        #expect(error.first != error.second)
    }

    @Test("Parts of one digit each that have one name are found: 1.05 is not 1.5")
    func sameParts() throws {
        let words = CurrencyWords(
            unit: CountedWord("dollars"),
            subunits: [.init(digits: 1, word: CountedWord("bit")), .init(digits: 1, word: CountedWord("bit"))])
        let error = try #require(throws: Language.AlikeAmounts.self) {
            try language(words).proveAmounts(of: "USD")
        }
        #expect(error.reading.contains("bit"), "\(error)")
    }

    @Test(
        "A unit or part that goes on with the number before it is found: five hundred of them are no five",
        arguments: ["hundred", " Hundred", "ty four", "thousand", "point five"])
    func unitLikeNumber(word: String) throws {
        for words in [CurrencyWords(unit: CountedWord(word)), cents(word, word)] {
            let error = try #require(throws: Language.UnitLikeNumber.self) { try language(words).proveUnits() }
            #expect(error.word == word)
            #expect(error.meant != error.heard)
        }
        try language(cents("cent", "cents")).proveUnits()
    }
}
