import SoundboxCore
import SoundboxSpeech
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxVoice

@Suite("The Mandarin voice that ships with the box")
struct MandarinReadingTests {
    private let language: Language
    private let phrases: [String]

    init() throws {
        let voice = try Voice.shipped()
        (language, phrases) = (voice.language, voice.writer.phrases)
    }

    @Test(
        "Amounts that other boxes get wrong are read right",
        arguments: [
            ("1005", "一千零五元"), ("1010", "一千零一十元"), ("10500", "一万零五百元"), ("107000", "十万七千元"),
            ("20000", "二万元"), ("100010000", "一亿零一万元"), ("12.00", "十二元"), ("12.50", "十二点五元"),
            ("0.06", "零点零六元"), ("0.10", "零点一元"), ("222.05", "二百二十二点零五元"),
        ])
    func amountsOthersGetWrong(amount: String, expected: String) throws {
        #expect(try language.reading(of: Money(amount, .CNY)) == expected)
    }

    @Test(
        "Two is 二 in every place of an amount",
        arguments: [
            ("2", "二"), ("20", "二十"), ("200", "二百"), ("2000", "二千"), ("20000", "二万"), ("22222", "二万二千二百二十二"),
            ("200000000", "二亿"), ("2.2", "二点二"),
        ])
    func two(amount: String, expected: String) throws {
        #expect(try language.reading(of: Money(amount, .CNY), withUnit: false) == expected)
    }

    @Test(
        "By the other set two is 两 by itself and before a place",
        arguments: [
            ("2", "两"), ("20", "二十"), ("12", "十二"), ("102", "一百零二"), ("200", "两百"), ("1200", "一千两百"),
            ("22222", "两万两千两百二十二"), ("20200", "两万零两百"), ("120000", "十二万"), ("100020000", "一亿零两万"),
            ("2000000000000", "两万亿"), ("2.2", "二点二"), ("200.2", "两百点二"),
        ])
    func liang(amount: String, expected: String) throws {
        var language = language
        language.cardinalRuleSet = "%spellout-cardinal-alternate2"
        #expect(try language.reading(of: Money(amount, .CNY), withUnit: false) == expected)
        // What is no amount stays as it is.
        #expect(try language.reading(of: 2) == "两" && language.reading(ofNumber: 2) == "二")
    }

    @Test(
        "Ten is 十 at the start of a number and 一十 inside it",
        arguments: [
            ("10", "十"), ("15", "十五"), ("110", "一百一十"), ("1015", "一千零一十五"), ("100000", "十万"), ("150015", "十五万零一十五"),
            ("1100000", "一百一十万"), ("1000000000", "十亿"), ("100100000", "一亿零一十万"), ("10.10", "十点一"),
        ])
    func ten(amount: String, expected: String) throws {
        #expect(try language.reading(of: Money(amount, .CNY), withUnit: false) == expected)
    }

    @Test(
        "Large amounts are read to the last place",
        arguments: [
            ("123456789", "一亿二千三百四十五万六千七百八十九"), ("1000000000000", "一万亿"), ("1000000000001", "一万亿零一"),
            ("110000000", "一亿一千万"), ("101000000", "一亿零一百万"), ("100000001", "一亿零一"), ("100005000", "一亿零五千"),
            ("999999999999999.99", "九百九十九万九千九百九十九亿九千九百九十九万九千九百九十九点九九"),
            ("1000000000000000", "一千万亿"),
        ])
    func largeAmounts(amount: String, expected: String) throws {
        #expect(try language.reading(of: Money(amount, .CNY), withUnit: false) == expected)
    }

    @Test("Every whole number below 100,000 is read as school teaches it")
    func everySmallNumber() throws {
        for whole in UInt64(0)..<100_000 {
            let reading = try language.numbers.spell(DecimalNumber(whole: whole), with: language.cardinalRuleSet)
            let taught = Self.taughtReading(whole: whole)
            // Not the macro for each number: it would take most of the time.
            if reading != taught { Issue.record("\(whole): expected \(taught), found \(reading)") }
        }
    }

    @Test("Random amounts up to 10¹⁵ with random decimals are read as school teaches it")
    func randomNumbers() throws {
        var random = SeededGenerator(seed: 20_261_121)
        for _ in 0..<20_000 {
            // As many small as large numbers, and many empty places.
            let digits = Int.random(in: 1...15, using: &random)
            var whole: UInt64 = 0
            for _ in 0..<digits {
                let digit = Bool.random(using: &random) ? 0 : UInt64.random(in: 0...9, using: &random)
                whole = whole * 10 + digit
            }
            var decimals = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                UInt8.random(in: 0...9, using: &random)
            }
            let number = try DecimalNumber(whole: whole, decimals: decimals)
            while decimals.last == 0 { decimals.removeLast() }
            let reading = try language.numbers.spell(number, with: language.cardinalRuleSet)
            let taught = Self.taughtReading(whole: whole, decimals: decimals)
            if reading != taught { Issue.record("\(number): expected \(taught), found \(reading)") }
        }
    }

    @Test("Different amounts never share a reading")
    func readingsAreUnambiguous() throws {
        var random = SeededGenerator(seed: 13)
        var amounts: [String: DecimalNumber] = [:]
        for _ in 0..<5000 {
            let units = UInt64.random(in: 1...200_000, using: &random)
            let amount = try DecimalNumber(minorUnits: units, exponent: 2)
            let reading = try language.reading(of: Money(amount, .CNY))
            try #require(amounts.updateValue(amount, forKey: reading).map { $0 == amount } ?? true)
        }
    }

    @Test(
        "Things are counted with 两, amounts are not",
        arguments: [(1, "一"), (2, "两"), (3, "三"), (12, "十二"), (22, "二十二")])
    func counting(count: Int, expected: String) throws {
        #expect(try language.reading(of: count) == expected)
    }

    @Test("A currency without a unit word is reported, and readable without its unit")
    func noUnit() throws {
        let dinar = try #require(Currency("KWD"))
        #expect(throws: SpeechError.noUnit(dinar)) { try language.reading(of: Money("1.5", dinar)) }
        #expect(try language.reading(of: Money("1.5", dinar), withUnit: false) == "一点五")
    }

    @Test("The shipped recordings speak random amounts in every currency and channel without a shortcoming")
    func shippedRecordings() throws {
        let writer = ScriptWriter(language: language, phrases: phrases)
        var random = SeededGenerator(seed: 23)
        let channels = language.channels.keys.sorted()
        let codes = language.units.keys.sorted()
        for round in 0..<1500 {
            let currency = try #require(Currency(codes[round % codes.count]))
            let digits = Int.random(in: 1...15, using: &random)
            let units =
                UInt64.random(in: 1...999_999_999_999_999, using: &random)
                % (0..<digits).reduce(1) { power, _ in power * 10 }
            let amount = try DecimalNumber(minorUnits: units, exponent: currency.exponent)
            let utterance = Utterance.payment(Money(amount, currency), channel: channels[round % channels.count])
            let script = writer.script(for: utterance)
            try #require(script.shortcoming == nil, "\(script.text): \(String(describing: script.shortcoming))")
            let spoken = script.elements.map { if case .phrase(let index) = $0 { phrases[index] } else { "," } }
                .joined()
            try #require(spoken == script.text)
        }
    }

    @Test(
        "An amount below ten is one recording, and a larger one is cut before its point",
        arguments: [
            ("0.06", ["零点零六元"]), ("2.5", ["二点五元"]), ("8.38", ["八点三八元"]), ("9.99", ["九点九九元"]),
            ("18.38", ["十八", "点三八元"]), ("28.05", ["二十八", "点零五元"]), ("238.9", ["二百", "三十八", "点九元"]),
            ("108.38", ["一百", "零八", "点三八元"]),
        ])
    func recordings(amount: String, expected: [String]) throws {
        let voice = try Voice.shipped()
        let script = voice.writer.script(for: .payment(try Money(amount, .CNY), channel: nil))
        let spoken = script.elements.compactMap { if case .phrase(let index) = $0 { phrases[index] } else { nil } }
        #expect(spoken.suffix(expected.count) == expected[...] && spoken.count == expected.count + 1)
    }

    /// Reads a number as it is taught at school, digit by digit from the left, and shares nothing with the rules:
    /// one 零 for a run of empty places that a filled one follows, none across the end of a filled 万 or 亿.
    private static func taughtReading(whole: UInt64, decimals: [UInt8] = []) -> String {
        let names = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"]
        let places = ["", "十", "百", "千"]
        var words = ""
        var emptyPlaces = false
        var groupIsFilled = false
        let digits = String(whole).compactMap(\.wholeNumberValue)
        for (index, digit) in digits.enumerated() {
            let place = digits.count - 1 - index
            if digit == 0 {
                emptyPlaces = true
            } else {
                if emptyPlaces { words += "零" }
                emptyPlaces = false
                groupIsFilled = true
                let isLeadingTen = words.isEmpty && digit == 1 && place % 4 == 1
                words += (isLeadingTen ? "" : names[digit]) + places[place % 4]
            }
            guard place > 0, place % 4 == 0 else { continue }
            let endsHundredMillions = place == 8
            if endsHundredMillions || groupIsFilled {
                words += endsHundredMillions ? "亿" : "万"
                emptyPlaces = false
            }
            groupIsFilled = false
        }
        if whole == 0 { words = "零" }
        return decimals.isEmpty ? words : words + "点" + decimals.map { names[Int($0)] }.joined()
    }
}
