import SoundboxSystem
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648, section 10",
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ])
    func vectors(text: String, bytes: String) {
        #expect(Base64.bytes(of: text) == Array(bytes.utf8))
        #expect(Base64.text(of: Array(bytes.utf8)) == text)
    }

    @Test("Anything else is none", arguments: ["Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zm9-", "Zg==Zg==", "é==="])
    func none(text: String) { #expect(Base64.bytes(of: text) == nil) }
}
