import Logging
import SoundboxCore
import SoundboxLogging
import SoundboxSystem
import TestSupport
import Testing

@Suite("A line of the log")
struct LogLineTests {
    private static let forgeries = [
        "x\" amount=9999 CNY", "x\" amount=\"9999 CNY", "x\\\" amount=9999", "x\\", "x =y", "", " ", "\\u{a}", "\\+7",
        "a \u{301}b", " \u{301}", "\u{301}\"", "\"\u{301} amount=9999", "x\"\u{200D} a=1", "\u{E33}", "\u{D4E}",
        "\r\n<2>stored id=y", "\u{2028}", "\u{2029}", "\u{85}", "\u{9B}2J", "\u{202E}", "\u{2066}", "\u{FEFF}",
        "\u{1F3FB}", "भु\u{94D}\" a=1", "\u{93F}\u{93F}\"", "ก\u{E33}=", "\u{FE0F}", "\u{FF9E}", "\u{3164}", "\u{2800}",
        "\u{3000}", "\u{A0}", "支付宝", "…", "\u{E000}",
        "e\u{301}", "\u{E9}", "\u{AC00}", "\u{1100}\u{1161}", "🇨🇳", "\u{FFFF}", "\u{10FFFF}", "\0",
    ]

    @Test("Whatever an id holds, the line says exactly that and nothing else", arguments: forgeries)
    func readBack(text: String) throws {
        for line in [
            LogLine(time: nil, level: .info, message: "stored", pairs: [.init("amount", "1 CNY"), .init("id", text)]),
            LogLine(time: SystemClock.now, level: .warning, message: text, pairs: [.init(text, text), .init("", "")]),
        ] {
            try check(line)
        }
    }

    @Test("A thousand lines of random text are read back, each as it was")
    func random() throws {
        var random = SeededGenerator(seed: 14)
        for _ in 0..<1000 {
            let pairs = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                LogLine.Pair(Self.text(upTo: 4, &random), Self.text(upTo: 40, &random))
            }
            try check(
                LogLine(
                    time: Bool.random(using: &random) ? nil : Timestamp(millisecondsSince1970: 1_795_227_300_250),
                    level: [.critical, .error, .warning, .notice, .info, .debug].randomElement(using: &random) ?? .info,
                    message: Self.text(upTo: 40, &random), pairs: pairs))
        }
    }

    @Test("No scalar of Unicode that is shown joins the quote, the blank or the equals sign beside it")
    func everyScalar() {
        var joined: [UInt32] = []
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let form = scalar.quotedForm(after: nil)
            if !form.hasPrefix("\\"), " \(form)=".count != 3 { joined.append(value) }
        }
        #expect(joined == [])
    }

    @Test(
        "Words of scripts that combine can be read in the log",
        arguments: ["भुगतान", "ज़्यादा", "कृपया में", "กำลังชำระเงิน", "ที่", "கட்டணம்", "ຊຳລະ", "điện", "支付宝"])
    func combining(text: String) throws {
        let line = LogLine(time: nil, level: .info, message: "m", pairs: [.init("text", text)])
        #expect(line.encoded.contains(text) && !line.encoded.contains("\\u"))
        try check(line)
    }

    @Test(
        "A sign of theirs that follows anything else stays escaped",
        arguments: [" \u{93F}", "a\u{94D}\u{93F}", "\u{301}\u{93F}", "=\u{E33}", "\"\u{902}", "支\u{93E}", "भ\u{301}"])
    func combiningElsewhere(text: String) throws {
        let line = LogLine(time: nil, level: .info, message: "m", pairs: [.init("text", text)])
        let marks = text.unicodeScalars.filter { !$0.isASCII && $0 != "支" && $0 != "भ" }
        #expect(line.encoded.split(separator: "\\u{").count == marks.count + 1, "\(line.encoded)")
        try check(line)
    }

    @Test("Two texts that readers of characters take for the same have two lines")
    func injective() {
        let composed = LogLine(time: nil, level: .info, message: "m", pairs: [.init("id", "\u{E9}")])
        let decomposed = LogLine(time: nil, level: .info, message: "m", pairs: [.init("id", "e\u{301}")])
        #expect(composed.encoded != decomposed.encoded)
    }

    @Test("A line goes to a pipe in one piece; what is cut says how much of it is missing, and is read back as cut")
    func long() throws {
        for count in [0, 1, 5, 31, 32, 33, 200] {
            for unit in ["x", "\u{301}", "\"", "一"] {
                let text = String(repeating: unit, count: 5000)
                let line = LogLine(
                    time: SystemClock.now, level: .critical, message: text,
                    pairs: (0..<count).map { _ in LogLine.Pair(text, text) })
                let encoded = line.encoded
                #expect(encoded.utf8.count < LogLine.mostBytes)
                let read = try #require(LogLine(parsing: encoded))
                #expect(read.pairs.count + read.pairsLeftOut == count)
                for part in [read.message] + read.pairs.map(\.value) + read.pairs.map(\.key) {
                    #expect(part.text.utf8.count + part.bytesLeftOut == text.utf8.count)
                    #expect(text.unicodeScalars.starts(with: part.text.unicodeScalars))
                }
            }
        }
    }

    @Test("A text that ends like a cut one is told from it")
    func markOfText() {
        let cut = LogLine(time: nil, level: .info, message: String(repeating: "x", count: 9000), pairs: []).encoded
        let whole = LogLine(time: nil, level: .info, message: String(cut.dropFirst(3)), pairs: []).encoded
        #expect(cut != whole)
    }

    @Test(
        "What no line of ours looks like is not read",
        arguments: [
            "", "stored", "<>x", "<8>x", "<06>x", "<6>x a=b ", "<6>x a", "<6>x a=\"b", "<6>x a=\"b\"c", "<6>x a=\"b\" ",
            "<6>x=y", "<6>x a=\\u{61}", "<6>x a=\"\\u{A}\"", "<6>x a=\"\\u{00a}\"", "<6>x a=\"b\"", "<6>x a=b\n",
            "<6>x a=\"b\\+0\"", "<6>x\\+2y", "<6>x\u{7}", "2026-11-21T02:15:00Z info x",
            "2026-11-21T02:15:00.250Z loud x",
        ])
    func foreign(line: String) {
        // The one exception is a message that has nothing behind it.
        #expect(LogLine(parsing: line)?.pairs.isEmpty ?? true)
        if line.contains("=") { #expect(LogLine(parsing: line) == nil) }
    }

    private func check(_ line: LogLine) throws {
        let encoded = line.encoded
        let read = try #require(LogLine(parsing: encoded), "\(encoded)")
        #expect(read.level == line.level && read.time == line.time)
        #expect(Self.parts(of: read) == Self.parts(of: line))
        // A reader of characters finds the same blanks, quotes and equals signs.
        #expect(encoded.allSatisfy { $0.unicodeScalars.count == 1 || !$0.unicodeScalars.contains(where: \.isASCII) })
        #expect(!encoded.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    /// As bytes, since `==` of texts takes é and e with an accent for the same.
    private static func parts(of line: LogLine) -> [[UInt8]] {
        [Array(line.message.text.utf8)]
            + line.pairs.flatMap { [Array($0.key.text.utf8), Array($0.value.text.utf8)] }
    }

    private static func text(upTo count: Int, _ random: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...count, using: &random) {
            let pool: [ClosedRange<UInt32>] = [
                0x20...0x7E, 0x20...0x22, 0x3C...0x3E, 0x5C...0x5C, 0...0x1F, 0x7F...0xA0, 0x300...0x36F,
                0x900...0x97F, 0xE00...0xE7F, 0x1100...0x11FF, 0x2000...0x206F, 0x4E00...0x4EFF, 0x1F1E6...0x1F3FF,
                0x0...0x10FFFF,
            ]
            let range = pool.randomElement(using: &random) ?? 0...0
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
        }
        return String(text)
    }
}
