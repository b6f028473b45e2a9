/// The words of numbers: those of the voices, English and Chinese.
struct NumberWords: Sendable {
    let words: [FoldedWord]
    /// A hundred and more.
    let largeWords: [FoldedWord]

    static let han = Set("零一二三四五六七八九十百千万亿兆两廿卅卌皕".map { String($0) })
    static let largeHan = Set("百千万亿兆皕".map { String($0) })

    init(_ languages: [Language]) {
        var words = Set(Self.english + Self.german + Self.nativeKorean)
        var large = Set(Self.largeEnglish)
        for language in languages {
            let small = Self.readings(of: (0...99).map { UInt64($0) }, in: language)
            let round = Self.readings(of: Self.roundNumbers, in: language)
            if language.wordsAreSpaced {
                let smallWords = Set(small.flatMap(Self.split))
                let roundWords = Set(round.flatMap(Self.split))
                words.formUnion(smallWords)
                large.formUnion(roundWords.subtracting(smallWords))
            } else {
                // The pieces that the rules put together: สิบ, เอ็ด. What only joins decimals stands in none of these.
                let pieces = language.numbers.vocabulary(ofSets: language.ruleSets)
                for piece in pieces where !piece.isEmpty {
                    if small.contains(where: { $0.contains(piece) }) {
                        words.insert(piece)
                    } else if round.contains(where: { $0.contains(piece) }) {
                        large.insert(piece)
                    }
                }
            }
        }
        self.words = words.union(large).flatMap(\.germanSpellings).compactMap(FoldedWord.init).filter {
            $0.units[0].kind != .letter(.han)
        }
        largeWords = large.flatMap(\.germanSpellings).compactMap(FoldedWord.init).filter {
            $0.units[0].kind != .letter(.han)
        }
    }

    private static let roundNumbers: [UInt64] =
        [100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000].flatMap {
            [$0, 2 * $0]
        } + [1_000_000_000, 2_000_000_000, 1_000_000_000_000]

    private static func readings(of numbers: [UInt64], in language: Language) -> [String] {
        numbers.compactMap { number in
            guard let number = try? DecimalNumber(whole: number) else { return nil }
            return try? language.numbers.spell(number, with: language.cardinalRuleSet)
        }
    }

    private static func split(_ text: String) -> [String] { text.split { $0 == " " || $0 == "-" }.map(String.init) }

    private static let english = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fourty",
        "fifty", "sixty", "seventy", "eighty", "ninety", "dozen",
        // Mandarin in Latin letters.
        "yi", "er", "san", "si", "wu", "liu", "qi", "ba", "jiu", "shi", "liang", "ling",
    ]
    /// Forms that no reading of a whole number has.
    private static let german = [
        "zwo", "eine", "einen", "einem", "einer", "eins", "anderthalb", "eineinhalb", "halber", "halbe", "halben",
        "hunderte", "hunderten", "tausende", "tausenden", "dutzend",
    ]

    /// The numerals that count things, from five on: those below are syllables of too many other words, as of 신선한 원두.
    private static let nativeKorean = [
        "하나", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "스물", "스무", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔", "수십", "수백",
        "수천", "수만",
    ]
    private static let largeEnglish = [
        "hundred", "hundreds", "thousand", "thousands", "million", "millions", "billion", "lakh", "lakhs", "crore",
        "bai",
        "qian", "wan",
    ]
}

extension String {
    /// Itself, and how it is written where there is no umlaut: fünf, fuenf; dreißig, dreissig.
    fileprivate var germanSpellings: [String] {
        let plain = replacing("ä", with: "ae").replacing("ö", with: "oe").replacing("ü", with: "ue").replacing(
            "ß", with: "ss")
        return plain == self ? [self] : [self, plain]
    }
}
