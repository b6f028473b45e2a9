import SoundboxCore
import SoundboxYAML
import Testing

@Suite("Reading YAML values")
struct YAMLValueTests {
    private enum Colour: String, CaseIterable {
        case red, green
    }

    private func value(_ text: String) throws -> YAMLValue {
        try YAMLValue(parsing: "key: \(text)\n", file: "box.yaml").mapping().required("key")
    }

    /// The error of reading `text` as the value of `key`, which stands in line 1.
    private func error<Value>(_ text: String, _ read: (YAMLValue) throws(YAMLError) -> Value) throws -> YAMLError {
        let value = try value(text)
        let error = try #require(throws: YAMLError.self) { try read(value) }
        #expect(error.file == "box.yaml")
        #expect(error.line == 1)
        #expect(error.key == "key")
        return error
    }

    @Test(
        "Text stays as it is written",
        arguments: [
            ("0800", "0800"), ("\"a: b\"", "a: b"), ("'it''s'", "it's"), ("元", "元"), ("yes", "yes"), ("0123", "0123"),
            ("no", "no"), ("12:30", "12:30"), ("123e4", "123e4"), ("+08:00", "+08:00"), ("2026-11-26", "2026-11-26"),
            ("\"“a”\"", "“a”"), ("a “b”", "a “b”"), ("\"#a\"", "#a"), ("'!a'", "!a"), ("a#b", "a#b"), ("1e2", "1e2"),
            ("\"\\u5143\"", "元"), ("plain # comment", "plain"), ("|\n  one\n  two\n", "one\ntwo\n"), ("", ""),
        ])
    func text(yaml: String, expected: String) throws {
        #expect(try value(yaml).string() == expected)
    }

    @Test(
        "A value that YAML would take for something else says that it needs quotes",
        arguments: [
            "@a", "*a", "`a", "%a", "a: b", "- a", "'it's'", ">a", "#a", "  # a", "!a", "!a b", "&a", "[!a b]", "{a}/b",
        ])
    func quotesNeeded(text: String) throws {
        for isConfidential in [false, true] {
            let error = try #require(throws: YAMLError.self) {
                try YAMLValue(parsing: "x: 1\nkey: \(text)\n", file: "box.yaml", isConfidential: isConfidential)
            }
            #expect(error.problem.contains("quotes") && (2...3).contains(error.line ?? 0), "\(error)")
        }
    }

    @Test("A text that is a mapping or a list without its quotes says so", arguments: ["{a}", "[a]"])
    func flowText(text: String) throws {
        let error = try error(text) { value throws(YAMLError) in try value.string() }
        #expect(error.problem.hasSuffix("text that begins with \(text.prefix(1)) is written in quotes"))
    }

    @Test("Typographic quotes around a value or a key are refused", arguments: ["“a”", "‘a’", "„a“", "”a”", "[“a”]"])
    func typographicQuotes(text: String) throws {
        for document in ["x: 1\nkey: \(text)\n", "x: 1\n\(text): 1\n"] {
            let error = try #require(throws: YAMLError.self) { try YAMLValue(parsing: document, file: "box.yaml") }
            #expect(error.line == 2 && error.problem == "these are typographic quotes; expected straight ones: \"…\"")
        }
    }

    @Test("A comment behind a key whose value follows is none of its business")
    func comments() throws {
        let top = try YAMLValue(parsing: "a: # one\n  b: x # two\n# three\nc: # four\n  - d\n", file: "f").mapping()
        #expect(try top.required("a").mapping().required("b").string() == "x")
        #expect(try top.required("c").list().count == 1)
    }

    @Test(
        "Time spans are a number directly followed by a unit",
        arguments: [
            ("0s", .zero), ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("10m", .seconds(600)),
            ("2h", .seconds(7200)), ("1d", .seconds(86_400)), ("0010s", .seconds(10)),
        ] as [(String, Duration)])
    func durations(text: String, expected: Duration) throws {
        #expect(try value(text).duration(in: .zero ... .seconds(86_400)) == expected)
    }

    @Test(
        "What is no time span within the range is refused with what stood there",
        arguments: [
            "10", "s", "", "10 s", "-10s", "+10s", "1.5h", "10S", "10sec", "1h30m", "１０s", "9999999999999999999s",
            "9223372036854775807d", "25h", "1d ago", "[10s]",
        ])
    func noDurations(text: String) throws {
        let error = try error(text) { value throws(YAMLError) in try value.duration(in: .zero ... .seconds(86_400)) }
        #expect(text.hasPrefix("[") || error.problem.contains("\"\(text)\""))
    }

    @Test("Whole numbers are taken within their range", arguments: [("0", 0), ("100", 100), ("-5", -5), ("0080", 80)])
    func integers(text: String, expected: Int) throws {
        #expect(try value(text).integer(in: -5...100) == expected)
    }

    @Test(
        "What is no whole number within the range is refused",
        arguments: ["101", "-6", "1.0", "1e2", "0x10", "1_0", "ten", "", "99999999999999999999", "{a: 1}"])
    func noIntegers(text: String) throws {
        let error = try error(text) { value throws(YAMLError) in try value.integer(in: -5...100) }
        #expect(text.hasPrefix("{") || error.problem.contains("from -5 to 100"))
    }

    @Test(
        "Numbers with decimals are taken within their range, and nothing else is",
        arguments: ["nan", "inf", "1,5", "2.1", ""])
    func decimals(text: String) throws {
        #expect(try value("-1.5").decimal(in: -2...2) == -1.5)
        _ = try error(text) { value throws(YAMLError) in try value.decimal(in: -2...2) }
    }

    @Test(
        "True and false have three spellings each",
        arguments: [("true", true), ("yes", true), ("on", true), ("false", false), ("no", false), ("off", false)])
    func booleans(text: String, expected: Bool) throws {
        #expect(try value(text).bool() == expected)
    }

    @Test("Any other spelling of true and false is refused", arguments: ["True", "1", "0", "y", "", "enabled"])
    func noBooleans(text: String) throws {
        _ = try error(text) { value throws(YAMLError) in try value.bool() }
    }

    @Test("One of a set of words is taken, and the nearest is named for a slip")
    func choices() throws {
        #expect(try value("green").choice(of: Colour.self) == .green)
        let slip = try error("gren") { value throws(YAMLError) in try value.choice(of: Colour.self) }
        #expect(slip.problem.contains("did you mean \"green\"?"))
        let other = try error("ultraviolet") { value throws(YAMLError) in try value.choice(of: Colour.self) }
        #expect(other.problem.contains("red, green"))
        #expect(!other.problem.contains("did you mean"))
    }

    @Test(
        "A value of another shape is refused by name",
        arguments: [("text", "\"text\""), ("{a: 1}", "a mapping"), ("[1]", "a list"), ("", "nothing")])
    func shapes(text: String, kind: String) throws {
        if !text.hasPrefix("{") {
            let error = try error(text) { value throws(YAMLError) in try value.mapping() }
            #expect(error.problem.contains("expected a mapping") && error.problem.contains(kind))
        }
        if !text.hasPrefix("[") {
            let error = try error(text) { value throws(YAMLError) in try value.list() }
            #expect(error.problem.contains("expected a list") && error.problem.contains(kind))
        }
        if text.hasPrefix("{") || text.hasPrefix("[") {
            let error = try error(text) { value throws(YAMLError) in try value.string() }
            #expect(error.problem.contains("expected text") && error.problem.contains(kind))
        }
    }

    @Test("List elements know their place")
    func lists() throws {
        let list = try value("\n  - a\n  - {x: 5}\n").list()
        #expect(try list[0].string() == "a")
        let error = try #require(throws: YAMLError.self) { try list[1].mapping().required("x").bool() }
        #expect(error.description == "box.yaml:3: key[1].x: expected true or false, found \"5\"")
    }
}
