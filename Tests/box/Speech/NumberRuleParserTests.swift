import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing

@Suite("Parsing number rules")
struct NumberRuleParserTests {
    @Test(
        "An error names the line, the rule and what is wrong with it",
        arguments: [
            ("", 1, "rule set"), ("# nothing\n", 1, "rule set"), ("0: a;", 1, "before the first"),
            ("%a:\n0: a;\n%a:\n0: b;", 3, "twice"), ("%a:\n0: a", 2, "\";\""), ("%a:\n0: a;\n%b", 3, "\";\""),
            ("%a:\nx: a;", 2, "base"), ("%a:\n0: a;\n: b;", 3, "base"), ("%a:\n1/2/3: a;", 2, "base"),
            ("%a:\n-5: a;", 2, "base"), ("%a:\n1.5x: a;", 2, "base"), ("%a:\n99999999999999999999: a;", 2, "base"),
            ("%a:\n18446744073709551615: a; b;", 2, "base"),
            ("%a:\n10/1: a;", 2, "radix"), ("%a:\n10/x: a;", 2, "radix"), ("%a:\n10/0: a;", 2, "radix"),
            ("%a:\n10>>: a;", 2, "powers"), ("%a:\n5: a;\n5: b;", 3, "rise"), ("%a:\n5: a;\n\n4: b;", 4, "rise"),
            ("%a:\n0: a;\n# c\n10: =%b=;", 4, "%b"), ("%a:\n10: <<;\n20: >%c>;", 3, "%c"),
            ("%a:\n10: <<<;", 2, "second"),
            ("%a:\n10: a>;", 2, "second"), ("%a:\n10: =;", 2, "second"), ("%a:\n10: a[b;", 2, "without"),
            ("%a:\n10: a]b;", 2, "without"), ("%a:\n10: a[[b]];", 2, "nest"), ("%a:\n10: >>>;", 2, ">>>"),
            ("%a:\n10: $(cardinal,one{a}other{b})$;", 2, "plural"), ("%a:\n10: a\n b\n [c;\n20: d;", 2, "without"),
        ])
    func errors(text: String, line: Int, problem: String) throws {
        let error = try #require(throws: NumberRuleError.self) { try NumberRules(parsing: text) }
        #expect(error.line == line)
        #expect(error.problem.contains(problem), "\(error)")
    }

    @Test(
        "A semicolon that is missing is found by the rule behind it",
        arguments: ["%a: 0: zero; 1: one 2: two;", "%a: 0: zero; 10: << ty[ >>] %%b: 1: one;"])
    func semicolon(rules: String) throws {
        let error = try #require(throws: NumberRuleError.self) { try NumberRules(parsing: rules) }
        #expect(error.problem.contains("expected \";\" before"), "\(error)")
    }

    @Test("More rule sets than any language needs are refused, before they are followed")
    func manySets() throws {
        let chain = (1...2_000).map { "%set\($0):\nx.x: =%set\($0 + 1)=;\n0: =%set\($0 + 1)=;\n" }.joined()
        let error = try #require(throws: NumberRuleError.self) {
            try NumberRules(parsing: chain + "%set2001: 0: zero;")
        }
        #expect(error.problem == "expected at most 200 rule sets")
        let two = (1...200).map { "%set\($0): 0: zero;" }.joined(separator: "\n")
        _ = try NumberRules(parsing: two)
    }

    @Test("Sets are known in the order of the text, and comments and empty lines do not count")
    func sets() throws {
        let rules = try NumberRules(parsing: "# first\n%a:\n\n  # more\n0: =%%b=;\n%%b:\n0: x; # is text\n;")
        #expect(rules.sets.map(\.name) == ["%a", "%%b"])
    }

    @Test("Line ends of other systems are line ends")
    func lineEnds() throws {
        let rules = try NumberRules(parsing: "# comment\r\n%a:\r\n# another\r\n0: zero;\r\n1: one;\r\n")
        #expect(try rules.spell(DecimalNumber(whole: 1), with: "%a") == "one")
        let error = try #require(throws: NumberRuleError.self) { try NumberRules(parsing: "%a:\r\n0: a;\r\nx: b;\r\n") }
        #expect(error.line == 3)
    }

    @Test("CLDR's rules for negative numbers, infinity and not-a-number are skipped")
    func skipped() throws {
        let rules = try NumberRules(
            parsing: "%a: -x: minus >>; Inf: infinite; NaN: none; x.0: <<; x,x: <<,>>; 0: zero; one;")
        #expect(try rules.spell(DecimalNumber(whole: 1), with: "%a") == "one")
        #expect(try rules.spell(DecimalNumber("1.1"), with: "%a") == "one,one")
    }

    @Test("An apostrophe keeps the spaces behind it; several rules share a line; a rule may span lines")
    func layout() throws {
        let rules = try NumberRules(parsing: "%a: 0: '  zero; one;\n  5:\n  five;")
        #expect(try rules.spell(DecimalNumber(whole: 0), with: "%a") == "  zero")
        #expect(try rules.spell(DecimalNumber(whole: 1), with: "%a") == "one")
        #expect(try rules.spell(DecimalNumber(whole: 7), with: "%a") == "five")
    }

    @Test("Rules with random damage are parsed or refused, never a crash")
    func mutations() throws {
        let valid = "%a:\nx.x: <<点>>>;\n0: 零; 一;\n20: <<十[>>];\n1000/1000: <%b<千[>%b>];\n100>: a;\n%b:\n0: =%a=;\n"
        let alphabet = Array("%:;<>=[]$#0129/'x.,\n 零a")
        var random = SeededGenerator(seed: 17)
        for _ in 0..<5000 {
            var text = Array(valid)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                text[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            guard let rules = try? NumberRules(parsing: String(text)) else { continue }
            for number in ["0", "7", "21", "1234567", "0.5", "1000000000000000"] {
                for set in rules.setNames { _ = try? rules.spell(DecimalNumber(number), with: set) }
            }
        }
    }
}
