import SoundboxCore
import Testing

@Suite("Payment ids")
struct PaymentIDTests {
    @Test(
        "1 to 128 bytes of any printable text are an id",
        arguments: ["1", "2026112122001476231405", "a b", "订单-1", "\"'\\;--", String(repeating: "x", count: 128)])
    func accepted(text: String) throws {
        #expect(try PaymentID(text).text == text)
    }

    @Test("An empty id is refused")
    func empty() {
        #expect(throws: PaymentIDError.empty) { try PaymentID("") }
    }

    @Test("The limit counts bytes, not letters")
    func tooLong() {
        #expect(throws: PaymentIDError.tooLong(bytes: 129)) { try PaymentID(String(repeating: "x", count: 129)) }
        #expect(throws: PaymentIDError.tooLong(bytes: 129)) { try PaymentID(String(repeating: "单", count: 43)) }
        #expect(throws: Never.self) { try PaymentID(String(repeating: "单", count: 42)) }
    }

    @Test("Control characters are refused", arguments: ["a\nb", "\t", "a\u{0}", "\r\n", "\u{7F}", "a\u{85}b"])
    func controlCharacters(text: String) {
        #expect(throws: PaymentIDError.controlCharacter) { try PaymentID(text) }
    }

    @Test("Ids are compared byte by byte: two payments stay two, even where Unicode calls their ids equivalent")
    func byteEquality() throws {
        let composed = try PaymentID("caf\u{E9}")
        let decomposed = try PaymentID("cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, try PaymentID("caf\u{E9}")]).count == 2)
    }

    @Test("A refund's id is apart from its payment's, which all other kinds share, and reads the same")
    func refunds() throws {
        let id = try PaymentID("A-1")
        let deposit = PaymentNotice.Kind.other(try #require(KindName("deposit")))
        #expect(id.of(.refund) != id && id.of(.refund).of(deposit) == id && id.of(.payment) == id)
        #expect(Set([id, id.of(.refund), id.of(deposit)]).count == 2)
        #expect(id.of(.refund).text == "A-1" && "\(id.of(.refund))" == "A-1")
        let money = try Money("1", .CNY)
        #expect(PaymentNotice(id: id, money: money, kind: .refund).id == id.of(.refund))
        #expect(PaymentNotice(id: id.of(.refund), money: money).id == id)
    }
}
