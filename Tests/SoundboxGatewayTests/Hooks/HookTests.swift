import SoundboxCore
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("A hook's file, and the box that a document is for")
struct HookTests {
    private let keys: HookFolder
    private let token: String

    init() throws {
        keys = try HookFolder()
        token = try keys.secret("a-token-of-a-good-length")
    }

    private func hook(merchant: String = "{constant: M1001}", device: String, others: String = "") throws -> Hook {
        try Hook(
            reading: try YAMLValue(
                parsing: """
                    hook: {scheme: bearer, token_file: \(token)}
                    merchant: \(merchant)
                    device: \(device)
                    id: id
                    amount: {field: amount, unit: decimal}
                    \(others)
                    """, file: "hook.yaml"))
    }

    private func mistake(merchant: String = "{constant: M1001}", device: String, others: String = "") throws -> String {
        try #require(throws: YAMLError.self) { try hook(merchant: merchant, device: device, others: others) }
            .description
    }

    @Test("Ids come from constants, fields and codes")
    func ids() throws {
        let hook = try hook(merchant: "{field: shop.no}", device: #"{field: till, codes: {"1": box-01}}"#)
        #expect(try hook.box(of: Array(#"{"shop":{"no":7},"till":1}"#.utf8)) == .ids(merchant: "7", device: "box-01"))
        // Answered with success it would wait for a box that there is not.
        let refused = try #require(throws: NoticeRejection.self) {
            try hook.box(of: Array(#"{"shop":{"no":"M1"},"till":"2"}"#.utf8))
        }
        #expect(refused.description.contains("is none of the codes that say the device"))
    }

    @Test(
        "An id of a document that is missing, or could not stand in a topic, is refused",
        arguments: [
            ("{}", "device: this field is missing"), (#"{"device":null}"#, "device: this field is missing"),
            (#"{"device":""}"#, "empty"), (#"{"device":"+"}"#, #"holds "+""#), (#"{"device":"a/b"}"#, #"holds "/""#),
            (##"{"device":"#"}"##, ##"holds "#""##), (#"{"device":"a\u0000"}"#, "control character"),
            (#"{"device":"a\n"}"#, "control character"), (#"{"device":["a"]}"#, "expected a string"),
            (#"{"device":"a\ud800"}"#, "U+FFFD"), ("", "not valid JSON"), ("[1]", "device: this field is missing"),
        ])
    func refused(document: String, words: String) throws {
        let hook = try hook(device: "{field: device}")
        let error = try #require(throws: NoticeRejection.self) { try hook.box(of: Array(document.utf8)) }
        #expect(error.description.contains(words), "\(error)")
    }

    @Test("An id that the file itself writes is checked when it is read")
    func constants() throws {
        #expect(try mistake(device: #"{constant: "+"}"#).contains(#"hook.yaml:3: device: "+" is no id"#))
        #expect(try mistake(merchant: #"{constant: "a/b"}"#, device: "{constant: b}").contains("merchant"))
        #expect(try mistake(device: ##"{field: till, codes: {"1": "#"}}"##).contains("is no id"))
        #expect(try mistake(device: "{}").contains("expected either field or constant, found neither"))
    }

    @Test("Unknown keys and schemes are refused by their names")
    func unknown() throws {
        #expect(try mistake(device: "{constant: b}", others: "chanel: {constant: x}").contains("channel"))
        #expect(try keys.mistake("scheme: strype, secret_file: \(token)").contains(#"did you mean "stripe"?"#))
        #expect(
            try keys.mistake("scheme: bearer, token_file: \(token), header: x").contains("hook.header: unknown key"))
        #expect(try keys.mistake("token_file: \(token)").contains("hook.scheme: this key is missing"))
    }
}
