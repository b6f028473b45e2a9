import Foundation
import SoundboxCore
import SoundboxSpeech
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("Which text of others may be said")
struct TextRulesTests {
    // Made once: every test case makes its suite anew.
    private static let shipped = Result {
        try Dictionary(
            uniqueKeysWithValues: VoiceFolder(path: shippedSounds).locales.map { locale in
                let voices = Voices(first: try Voice.shipped(locale))
                return (locale, (language: voices.languages[0], rules: voices.textRules))
            })
    }

    private func problem(_ text: String, _ locale: String, by author: TextRules.Author) throws -> TextProblem? {
        let rules = try #require(try Self.shipped.get()[locale]).rules
        do throws(TextProblem) { try rules.check(text, by: author) } catch { return error }
        return nil
    }

    @Test("A payer may write what is no number and has no word of the box", arguments: TextTable.harmlessOfPayers)
    func harmlessOfPayers(locale: String, text: String) throws {
        #expect(try problem(text, locale, by: .payer) == nil)
    }

    @Test("A provider may write numbers, too", arguments: TextTable.harmlessOfProviders)
    func harmlessOfProviders(locale: String, text: String) throws {
        #expect(try problem(text, locale, by: .provider) == nil)
    }

    @Test(
        "Nobody may write what the box says of money, or has said of itself, in any disguise",
        arguments: TextTable.barred)
    func barred(locale: String, text: String) throws {
        #expect(try problem(text, locale, by: .provider) != nil)
        #expect(try problem(text, locale, by: .payer) != nil)
    }

    @Test("A payer may write neither a number nor a prompt, in any disguise", arguments: TextTable.barredFromPayers)
    func barredFromPayers(locale: String, text: String) throws {
        #expect(try problem(text, locale, by: .payer) != nil)
    }

    @Test("Every number, unit, channel, sentence and prompt of a voice is barred as its author demands")
    func ownWords() throws {
        for (locale, (language, _)) in try Self.shipped.get() {
            for number in [0, 1, 2, 5, 7, 10, 11, 15, 21, 34, 60, 99, 100, 105, 500, 1234, 50_000, 1_000_000] {
                let words = try language.reading(ofNumber: Int64(number))
                #expect(try problem(words, locale, by: .payer)?.meaning == .number, "\(words)")
                #expect(try problem(words, locale, by: .provider) == nil, "\(words)")
            }
            for (code, words) in language.units {
                for word in [words.unit.one, words.unit.other] + words.subunits.map(\.word.other) {
                    #expect(try problem(word, locale, by: .payer) != nil, "\(word)")
                    #expect(try problem("5 \(word)", locale, by: .provider)?.meaning == .unit, "\(code)")
                }
            }
            for name in Array(language.channels.values) + language.channels.keys {
                #expect(try problem(name, locale, by: .provider) != nil, "\(name)")
            }
            let channel = try #require(language.channels.values.first)
            for words in language.sentences.values {
                let said = words.replacing("{channel}", with: channel).replacing(
                    /\{count.*?\}/, with: try language.reading(of: 5)
                ).replacing(/\{.*?\}/, with: "5")
                #expect(try problem(said, locale, by: .provider) != nil, "\(said)")
            }
            for (prompt, words) in language.prompts {
                #expect(try problem(words, locale, by: .payer) != nil, "\(prompt)")
            }
        }
    }

    @Test("Prompts may be said as they are, but for those that would make people doubt a payment")
    func prompts() throws {
        for (language, rules) in try Self.shipped.get().values {
            for (prompt, words) in language.prompts {
                let isFree = ![.cancelled, .storageFault, .signInCode, .paymentUnreadable].contains(prompt)
                #expect(rules.isFreePrompt(words) == isFree, "\(prompt)")
            }
            #expect(try !rules.isFreePrompt(#require(language.sentences[.replay])))
        }
    }

    @Test("An error quotes the words that were found and says what they are")
    func errors() throws {
        #expect(
            try problem("请付 一百 美.元", "zh-CN", by: .provider)?.description
                == #"must not say "美.元", which is a unit of money"#)
        #expect(try problem("转你五百了", "zh-CN", by: .payer)?.description == #"must not say "五百", which is a number"#)
        #expect(try problem("您有新的到帐哦", "zh-CN", by: .payer)?.words == "到帐")
    }

    @Test("With several voices, what may not be said in one of them may not be said")
    func severalVoices() throws {
        let rules = Voices(first: try Voice.shipped("en-US"), others: [try Voice.shipped("th-TH")]).textRules
        #expect(throws: TextProblem.self) { try rules.check("ห้าสิบบาท", by: .provider) }
        #expect(throws: TextProblem.self) { try rules.check("fifty dollars", by: .provider) }
    }

    @Test(
        "Segments in decomposed letters are said with the same recordings", arguments: ["ko-KR", "vi-VN", "de-DE"])
    func decomposed(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let voices = Voices(first: voice, others: [])
        let phrases = voice.writer.phrases.filter { phrase in
            phrase.decomposedStringWithCanonicalMapping.unicodeScalars.count > phrase.unicodeScalars.count
                && voices.script(ofText: phrase) != nil
        }
        #expect(!phrases.isEmpty)
        for phrase in phrases {
            let script = voices.script(ofText: phrase.decomposedStringWithCanonicalMapping)
            #expect(script?.elements == voices.script(ofText: phrase)?.elements)
        }
    }

    @Test("Segments are said with the recordings there are, and the one that is missing is named")
    func segments() throws {
        let voices = Voices(first: try Voice.shipped(), others: [try Voice.shipped("en-US")])
        #expect(try voices.script(ofSegments: ["欢迎使用收款音箱", "有一条消息"]).text == "欢迎使用收款音箱有一条消息")
        #expect(throws: SpeechError.missingPhrase("天气")) { try voices.script(ofSegments: ["有一条消息", "天气"]) }
        #expect(voices.script(ofText: "天气真好") == nil)
        let english = try #require(voices.script(ofText: "You have a message"))
        #expect(english.elements.allSatisfy { if case .phrase(let index) = $0 { index >= 380 } else { true } })
    }
}
