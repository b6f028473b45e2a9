import SoundboxBox
import SoundboxCore
import TestSupport
import Testing

@Suite("Custom messages as JSON")
struct CustomMessageJSONTests {
    private static let sum = String(repeating: "0a", count: 32)
    private static let head = #""id":"r-1","at":"2026-11-21T10:15:00+08:00""#

    private func customMessage(_ members: String) throws -> CustomMessage {
        try CustomMessage(decoding: try JSONValue(parsing: Array("{\(Self.head),\(members)}".utf8)))
    }

    private func problem(_ members: String) throws -> String? {
        let json = try JSONValue(parsing: Array("{\(members)}".utf8))
        do { _ = try CustomMessage(decoding: json) } catch { return error.description }
        return nil
    }

    @Test("A ring without words is the tone, for half a minute")
    func ring() throws {
        let customMessage = try customMessage(#""type":"ring""#)
        #expect(customMessage.id.text == "r-1")
        #expect(customMessage.at == Timestamp(rfc3339: "2026-11-21T02:15:00Z"))
        #expect(customMessage.purpose == .ring(timeout: .seconds(30)))
        #expect(customMessage.content == .tone)
    }

    @Test(
        "What is to be heard",
        arguments: [
            (#""text":"三号桌叫人""#, CustomMessage.Content.text("三号桌叫人")),
            (#""segments":["欢迎","光临"]"#, .segments(["欢迎", "光临"])),
            (
                #""clip":{"url":"https://cdn.example.com/a.ogg","sha256":"\#(sum.uppercased())"}"#,
                .clip(ClipReference(url: "https://cdn.example.com/a.ogg", sha256: sum), otherwise: nil)
            ),
            (
                #""clip":{"url":"https://cdn.example.com/a.ogg","sha256":"\#(sum)","bytes":7},"text":"你好""#,
                .clip(ClipReference(url: "https://cdn.example.com/a.ogg", sha256: sum, bytes: 7), otherwise: "你好")
            ),
            (#""kind":"queue_number","number":12"#, .kind(try #require(KindName("queue_number")), number: 12)),
            (
                #""kind":"queue_number","text":null,"other":[]"#,
                .kind(try #require(KindName("queue_number")), number: nil)
            ),
        ])
    func content(members: String, expected: CustomMessage.Content) throws {
        for type in [#""type":"say""#, #""type":"ring","timeout":5"#] {
            #expect(try customMessage("\(type),\(members)").content == expected)
        }
    }

    @Test("The limits of a ring's time belong to it", arguments: [5, 600])
    func timeouts(seconds: Int) throws {
        #expect(try customMessage(#""type":"ring","timeout":\#(seconds)"#).purpose == .ring(timeout: .seconds(seconds)))
    }

    @Test("Two hundred characters are a text, escaped or not")
    func longest() throws {
        #expect(
            try customMessage(#""type":"say","text":"\#(String(repeating: "\\u4e09", count: 200))""#).content
                == .text(String(repeating: "三", count: 200)))
    }

    @Test(
        "Every error names the field",
        arguments: [
            (#""type":"say""#, "text: this field is missing; expected text, segments, clip or kind"),
            (#""type":"ring","timeout":4"#, "timeout: expected a whole number of seconds from 5 to 600"),
            (#""type":"ring","timeout":601"#, "timeout: expected a whole number of seconds from 5 to 600"),
            (#""type":"ring","timeout":9223372036854775807"#, "timeout: expected"),
            (#""type":"ring","timeout":7.5"#, "timeout: expected"),
            (#""type":"ring","timeout":"30""#, "timeout: expected"),
            (#""type":"say","text":7"#, "text: expected a string, found a number"),
            (#""type":"say","text":" ""#, "text: expected a string of 1 to 200 characters"),
            (#""type":"say","text":"a\nb""#, "text: must not contain control characters"),
            (#""type":"say","text":"a\u2028b""#, "text: must not contain control characters"),
            (#""type":"say","text":"[\u200b[rI2s'i:vd]]""#, "text: must not contain [["),
            (#""type":"ring","segments":["一百<b>"]"#, "segments[0]: must not contain [["),
            (
                #""type":"say","text":"\#(String(repeating: "一", count: 201))""#,
                "text: expected at most 200 characters, found 201"
            ),
            (
                #""type":"ring","text":"a","kind":"b""#,
                "kind: expected one of text, segments, clip and kind, or clip with text; found text and kind"
            ),
            (#""type":"ring","text":"a","segments":["b"]"#, "segments: expected one of"),
            (#""type":"say","text":"a","segments":["b"],"clip":{}"#, "segments: expected one of"),
            (#""type":"say","segments":[]"#, "segments: expected an array of 1 to 64 phrases"),
            (
                #""type":"say","segments":[\#((0..<65).map { "\"\($0)\"" }.joined(separator: ","))]"#,
                "segments: expected an array of 1 to 64 phrases"
            ),
            (#""type":"say","segments":["a",""]"#, "segments[1]: expected a string of 1 to 200 characters"),
            (
                #""type":"say","segments":["\#(String(repeating: "一", count: 100))","\#(String(repeating: "一", count: 100))"]"#,
                "segments: together, with a blank between them: expected at most 200 characters, found 201"
            ),
            (
                #""type":"say","text":"a\#(String(repeating: "\u{301}", count: 2000))""#,
                "text: expected at most 200 characters, found 1"
            ),
            (#""type":"say","segments":["a",1]"#, "segments[1]: expected a string, found a number"),
            (#""type":"say","clip":"https://a""#, "clip: expected an object with url and sha256"),
            (#""type":"say","clip":{"sha256":"\#(sum)"}"#, "clip.url: expected an address"),
            (#""type":"say","clip":{"url":"file:///etc/passwd","sha256":"\#(sum)"}"#, "clip.url: expected an address"),
            (#""type":"say","clip":{"url":"https://a b/","sha256":"\#(sum)"}"#, "clip.url: expected an address"),
            (#""type":"say","clip":{"url":7,"sha256":"\#(sum)"}"#, "clip.url: expected a string, found a number"),
            (#""type":"say","clip":{"url":"https://a/b","sha256":"abc"}"#, "clip.sha256: expected 64 hexadecimal"),
            (
                #""type":"say","clip":{"url":"https://a/b","sha256":"\#(sum)","bytes":0}"#,
                "clip.bytes: expected a whole number above 0"
            ),
            (#""type":"say","kind":"Queue""#, "kind: expected the name of a kind"),
            (#""type":"say","kind":"refund""#, "kind: expected the name of a kind"),
            (#""type":"say","kind":"a","number":-1"#, "number: expected a whole number from 0 to 1000000000000000"),
            (#""type":"say","kind":"a","number":1.5"#, "number: expected a whole number"),
            (#""type":"say","text":"a","number":1"#, "number: is of use beside kind only"),
            (#""type":"ring","number":1"#, "number: is of use beside kind only"),
        ])
    func errors(members: String, expected: String) throws {
        let found = try #require(try problem("\(Self.head),\(members)"))
        #expect(found.hasPrefix(expected), "\(found)")
    }

    @Test("Without an id or a time nothing is done", arguments: ["ring", "say"])
    func head(type: String) throws {
        #expect(
            try problem(#""at":"2026-11-21T10:15:00Z","type":"\#(type)","text":"a""#)
                == "id: this field is missing, and a ring or say needs it")
        #expect(
            try problem(#""id":"a","type":"\#(type)","text":"a""#)
                == "at: this field is missing, and a ring or say needs it")
        for time in ["yesterday", "9999-12-31T23:59:59-08:00", "0000-01-01T00:00:00+08:00"] {
            let found = try #require(try problem(#""id":"a","at":"\#(time)","type":"\#(type)","text":"a""#))
            #expect(found.hasPrefix("at: expected a time"))
        }
    }

    @Test("Each custom message is read again as it was written, a thousand times")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 15)
        for _ in 0..<1000 {
            let customMessage = try CustomMessage.random(using: &generator)
            let bytes = customMessage.json.bytes
            let read = try CustomMessage(decoding: try JSONValue(parsing: bytes))
            #expect(read == customMessage)
            #expect(read.json.bytes == bytes)
        }
    }
}

extension CustomMessage {
    /// Any custom message that a sender may ask for.
    static func random(using generator: inout SeededGenerator) throws -> CustomMessage {
        let isRing = Bool.random(using: &generator)
        return CustomMessage(
            id: try CommandID(.random(upTo: 42, using: &generator)),
            purpose: isRing ? .ring(timeout: .seconds(Int.random(in: 5...600, using: &generator))) : .say,
            content: isRing && Int.random(in: 0..<6, using: &generator) == 0 ? .tone : try .random(using: &generator),
            at: Timestamp(millisecondsSince1970: .random(in: 0...4_102_444_800_000, using: &generator)))
    }
}

extension CustomMessage.Content {
    fileprivate static func random(using generator: inout SeededGenerator) throws -> CustomMessage.Content {
        switch Int.random(in: 0...4, using: &generator) {
        case 0: return .text(.random(upTo: CustomMessage.longestText, using: &generator))
        case 1:
            let count = Int.random(in: 1...CustomMessage.mostSegments, using: &generator)
            return .segments((0..<count).map { _ in .random(upTo: 2, using: &generator) })
        case 2:
            let digits = Array("0123456789abcdef")
            let sum = String((0..<64).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
            let clip = ClipReference(
                url: "https://example.com/\(UInt64.random(in: 0...UInt64.max, using: &generator))?a=%22", sha256: sum,
                bytes: Bool.random(using: &generator) ? .random(in: 1...Int.max, using: &generator) : nil)
            let otherwise: String? =
                Bool.random(using: &generator) ? .random(upTo: CustomMessage.longestText, using: &generator) : nil
            return .clip(clip, otherwise: otherwise)
        case 3:
            let number: Int64? =
                Bool.random(using: &generator) ? .random(in: CustomMessage.numbers, using: &generator) : nil
            return .kind(try #require(KindName("queue_number")), number: number)
        default: return .text("三号桌叫人，\"快\\来\"\u{202E}e\u{301}")
        }
    }
}

extension String {
    /// 1 to `limit` characters of several scripts, which JSON must escape or may not break.
    fileprivate static func random(upTo limit: Int, using generator: inout SeededGenerator) -> String {
        let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "/", "三", "é", "\u{301}", "\u{2003}", "😀", "ह", "z"]
        var text = "x"
        for _ in 1..<Int.random(in: 2...limit, using: &generator) {
            text.unicodeScalars.append(scalars[Int.random(in: scalars.indices, using: &generator)])
        }
        return text
    }
}
