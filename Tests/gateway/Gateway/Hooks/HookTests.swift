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
                    signature: {secret_file: \(token), token: {header: x-token}}
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

    @Test("What is for no box is ignored where the file says so; by default it is refused")
    func noBox() throws {
        let payload = Array(#"{"id":"A","amount":"1","till":"2"}"#.utf8)
        let otherwise = try hook(device: #"{field: till, codes: {"1": box-01}, otherwise: ignore}"#)
        guard case .none(_, isAbsence: false) = try otherwise.box(of: payload) else {
            throw TestFailure("it has a box")
        }
        let absent = try hook(device: "{field: shop, absent: ignore}")
        guard case .none(_, isAbsence: true) = try absent.box(of: payload) else { throw TestFailure("it has a box") }
        #expect(throws: NoticeRejection.self) { try hook(device: "{field: shop}").box(of: payload) }
        #expect(try mistake(device: "{constant: box-01, absent: ignore}").contains("beside field only"))
        #expect(try mistake(device: "{field: till, otherwise: ignore}").contains("beside codes only"))
    }

    @Test("Each element of a list may be for another box")
    func boxesOfAList() throws {
        let hook = try hook(device: "{field: till}", others: "each: rows")
        let document = Array(#"{"rows":[{"till":"a"},{"till":"b"}]}"#.utf8)
        #expect(try hook.box(of: document, at: 1) == .ids(merchant: "M1001", device: "b"))
    }

    @Test(
        "A form is read as the document that a mapping reads",
        arguments: [
            ("a=1&b=%E4%BA%BA+x", #"{"a":"1","b":"人 x"}"#), ("d[id]=7&d[x][y]=8", #"{"d":{"id":"7","x":{"y":"8"}}}"#),
            ("i[0][id]=A&i[1][id]=B", #"{"i":[{"id":"A"},{"id":"B"}]}"#), ("t[]=a&t[]=b", #"{"t":["a","b"]}"#),
            ("i[1]=A", #"{"i":{"1":"A"}}"#), ("a[=1", #"{"a[":"1"}"#),
        ])
    func form(body: String, document: String) throws {
        let made = try FormBody(Array(body.utf8)).document
        #expect(String(decoding: made, as: UTF8.self) == document)
    }

    @Test("A form whose names do not fit together is refused", arguments: ["a=1&a=2", "a=1&a[b]=2", "a[b]=2&a=1", "a"])
    func wrongForm(body: String) {
        #expect(throws: HookRefusal.self) { try FormBody(Array(body.utf8)).document }
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

    @Test("A store whose number is what another store's code stands for is no code: it is another shop's")
    func meaning() throws {
        let hook = try hook(merchant: "{constant: M1}", device: #"{field: store, codes: {"101": "1", "102": "2"}}"#)
        #expect(try hook.box(of: Array(#"{"store":"101"}"#.utf8)) == .ids(merchant: "M1", device: "1"))
        #expect(throws: NoticeRejection.self) { try hook.box(of: Array(#"{"store":"1"}"#.utf8)) }
    }

    @Test(
        "An id of a document that is missing, or could not stand in a topic, is refused",
        arguments: [
            ("{}", "device: this field is missing"), (#"{"device":null}"#, "device: this field is missing"),
            (#"{"device":""}"#, "missing"), (#"{"device":"+"}"#, #"holds "+""#), (#"{"device":"a/b"}"#, #"holds "/""#),
            (##"{"device":"#"}"##, ##"holds "#""##), (#"{"device":"a\u0000"}"#, "control character"),
            (#"{"device":"a\n"}"#, "control character"), (#"{"device":["a"]}"#, "expected a string"),
            (#"{"device":"a\ud800"}"#, "U+FFFD"), ("[1]", "device: this field is missing"),
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
        #expect(try keys.mistake("scheme: alipai").contains(#"did you mean "alipay"?"#))
        #expect(try keys.mistake("public_key_file: \(token)").contains("hook.scheme: this key is missing"))
    }
}
