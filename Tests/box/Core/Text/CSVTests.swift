import SoundboxCore
import Testing

@Suite("Tables for spreadsheets")
struct CSVTests {
    @Test("Quotes, commas and line ends are quoted as RFC 4180 has it")
    func quoting() {
        #expect(CSV.record(["a", "b,c", "d\"e", "f\r\ng", ""]) == "a,\"b,c\",\"d\"\"e\",\"f\r\ng\",\r\n")
    }

    @Test(
        "What a spreadsheet would carry out is made a text",
        arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "＠x"])
    func formulas(text: String) { #expect(CSV.harmless(text) == "'\(text)") }

    @Test("Other texts stay", arguments: ["", "A-1", "alipay", "1=1", "微信"])
    func others(text: String) { #expect(CSV.harmless(text) == text) }
}
