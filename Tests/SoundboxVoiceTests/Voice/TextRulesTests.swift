import SoundboxCore
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Which text of others may be said")
struct TextRulesTests {
    // Made once: every test case makes its suite anew.
    private static let rules = Result {
        let folder = VoiceFolder(path: shippedSounds)
        return try Dictionary(
            uniqueKeysWithValues: folder.locales.map { ($0, Voices(first: try folder.voice($0)).textRules) })
    }

    private func problem(_ text: String, _ locale: String = "zh-CN") throws -> TextProblem? {
        let rules = try #require(try Self.rules.get()[locale])
        do throws(TextProblem) { try rules.check(text) } catch { return error }
        return nil
    }

    @Test("Harmless sentences may be said", arguments: TextTable.harmless)
    func harmless(locale: String, text: String) throws {
        #expect(try problem(text, locale) == nil)
    }

    @Test("No text tells an amount, however it is written", arguments: TextTable.amounts)
    func amounts(locale: String, text: String) throws {
        guard case .amount = try problem(text, locale) else {
            Issue.record("\(text) was let through as \(String(describing: try problem(text, locale)))")
            return
        }
    }

    @Test("No text sounds like a payment that arrives, however it is written", arguments: TextTable.arrivals)
    func arrivals(locale: String, text: String) throws {
        guard case .arrival = try problem(text, locale) else {
            Issue.record("\(text) was let through as \(String(describing: try problem(text, locale)))")
            return
        }
    }

    @Test("What the box says of itself may be said, and what its payment sentences say may not")
    func ownWords() throws {
        let folder = VoiceFolder(path: shippedSounds)
        for locale in folder.locales {
            let language = try folder.voice(locale).language
            for (prompt, words) in language.prompts { #expect(try problem(words, locale) == nil, "\(prompt)") }
            for channel in language.channels.values {
                let words = (language.sentences[.unreadable] ?? "").replacing("{channel}", with: channel)
                #expect(try problem(words, locale) != nil, "\(words)")
            }
        }
    }

    @Test("A text is of 1 to 200 characters without controls and without a synthesiser's sounds")
    func shape() throws {
        #expect(try problem("") == .empty)
        #expect(try problem(" \u{3000}") == .empty)
        #expect(try problem(String(repeating: "好", count: 200)) == nil)
        #expect(try problem(String(repeating: "好", count: 201)) == .tooLong(201))
        #expect(try problem("a" + String(repeating: "\u{301}", count: 5000)) == .tooLong(5001))
        for text in ["a\nb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "a\u{F8FF}b"] {
            #expect(try problem(text) == .controlCharacter)
        }
        #expect(try problem("[[rI2s'i:vd]]") == .markup)
        #expect(try problem("[\u{200B}[x") == .markup)
        #expect(try problem("一百<b>元") == .markup)
    }

    @Test("An error names the rule and the words that were found")
    func errors() throws {
        #expect(try problem("请付 一百 元 谢谢")?.description.contains("一百 元") == true)
        #expect(try problem("您有新的到帐哦")?.description.contains("到帐") == true)
    }

    @Test("With several voices, what sounds like an arrival in one of them may not be said")
    func severalVoices() throws {
        let folder = VoiceFolder(path: shippedSounds)
        let rules = Voices(first: try folder.voice("en-US"), others: [try folder.voice("th-TH")]).textRules
        #expect(throws: TextProblem.self) { try rules.check("ห้าสิบบาท") }
        #expect(throws: TextProblem.self) { try rules.check("fifty dollars") }
    }

    @Test("Segments are said with the recordings there are, and the one that is missing is named")
    func segments() throws {
        let folder = VoiceFolder(path: shippedSounds)
        let voices = Voices(first: try folder.voice("zh-CN"), others: [try folder.voice("en-US")])
        #expect(try voices.script(ofSegments: ["欢迎使用收款音箱", "有一条消息"]).text == "欢迎使用收款音箱有一条消息")
        #expect(throws: SpeechError.missingPhrase("天气")) { try voices.script(ofSegments: ["有一条消息", "天气"]) }
        #expect(voices.script(ofText: "天气真好") == nil)
        let english = try #require(voices.script(ofText: "You have a message"))
        #expect(english.elements.allSatisfy { if case .phrase(let index) = $0 { index >= 380 } else { true } })
    }
}
