import SoundboxCore
import SoundboxYAML
import Testing

@Suite("A YAML document that is changed keeps what nobody touched")
struct YAMLDocumentTests {
    @Test("Keys are set, added with the mappings on their way, and removed")
    func changes() throws {
        var document = try YAMLDocument(parsing: "a: 1\nb: {c: 0800, d: x}\n", file: "f")
        #expect(document["b", "c"] == "0800")
        document["b", "d"] = nil
        document["e", "f"] = "收款"
        document["g", "h"] = nil
        #expect(document.text == "a: 1\nb:\n  c: 0800\ne:\n  f: 收款\n")
    }

    @Test(
        "Whatever a text holds, it is read back",
        arguments: [
            "", "a: b", "# no comment", "- x", "null", "~", "0x10", "\"", "'", "a\nb\n", " x ", "%", "@x", "{", "é😀",
            "“x”", "‘", "!x", "&x", "*x", "#x",
        ])
    func roundTrip(text: String) throws {
        var document = YAMLDocument()
        document["k"] = text
        #expect(try YAMLDocument(parsing: document.text, file: "f")["k"] == text)
        #expect(try YAMLValue(parsing: document.text, file: "f").mapping().required("k").string() == text)
    }

    @Test("What is no mapping is refused", arguments: ["- a\n", "text\n", "a: 1\na: 2\n"])
    func refused(text: String) {
        #expect(throws: YAMLError.self) { try YAMLDocument(parsing: text, file: "f") }
    }
}
