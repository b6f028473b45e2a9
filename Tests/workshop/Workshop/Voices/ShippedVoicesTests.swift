import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice
@testable import SoundboxWorkshop

@Suite("The voices that ship with the box", .serialized)
struct ShippedVoicesTests {
    static let locales = VoiceFolder(path: shippedSounds).names

    @Test("There are voices at all")
    func some() {
        #expect(Self.locales.contains("zh-CN"))
    }

    @Test("Speakers of one language say the same words")
    func speakers() {
        #expect(SpeakerCheck(VoiceFolder(path: shippedSounds)).problems() == [])
    }

    // Whether each recording is sound, `make check` finds out: it takes most of a minute.
    @Test("Every word that the rules and sentences can put out has a recording", arguments: locales)
    func words(locale: String) throws {
        let voice = try Voice.shipped(locale)
        #expect(voice.name == locale)
        #expect(try VoiceCheck(voice).problemsOfWords() == [])
        #expect(VoiceCheck(voice).notes == [])
    }

    @Test("A voice of the mainland that reads amounts by the other set, with 两, can say every amount as well")
    func otherSet() throws {
        let folder = try SoundFolder()
        for name in ["zh-CN", "zh-CN-yunxi"] {
            let bytes = try SmallFile.bytes(of: "\(shippedSounds)/\(name)/voice.yaml", limit: 1 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            let other = text.replacing(/(?m)^(cardinal|counting): .*$/) { "\($0.1): \"%spellout-cardinal-alternate2\"" }
            try folder.write(other.utf8, to: "voice.yaml")
            let voice = try Voice(directory: folder.path)
            #expect(try voice.language.reading(of: Money("2222.2", .CNY)) == "两千两百二十二点二元")
            #expect(try voice.language.reading(of: 200) == "两百")
            #expect(try voice.language.reading(ofNumber: 2) == "二")
            #expect(try VoiceCheck(voice).problemsOfWords() == [])
        }
    }

    @Test("The warning is over well before the buttons have been held to the end", arguments: locales)
    func warning(locale: String) async throws {
        let voice = try Voice.shipped(locale)
        let sink = RecordingSink()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100))
        try await player.play(
            voice.writer.script(for: .prompt(.unprovisionWarning)), Delivery(hasChime: false, gap: .zero))
        // It begins 4 s into a hold of 10 s, and must have been heard to its end.
        let frames = try #require(sink.announcements.first).count / 2
        #expect(Duration.seconds(Double(frames) / 48_000) < .seconds(3))
    }

    @Test("A repetition begins with words of its own, which no arrival has", arguments: locales)
    func repetition(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let payment = Utterance.payment(try Money("5", .CNY), channel: "alipay")
        let (repeated, arrived) = (voice.writer.script(for: .replay(payment)), voice.writer.script(for: payment))
        #expect(repeated.shortcoming == nil)
        let words = repeated.elements.dropLast(arrived.elements.count)
        #expect(words.count == 2 && Array(repeated.elements.dropFirst(2)) == arrived.elements)
        let others = Language.Sentence.allCases.filter { $0 != .replay }.compactMap { voice.language.sentences[$0] }
        #expect(!others.contains { $0.contains(voice.language.sentences[.replay] ?? "") })
    }

    @Test("A two in a code is no two of something", arguments: ["zh-TW", "zh-HK"])
    func twoAsDigit(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let code = voice.writer.script(for: .signInCode(try #require(SignInCode("222222"))))
        #expect(code.shortcoming == nil && code.text.hasSuffix(" 二二二二二二"))
        #expect(try voice.language.reading(ofNumber: 2) == "二")
        #expect(try voice.language.reading(of: Money("2", #require(Currency("TWD")))).hasPrefix("兩"))
    }

    @Test("A code is said digit by digit, behind words that tell what it is", arguments: locales)
    func signInCode(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let code = try #require(SignInCode("102986"))
        let script = voice.writer.script(for: .signInCode(code))
        #expect(script.shortcoming == nil && script.amountRanges.isEmpty)
        let words = try #require(voice.language.prompts[.signInCode])
        #expect(script.text.hasPrefix(words))
        #expect(script.text.count > words.count + 6)
        // The words, and six digits.
        let phrases = script.elements.count { if case .phrase = $0 { true } else { false } }
        #expect(
            phrases == voice.writer.script(for: .prompt(.signInCode)).elements.count {
                if case .phrase = $0 { true } else { false }
            } + 6)
        // Digits alone could be taken for money.
        var language = voice.language
        language.prompts[.signInCode] = nil
        let wordless = ScriptWriter(language: language, phrases: voice.writer.phrases)
        #expect(!wordless.script(for: .signInCode(code)).hasWords)
        let payment = voice.writer.script(for: .payment(try Money("5", .CNY), channel: "alipay"))
        #expect(!payment.text.hasPrefix(words))
    }

    @Test(
        "A refused payment and a text are told in words of their own, which sound like no arrival", arguments: locales)
    func prompts(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let arrivals: [Language.Sentence] = [.payment, .paymentWithoutChannel, .unreadable, .unreadableWithoutChannel]
        // What each of them says around channel and amount.
        let pieces = arrivals.map { (voice.language.sentences[$0] ?? "").split(separator: /\s*(\{[^}]*\}|,)\s*/) }
        #expect(pieces.allSatisfy { !$0.isEmpty })
        for prompt in [Prompt.paymentUnreadable, .marker] {
            let words = try #require(voice.language.prompts[prompt])
            #expect(try voice.writer.exactScript(for: .prompt(prompt)).text == words)
            #expect(words != voice.language.prompts[.message])
            #expect(!pieces.contains { $0.allSatisfy { words.lowercased().contains($0.lowercased()) } })
        }
    }

    @Test("A channel is known by each name that providers send, in letters of any size", arguments: locales)
    func channelAliases(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let money = try Money("5", .CNY)
        func script(_ channel: String?) -> AnnouncementScript {
            voice.writer.script(for: .payment(money, channel: channel))
        }
        for (name, aliases) in [
            "wechat": ["weixin", "wechatpay", "WeChatPay", "WEIXIN"], "alipay": ["alipay_hk", "alipayhk", "AlipayHK"],
        ] {
            #expect(script(name) != script(nil))
            for alias in aliases { #expect(script(alias) == script(name), "\(alias)") }
        }
    }

    @Test(
        "An amount of a currency without a word is told as one of another currency, in every voice", arguments: locales)
    func otherCurrency(locale: String) throws {
        let voice = try Voice.shipped(locale)
        let money = try Money("5", #require(Currency("CHE")))
        let script = voice.writer.script(for: .payment(money, channel: "alipay"))
        #expect(script.shortcoming == .noUnit(money.currency))
        let warning = try #require(voice.language.otherCurrency)
        let five = try voice.language.reading(of: money, withUnit: false)
        #expect(script.text.contains(warning + five))
        #expect(!script.elements.isEmpty)
    }

    @Test("A box that cannot say how much still says that money came", arguments: locales)
    func fallback(locale: String) throws {
        let voice = try Voice.shipped(locale)
        var language = voice.language
        language.otherCurrency = nil
        // A currency without a word in this voice.
        let money = try Money("5", #require(Currency("CHE")))
        let script = ScriptWriter(language: language, phrases: voice.writer.phrases)
            .script(for: .payment(money, channel: "alipay"))
        #expect(script.shortcoming == .noUnit(money.currency))
        #expect(
            script.text
                == language.sentences[.unreadable]?.replacing("{channel}", with: language.channels["alipay"] ?? ""))
        #expect(!script.elements.isEmpty)
    }
}
