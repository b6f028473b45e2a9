import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxSpeech

@Suite("Covering a text with recordings")
struct UnitSelectionTests {
    private func cover(_ text: String, with phrases: [String], spaced: Bool = false) throws -> [String] {
        try UnitSelection(phrases: phrases, wordsAreSpaced: spaced).cover(Array(text.unicodeScalars)[...])
            .map { phrases[$0] }
    }

    @Test(
        "The fewest recordings are chosen",
        arguments: [
            ("一百二十三", ["一", "二", "三", "十", "百"], ["一", "百", "二", "十", "三"]),
            ("一百二十三", ["一", "二", "三", "十", "百", "一百", "二十三"], ["一百", "二十三"]),
            // The longest first would need three.
            ("一百二十三", ["一百二", "一百", "二十三", "十", "三"], ["一百", "二十三"]),
            ("abcd", ["a", "abc", "bcd", "d", "b", "c"], ["abc", "d"]), ("", ["a"], []), ("到账", ["到账"], ["到账"]),
        ])
    func fewest(text: String, phrases: [String], expected: [String]) throws {
        #expect(try cover(text, with: phrases) == expected)
    }

    @Test(
        "Among equally few, the longest comes first",
        arguments: [["abc", "def", "abcd", "ef"], ["ef", "abcd", "def", "abc"]])
    func ties(phrases: [String]) throws {
        #expect(try cover("abcdef", with: phrases) == ["abcd", "ef"])
    }

    @Test("A syllable is not left alone where another cut has as few recordings")
    func loneSyllables() throws {
        #expect(try cover("四十五元", with: ["四十五", "元", "四十", "五元"]) == ["四十", "五元"])
        // One recording fewer weighs more.
        #expect(try cover("四十五元整", with: ["四十五元", "整", "四十", "五元", "元整"]) == ["四十五元", "整"])
        // In a language with spaces a letter says nothing about a syllable.
        #expect(try cover("a b c", with: ["a b", "c", "a", "b c"], spaced: true) == ["a b", "c"])
    }

    @Test(
        "A digit is not cut from its place where another cut has as few recordings",
        arguments: [
            ("四千零七十二", ["四千", "零", "七十二"]), ("零七十二点五元", ["零", "七十二", "点五元"]),
            // One recording fewer weighs more, and where there is no other cut, this one is made.
            ("三四十", ["三四", "十"]), ("二十二", ["二十", "二"]),
        ])
    func places(text: String, expected: [String]) throws {
        let phrases = ["四千", "零七", "零", "七十二", "十二", "点五元", "三四", "十", "二十", "二"]
        let selection = UnitSelection(phrases: phrases, places: ["十", "百", "千"], wordsAreSpaced: false)
        #expect(try selection.cover(Array(text.unicodeScalars)[...]).map { phrases[$0] } == expected)
    }

    @Test("Places are what the number rules say right behind a single digit")
    func placesOfRules() throws {
        let rules = """
            %n:
            x.x: <<点>>>;
            0: 零; 一; 二; 三; 四; 五; 六; 七; 八; 九; 10: 十[>>]; 20: <<十[>>]; 100: <<百[>%%after>]; 1000: 千[>>];
            %%after:
            1: 零=%n=; 10: 一=%n=; 20: =%n=; 10000: <%n<万[>>];
            """
        #expect(try NumberRules(parsing: rules).placeWords(ofSets: ["%n"]) == ["十", "百"])
    }

    @Test(
        "What was spoken as an ending stands at the end of the text and nowhere else",
        arguments: [
            ("五元", [1]), ("五元五元", [0, 1]), ("五元五角", [0, 2]), ("五元 ", [1]), ("五角", [2]), ("元", [3]),
        ])
    func endings(text: String, expected: [Int]) throws {
        let selection = UnitSelection(phrases: ["五元", "五元", "五角", "元"], endings: [1], wordsAreSpaced: false)
        #expect(try selection.cover(Array(text.unicodeScalars)[...]) == expected)
    }

    @Test("An ending alone says nothing in the middle of a text")
    func endingInTheMiddle() {
        let selection = UnitSelection(phrases: ["五元", "到账"], endings: [0], wordsAreSpaced: false)
        #expect(throws: SpeechError.missingPhrase("五元到账")) {
            try selection.cover(Array("五元到账".unicodeScalars)[...])
        }
    }

    @Test("A recording more is worse than an end that is no ending")
    func endingAgainstCount() throws {
        let selection = UnitSelection(phrases: ["五百元", "五百", "元"], endings: [2], wordsAreSpaced: false)
        #expect(try selection.cover(Array("五百元".unicodeScalars)[...]) == [0])
    }

    @Test("The first of two equal phrases is used")
    func equalPhrases() throws {
        #expect(try UnitSelection(phrases: ["x", "元", "元"], wordsAreSpaced: false).cover(["元"]) == [1])
    }

    @Test(
        "The text that nothing covers is reported from the place where it begins",
        arguments: [
            ("一百X三", ["一百", "三"], "X三"), ("X", [], "X"), ("一百", ["一百零"], "一百"), ("ab", ["a"], "b"),
            ("abc", ["ab", "a"], "c"), ("aXbX", ["a", "b"], "XbX"),
        ] as [(String, [String], String)])
    func missing(text: String, phrases: [String], rest: String) {
        #expect(throws: SpeechError.missingPhrase(rest)) { try cover(text, with: phrases) }
    }

    @Test(
        "In a language with spaces a phrase begins and ends at a word",
        arguments: [
            ("twenty-three rupees", ["twenty", "three", "rupees"], ["twenty", "three", "rupees"]),
            ("twenty-three rupees", ["twenty three", "rupees"], ["twenty three", "rupees"]),
            ("one hundred", ["one", "hundred", "one hundred"], ["one hundred"]),
            (" one  one ", ["one"], ["one", "one"]),
        ])
    func words(text: String, phrases: [String], expected: [String]) throws {
        #expect(try cover(text, with: phrases, spaced: true) == expected)
    }

    @Test(
        "A word is never put together from parts of words",
        arguments: [("seventeen", ["seven", "teen"]), ("someone", ["some", "one"]), ("one", ["on", "e"])])
    func partsOfWords(text: String, phrases: [String]) {
        #expect(throws: SpeechError.missingPhrase(text)) { try cover(text, with: phrases, spaced: true) }
    }

    @Test("An empty phrase and a text of many thousand letters are no trouble")
    func long() throws {
        let text = String(repeating: "一", count: 9_001)
        let chosen = try cover(text, with: ["", "一", "一一", "一一一"])
        #expect(chosen.count == 3001)
        #expect(chosen.joined() == text)
        #expect(chosen.first == "一一一")
        #expect(throws: SpeechError.missingPhrase("X")) { try cover(text + "X", with: ["一", "一一", "一一一"]) }
    }

    @Test("The choice is the one that trying every covering finds")
    func againstExhaustiveSearch() throws {
        var random = SeededGenerator(seed: 19)
        for _ in 0..<1500 {
            func word(_ length: ClosedRange<Int>) -> String {
                String(
                    (0..<Int.random(in: length, using: &random)).map { _ in "ab零".randomElement(using: &random) ?? "a" }
                )
            }
            let phrases = Array(Set((0..<6).map { _ in word(1...4) })).sorted()
            let text = word(0...9)
            let best = Self.coverings(of: text[...], with: phrases).min {
                ($0.badness, $0.map { -$0.utf8.count }) < ($1.badness, $1.map { -$0.utf8.count })
            }
            #expect((try? cover(text, with: phrases)) == best, "\(text) with \(phrases)")
        }
    }

    private static func coverings(of text: Substring, with phrases: [String]) -> [[String]] {
        if text.isEmpty { return [[]] }
        return phrases.filter { text.hasPrefix($0) }.flatMap { phrase in
            coverings(of: text.dropFirst(phrase.count), with: phrases).map { [phrase] + $0 }
        }
    }
}

extension [String] {
    /// Fewer recordings first, then fewer syllables alone.
    fileprivate var badness: Int { count * 1000 + count { $0.count == 1 } }
}

private func < (left: (Int, [Int]), right: (Int, [Int])) -> Bool {
    left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0 < right.0
}
