import Glibc
import SoundboxCore
import Testing

@testable import SoundboxClips

@Suite("Speech of any text", .timeLimit(.minutes(10)))
struct SpeechTests {
    private static let isInstalled = access("/usr/bin/espeak-ng", X_OK) == 0

    @Test("Nothing in a text is an instruction for the synthesiser")
    func cleaned() {
        #expect(SpokenText.cleaned("[[h@loU]] a\u{0}b\n<break/> c\u{202E}d &amp; e") == "h@loU a b break/ cd amp; e")
        #expect(SpokenText.cleaned(String(repeating: "a", count: 1000)).count == Errand.longestText)
        #expect(throws: SpeechSynthesisError.self) { try SpokenText("[[]] … !", in: "en-US", otherwise: nil) }
        #expect(throws: SpeechSynthesisError.self) { try SpokenText("สวัสดี", in: "th-TH", otherwise: "en") }
        #expect(throws: SpeechSynthesisError.self) { try SpokenText("bonjour", in: "fr-FR", otherwise: nil) }
        #expect(throws: Never.self) { try SpokenText("bonjour", in: "fr-FR", otherwise: "fr") }
    }

    @Test("Mandarin is spelled for the voice, by words and by characters")
    func pinyin() throws {
        #expect(try Pinyin.spell("三号桌，请取餐") == "san1 hao4 zhuo1 ， qing3 qu3 can1")
        #expect(try Pinyin.spell("銀行轉賬") == "yin2 hang2 zhuan3 zhang4")
        #expect(try Pinyin.spell("A3桌12号") == "A 3 zhuo1 12 hao4")
        #expect(throws: SpeechSynthesisError.self) { try Pinyin.spell("𠮷") }
    }

    @Test("What the synthesiser writes is read to its end, whatever its header says")
    func wav() {
        func file(_ claim: [UInt8], _ data: [UInt8], channels: UInt8 = 1) -> [UInt8] {
            Array("RIFF".utf8) + [0x24, 0xF0, 0xFF, 0x7F] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, channels, 0]
                + [0x22, 0x56, 0, 0, 0x44, 0xAC, 0, 0, 2, 0, 16, 0] + Array("data".utf8) + claim + data
        }
        let endless: [UInt8] = [0, 0xF0, 0xFF, 0x7F]
        #expect(SynthesizedWAV.sound(from: file(endless, [1, 0, 0xFF, 0xFF, 7]))?.samples == [1, -1])
        #expect(SynthesizedWAV.sound(from: file([2, 0, 0, 0], [1, 0, 2, 0]))?.samples == [1])
        #expect(SynthesizedWAV.sound(from: file(endless, []))?.samples == [])
        #expect(SynthesizedWAV.sound(from: file(endless, [1, 0], channels: 2)) == nil)
        for length in 0..<44 { #expect(SynthesizedWAV.sound(from: Array(file(endless, []).prefix(length))) == nil) }
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

    @Test("Speech that nobody waits for any more is not made")
    func cancelled() async {
        // A program that is started would end with code 1.
        let synthesizer = ESpeakSynthesizer(program: "/bin/false")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await synthesizer.speech(of: "Table three, please.", in: "en-US")
        }
        task.cancel()
        let result = await task.result
        #expect(throws: SpeechSynthesisError.failed(reason: "nobody waits for it any more")) { try result.get() }
    }

    @Test(
        "Every language with rules is spoken by the real program", .enabled(if: isInstalled),
        arguments: [
            ("zh-CN", "三号桌客人请取餐"), ("zh-TW", "三號桌客人請取餐"), ("zh-HK", "三號枱請取餐"),
            ("en-US", "Table three, please."), ("en-IN", "Table three, please."), ("hi-IN", "टेबल तीन"),
            ("id-ID", "Meja nomor tiga"), ("ms-MY", "Meja nombor tiga"), ("vi-VN", "Bàn số ba"),
            ("de-DE", "Tisch drei, bitte."), ("ko-KR", "3번 테이블입니다"),
        ])
    func spoken(locale: String, text: String) async throws {
        let synthesizer = ESpeakSynthesizer()
        let sound = try await synthesizer.speech(of: text, in: locale)
        #expect(sound.duration > .milliseconds(400) && sound.duration < .seconds(6))
        #expect(try await synthesizer.speech(of: text, in: locale) == sound)
    }

    @Test("Text that would be spelled in another language is refused", .enabled(if: isInstalled))
    func unreadable() async {
        await #expect(throws: SpeechSynthesisError.self) {
            try await ESpeakSynthesizer().speech(of: "สวัสดี 漢字", in: "id-ID")
        }
    }

    @Test("Without the program the box says what to install, and speaks when it appears")
    func missing() async throws {
        var template = Array("/tmp/soundbox-test-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            unlink("\(folder)/espeak-ng")
            rmdir(folder)
        }
        let synthesizer = ESpeakSynthesizer(program: "\(folder)/espeak-ng")
        await #expect(throws: SpeechSynthesisError.unavailable(reason: "install the package espeak-ng")) {
            try await synthesizer.speech(of: "hello", in: "en-US")
        }
        guard Self.isInstalled else { return }
        #expect(symlink("/usr/bin/espeak-ng", "\(folder)/espeak-ng") == 0)
        #expect(try await !synthesizer.speech(of: "hello", in: "en-US").samples.isEmpty)
    }
}
