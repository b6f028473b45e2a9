import Glibc
import SoundboxCore
import Testing

@testable import SoundboxSpeak

@Suite("Speech of any text", .timeLimit(.minutes(10)))
struct SpeechTests {
    private static let isInstalled = access("/usr/bin/espeak-ng", X_OK) == 0

    @Test("Nothing in a text is an instruction for the synthesiser")
    func cleaned() {
        #expect(SpokenText.cleaned("[[h@loU]] a\u{0}b\n<break/> c\u{202E}d &amp; e") == "h@loU a b break/ cd amp; e")
        #expect(SpokenText.cleaned(String(repeating: "a", count: 1000)).count == CustomMessage.longestText)
        #expect(throws: SpeakError.self) { try SpokenText("[[]] … !", in: "en-US") }
        #expect(throws: SpeakError.self) { try SpokenText("สวัสดี", in: "th-TH") }
        #expect(throws: SpeakError.self) { try SpokenText("bonjour", in: "fr-FR") }
    }

    @Test("Mandarin is spelled for the voice, by words and by characters")
    func pinyin() throws {
        #expect(try Pinyin.spell("三号桌，请取餐") == "san1 hao4 zhuo1 ， qing3 qu3 can1")
        #expect(try Pinyin.spell("銀行轉賬") == "yin2 hang2 zhuan3 zhang4")
        #expect(try Pinyin.spell("A3桌12号") == "A 3 zhuo1 12 hao4")
        #expect(throws: SpeakError.self) { try Pinyin.spell("𠮷") }
    }

    @Test("Speech is cut free of silence and brought to −22 dB, and never over the top")
    func level() throws {
        let quiet = (0..<8000).map { Int16(300 * sin(Double($0) * 0.3)) }
        let silence = [Int16](repeating: 0, count: 8000)
        let sound = try #require(SpeechLevel.level(PCMSound(samples: silence + quiet + silence, sampleRate: 8000)))
        #expect((8000...9000).contains(sound.samples.count))
        let power = sound.samples.reduce(0) { $0 + Double($1) * Double($1) } / 8000 / 32_768 / 32_768
        #expect((-22.5 ... -21.5).contains(10 * log10(power)))
        var click = quiet
        click[4000] = 20_000
        let peak = try #require(SpeechLevel.level(PCMSound(samples: click, sampleRate: 8000))).samples.max()
        #expect(try #require(peak) <= 29_300)
        #expect(SpeechLevel.level(PCMSound(samples: silence, sampleRate: 8000)) == nil)
    }

    @Test(
        "Every language with rules is spoken by the real program", .enabled(if: isInstalled),
        arguments: [
            ("zh-CN", "三号桌客人请取餐"), ("zh-TW", "三號桌客人請取餐"), ("zh-HK", "三號枱請取餐"),
            ("en-US", "Table three, please."), ("en-IN", "Table three, please."), ("hi-IN", "टेबल तीन"),
            ("id-ID", "Meja nomor tiga"), ("ms-MY", "Meja nombor tiga"), ("vi-VN", "Bàn số ba"),
            ("de-DE", "Tisch drei, bitte."), ("ko-KR", "3번 테이블입니다"),
        ])
    func spoken(locale: String, text: String) throws {
        let sound = try ESpeak().speech(of: text, in: locale)
        #expect(sound.duration > .milliseconds(400) && sound.duration < .seconds(6))
    }

    @Test("Text that would be spelled in another language is refused", .enabled(if: isInstalled))
    func unreadable() {
        #expect(throws: SpeakError.self) { try ESpeak().speech(of: "สวัสดี 漢字", in: "id-ID") }
    }

    @Test("Without espeak-ng the helper says what to install")
    func missing() {
        #expect(throws: SpeakError("install the package espeak-ng")) {
            try ESpeak(program: "/nonexistent").speech(of: "hello", in: "en-US")
        }
    }
}
