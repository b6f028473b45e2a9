import SoundboxCore
import Testing

@Suite("Exact sums")
struct ExactSumTests {
    private func sum(_ text: String) throws -> ExactSum { ExactSum(try DecimalNumber(text)) }

    @Test("A tenth added ten thousand times is a thousand, and taken away again nothing")
    func tenths() throws {
        let tenth = try sum("0.1")
        var total = ExactSum.zero
        for _ in 0..<10_000 { total += tenth }
        #expect(total.description == "1000")
        for _ in 0..<10_000 { total = total - tenth }
        #expect(total.isZero && total.description == "0")
    }

    @Test("More paid back than came in is a negative sum, which is no amount")
    func negative() throws {
        let net = try sum("1.5") - sum("2.000000001")
        #expect(net.description == "-0.500000001")
        #expect(net.amount == nil)
    }

    @Test("A sum above the largest amount is shown to its last digit, and is no amount to be spoken")
    func large() throws {
        let largest = try sum("1000000000000000")
        #expect(largest.amount != nil)
        #expect((largest + (try sum("0.01"))).description == "1000000000000000.01")
        #expect((largest + (try sum("0.01"))).amount == nil)
    }

    @Test("What 128 bits cannot hold is no sum any more, however it goes on")
    func overflow() throws {
        var total = try sum("1000000000000000")
        for _ in 0..<60 { total += total }
        #expect(total.description == "too large")
        #expect((total - total).description == "too large")
        #expect(total.amount == nil)
    }

    @Test(
        "It is read as it is written", arguments: ["0", "-0.5", "123.45", "1000000000000000000.000000001", "too large"])
    func reads(text: String) throws {
        #expect(try #require(ExactSum(text)).description == text)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "-", ".5", "5.", "1.2.3", "+1", "1e3", " 1", "1,5", "0.0000000001", "99999999999999999999999999999999",
        ])
    func refuses(text: String) { #expect(ExactSum(text) == nil) }
}
