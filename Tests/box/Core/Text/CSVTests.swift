import SoundboxCore
import Testing

@Suite("Tables for people and for spreadsheets")
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

    @Test("Columns stand under one another, wide characters counted double, and control characters spelled out")
    func table() {
        var table = Table(headings: ["channel", "sum"], right: [1])
        #expect(
            table.lines([["微信支付宝", "1"], ["e\u{301}", "12.5"], ["\u{1B}[2J", "3"]]) == [
                "channel      sum", "微信支付宝     1", "e\u{301}           12.5", "\\u{1b}[2J      3",
            ])
        #expect(table.lines([["x", "1"]]) == ["x              1"])
    }
}
