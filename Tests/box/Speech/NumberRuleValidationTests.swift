import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("Proving number rules before they are used")
struct NumberRuleValidationTests {
    private static let digits = "0: zero; one; two; three; four; five; six; seven; eight; nine;\n"

    private func problem(_ text: String) throws -> NumberRuleError? {
        let rules = try NumberRules(parsing: text)
        do {
            try rules.validate("%a", withDecimals: true)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Rules that spell every number to 10¹⁵ pass",
        arguments: [
            "%a:\nx.x: << point >>;\n\(digits)10: << ty[ >>];\n100: << hundred[ >>];\n1000: << thousand[ >>];",
            // The optional part never sees a remainder of zero, so the set may begin at one.
            "%a:\nx.x: <<.>>;\n\(digits)10: <<[>%%rest>];\n%%rest:\n1: =%a=;",
            "%a:\nx.x: <<.>>;\n\(digits)10: =%%tens=;\n%%tens:\n10: <%a<ty[>%a>];",
        ])
    func complete(rules: String) throws {
        #expect(try problem(rules) == nil)
    }

    @Test(
        "A number that no rule spells is found wherever it lies",
        arguments: [
            ("%a:\nx.x: <<.>>;\n1: one;\n", 1, "no rule for 0"),
            ("%a:\nx.x: <<.>>;\n\(digits)10: <<[>%%rest>];\n%%rest:\n2: =%a=;", 5, "no rule for 1"),
            // Without brackets the remainder may be zero.
            ("%a:\nx.x: <<.>>;\n\(digits)10: << >%%rest>;\n%%rest:\n1: =%a=;", 5, "no rule for 0"),
            // Reached through two sets, for 10¹² and more only.
            (
                "%a:\nx.x: <<.>>;\n\(digits)10: <<[ >>];\n1000000000000: <%%big< T[ >>];\n%%big:\n1: =%%few=;\n"
                    + "%%few:\n5: =%a=;", 8, "no rule for 1 to 4"
            ),
        ])
    func gaps(rules: String, line: Int, words: String) throws {
        let error = try #require(try problem(rules))
        #expect(error.line == line)
        #expect(error.problem.contains(words), "\(error)")
    }

    @Test(
        "Sets that hand the same number round for ever are found",
        arguments: [
            ("%a:\nx.x: <<.>>;\n0: =%a=;", 3),
            ("%a:\nx.x: <<.>>;\n\(digits)10: =%%b=;\n%%b:\n0: =%%c=;\n%%c:\n0: zero;\n20: =%a=;", 9),
            // Divided by one, a number stays what it is.
            ("%a:\nx.x: <<.>>;\n0: zero;\n1: <<;", 4),
            ("%a:\nx.x: <<.>>;\n0: >>;", 3),
        ])
    func endless(rules: String, line: Int) throws {
        let error = try #require(try problem(rules))
        #expect(error.line == line)
        #expect(error.problem.contains("without end"), "\(error)")
    }

    @Test(
        "Rules that say ever more, the longer the number, are given up before they fill the memory or the day",
        arguments: [
            // Twice as many words for each digit; the second was found by fuzzing.
            ("<<<<", "1000000000000000"), (String(repeating: "x", count: 1000) + "<<<<", "10000000000"),
        ])
    func everMore(body: String, number: String) throws {
        let rules = try NumberRules(parsing: "%a:\nx.x: <<.>>;\n\(Self.digits)10: \(body);")
        let error = #expect(throws: SpeechError.self) { try rules.spell(DecimalNumber(number), with: "%a") }
        #expect("\(try #require(error))".contains("endless length"))
    }

    @Test("A reading that is long and has an end is said in full")
    func longReadings() throws {
        let long = String(repeating: "x", count: 1000)
        let rules = try NumberRules(parsing: "%a:\nx.x: <<.>>;\n0: \(long);\n10: <<[>>];")
        #expect(try rules.spell(DecimalNumber("11"), with: "%a") == long + long)
    }

    @Test("Decimals that are handed on to a set without a rule for them, or round in a circle, are refused")
    func handedOnDecimals() throws {
        #expect(
            try problem("%a:\nx.x: =%b=;\n0: =%b=;\n%b:\n\(Self.digits)10: <<[>>];")?.problem.contains("x.x") == true)
        let circle = "%a:\nx.x: =%b=;\n0: =%b=;\n%b:\nx.x: =%a=;\n\(Self.digits)10: <<[>>];"
        #expect(try problem(circle)?.problem.contains("without end") == true)
        #expect(try problem("%a:\nx.x: =%b=;\n0: =%b=;\n%b:\nx.x: <<.>>;\n\(Self.digits)10: <<[>>];") == nil)
    }

    @Test("Rules without one for decimals, and rules that leave digits to figures, are refused")
    func unspeakable() throws {
        #expect(try problem("%a:\n\(Self.digits)10: <<[>>];")?.problem.contains("x.x") == true)
        #expect(try problem("%a:\nx.x: <<.>>;\n\(Self.digits)10: =#,##0=;")?.problem.contains("figures") == true)
    }

    @Test("A numerator over a denominator, as RBNF has it in x.x rules, is refused")
    func fractionSet() throws {
        #expect(throws: NumberRuleError.self) {
            try NumberRules(parsing: "%a:\nx.x: << and >%b>;\n\(Self.digits)%b:\n0: zero;")
        }
    }
}
