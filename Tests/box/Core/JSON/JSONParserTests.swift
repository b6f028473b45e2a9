import SoundboxCore
import Testing

@Suite("Parsing JSON")
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test(
        "Valid texts are read",
        arguments: [
            ("null", .null), ("true", .bool(true)), (" false\n", .bool(false)), ("0", .number("0")),
            ("-0", .number("-0")), ("-0.0e+00", .number("-0.0e+00")), ("10", .number("10")), ("1E5", .number("1E5")),
            ("1.50", .number("1.50")),
            ("123456789012345678901234567890.5", .number("123456789012345678901234567890.5")),
            (#""""#, .string("")), (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{c}\n\r\t")),
            (#""\u4e00\u00E9""#, .string("一é")), (#""\ud83d\ude00""#, .string("😀")), (#""😀""#, .string("😀")),
            (#""\u0000""#, .string("\u{0}")), ("\"\u{7F}\u{2028}\"", .string("\u{7F}\u{2028}")), ("[]", .array([])),
            ("[ ]", .array([])), ("[1,[2],{}]", .array([.number("1"), .array([.number("2")]), .object([])])),
            ("{}", .object([])), ("{ }", .object([])), (#"{"":0}"#, .object([("", .number("0"))])),
            (#"{"b":1,"a":[null]}"#, .object([("b", .number("1")), ("a", .array([.null]))])),
            ("\t\r\n [1 , 2 ]\n", .array([.number("1"), .number("2")])), (#""\uFFFF""#, .string("\u{FFFF}")),
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", .object([("\u{E9}", .number("1")), ("e\u{301}", .number("2"))])),
            (#"{"a":1,"A":2}"#, .object([("a", .number("1")), ("A", .number("2"))])),
        ] as [(String, JSONValue)])
    func accepts(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "Invalid texts are refused",
        arguments: [
            "", " ", "nul", "nulll", "True", "TRUE", "tru", "undefined", "NaN", "-NaN", "Infinity", "-Infinity", "-",
            "+1",
            "01", "-01", "00", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1e-", "1e1.5", "0x1", "1_000", "1,000", "1 2",
            "--1", "1..2", "１", "\"", "\"a", "\"\\\"", "\"\\x41\"", "\"\\u\"", "\"\\u12\"", "\"\\u123g\"",
            "\"\\u+123\"",
            "\"\\ud800\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\\U0041\"",
            "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "'a'", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]",
            "[1,,2]",
            "[1}", "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{\"a\" 1}",
            "{\"a\"::1}", "{a:1}", "{1:1}", "{null:1}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":1}",
            "{\"a\":1,\"\\u0061\":2}", "{\"x\":{\"a\":1,\"a\":1}}", "[1]x", "[1][2]", "null null", "// c\n1",
            "/* c */1",
            "1 // c", "# c\n1", "\u{FEFF}1", "\u{A0}1", "1\u{0}", "\u{0}1", "1\u{B}", "\u{C}1", "[\u{2028}1]",
            "\"a\"\"b\"", "{\"a\":}", "{:1}", "[\"a\":1]", "{\"a\",1}", "*", "<null>", "\"\\", "\"\\a\"", "\"\\\u{0}\"",
        ])
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }

    @Test(
        "Strings and names that are not UTF-8 are refused",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xC0, 0x80, 0x22],
            [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22], [0xFF], [0xFE, 0xFF, 0x00, 0x31],
            [0x31, 0x00], [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test("32 levels of nesting are read, 33 are refused, and 100,000 do not exhaust the stack")
    func nesting() throws {
        func arrays(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try parse(arrays(32)) }
        #expect(throws: JSONError.self) { try parse(arrays(33)) }
        #expect(throws: JSONError.self) { try parse(arrays(100_000)) }
        #expect(throws: JSONError.self) { try parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test(
        "An error says at which byte the text went wrong",
        arguments: [("[1,x]", 3), ("{\"元\":x}", 7), ("[1] x", 4), ("[1", 2), ("{\"a\":1,}", 7)])
    func offsets(text: String, offset: Int) throws {
        let error = try #require(throws: JSONError.self) { try parse(text) }
        #expect(error.offset == offset)
        #expect(error.description.contains("byte \(offset)"))
    }

    @Test("A member is found by its name; other values have none")
    func lookup() throws {
        let value = try parse(#"{"a":{"b":"x"},"n":12,"f":1.5}"#)
        #expect(value["a"]?["b"]?.string == "x")
        #expect(value["n"]?.integer == 12)
        #expect(value["f"]?.integer == nil)
        #expect(value["f"]?.string == nil)
        #expect(value["c"] == nil)
        #expect(JSONValue.array([])["a"] == nil)
    }
}
