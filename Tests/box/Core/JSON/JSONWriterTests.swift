import SoundboxCore
import TestSupport
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test(
        "Values are written compactly, in order, with every escape that JSON or a terminal demands",
        arguments: [
            (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.number("1.50"), "1.50"),
            (.integer(-7), "-7"), (.integer(Int64.max), "9223372036854775807"), (.string(""), #""""#),
            (.string("\"\\/\n\r\t\u{8}\u{c}\u{0}\u{1F}"), #""\"\\/\n\r\t\u0008\u000c\u0000\u001f""#),
            (.string("一😀\u{7F}"), #""一😀\u007f""#),
            (.string("\u{9B}\u{2028}\u{202E}"), #""\u009b\u2028\u202e""#), (.string("\r\n"), #""\r\n""#),
            (.array([]), "[]"),
            (.array([.null, .array([.number("1")])]), "[null,[1]]"), (.object([]), "{}"),
            (.object([("b", .number("1")), ("a\"", .null)]), #"{"b":1,"a\"":null}"#),
        ] as [(JSONValue, String)])
    func writes(value: JSONValue, text: String) {
        #expect(value.text == text)
        #expect(value.bytes == Array(text.utf8))
    }

    @Test("A random value survives being written and read")
    func roundTrips() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<1000 {
            let value = randomValue(depth: 0, using: &random)
            #expect(try JSONValue(parsing: value.bytes) == value)
        }
    }

    private func randomValue(depth: Int, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int.random(in: .min ... .max, using: &random))
        case 3:
            return .number(
                "\(UInt8.random(in: 0...9, using: &random)).\(UInt16.random(in: 0 ... .max, using: &random))")
        case 4: return .string(randomString(using: &random))
        case 5: return .array((0..<3).map { _ in randomValue(depth: depth + 1, using: &random) })
        default:
            // Names must differ, so each begins with its place.
            return .object(
                (0..<3).map { ("\($0)\(randomString(using: &random))", randomValue(depth: depth + 1, using: &random)) })
        }
    }

    private func randomString(using random: inout SeededGenerator) -> String {
        var string = ""
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x3FF, using: &random)) {
                string.unicodeScalars.append(scalar)
            }
            if Bool.random(using: &random),
                let scalar = Unicode.Scalar(UInt32.random(in: 0x4E00...0x1F64F, using: &random))
            {
                string.unicodeScalars.append(scalar)
            }
        }
        return string
    }
}
