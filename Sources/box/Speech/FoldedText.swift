import SoundboxCore

/// A text as it sounds, for finding words in it: without case, width, look-alikes and invisible characters.
struct FoldedText: Sendable {
    enum Script: Sendable {
        /// Words are separated by spaces: Latin, Devanagari and all that is not named here.
        case spaced
        /// Words have no spaces between them or, in Korean, are joined with their particles and units.
        case han, hangul, thai
    }

    struct Unit: Sendable {
        enum Kind: Sendable, Equatable {
            case letter(Script)
            case digit
            case currencySign
            /// A space, punctuation, a picture.
            case separator
        }

        var kind: Kind
        /// In lower case, with the marks that belong to it.
        var exact: String
        /// Without any marks.
        var plain: String
        /// Whether it is written as a capital.
        var isCapital = false
        /// Its place in the text that was folded.
        var place: Range<String.Index>

        var isLetter: Bool { if case .letter = kind { true } else { false } }

        /// The Unicode block of a letter, for scripts that have one to themselves.
        var block: UInt32? {
            switch kind {
            case .letter(.han): 0x4E00 >> 7
            case .letter(.hangul): 0xAC00 >> 7
            case .letter: plain.unicodeScalars.first.map { $0.value < 0x250 ? 0 : $0.value >> 7 }
            case .digit, .currencySign, .separator: nil
            }
        }
    }

    let text: String
    private(set) var units: [Unit] = []

    init(_ text: String) {
        self.text = text
        for index in text.indices { append(text[index], at: index..<text.index(after: index)) }
    }

    /// The original text of this range.
    func words(_ range: Range<Int>) -> String {
        guard let first = units[range].first, let last = units[range].last else { return "" }
        return String(text[first.place.lowerBound..<last.place.upperBound])
    }

    private mutating func append(_ character: Character, at place: Range<String.Index>) {
        let seen = character.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint && !$0.isForeignMark }
        guard let first = seen.first else { return }
        if let letter = first.latinLetter {
            let marks = seen.dropFirst().filter(\.isToneMark)
            var exact = String.UnicodeScalarView()
            exact.append(contentsOf: (first.isLatin ? first.properties.lowercaseMapping : letter).unicodeScalars)
            exact.append(contentsOf: marks)
            units.append(
                Unit(
                    kind: .letter(.spaced), exact: String(exact), plain: letter,
                    isCapital: first.properties.isUppercase, place: place))
            for rest in seen.dropFirst() where !rest.isToneMark { append(rest, at: place) }
        } else if first.isHangul {
            // One syllable, also if it is written as its two or three parts: canonically equivalent strings are equal.
            let syllable = String(String.UnicodeScalarView(seen.filter { !$0.isKoreanDot }))
            units.append(Unit(kind: .letter(.hangul), exact: syllable, plain: syllable, place: place))
        } else {
            for scalar in seen { append(scalar, at: place) }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, at place: Range<String.Index>) {
        func add(_ kind: Unit.Kind, _ text: String) {
            units.append(Unit(kind: kind, exact: text, plain: text, place: place))
        }
        let properties = scalar.properties
        switch scalar.value {
        case 0x2F00..<0x2F00 + UInt32(radicals.count):
            add(.letter(.han), String(radicals[Int(scalar.value - 0x2F00)].plainHan))
        case 0x2E80...0x2EFF, 0x3007, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            add(.letter(.han), String(Character(scalar).plainHan))
        // Thai writes one of its vowels as one letter or as two.
        case 0x0E33:
            add(.letter(.thai), "\u{0E4D}")
            add(.letter(.thai), "\u{0E32}")
        // The Thai sign for baht is a currency's, and its digits are digits.
        case 0x0E00...0x0E3E, 0x0E40...0x0E4F: add(.letter(.thai), String(scalar))
        // The dot of borrowed sounds is often left out, and the two signs of nasal vowels are confused.
        case 0x093C: break
        case 0x0901: add(.letter(.spaced), "\u{0902}")
        case 0x0958...0x095F:
            let bases = Array("कखगजडढफय".unicodeScalars)
            add(.letter(.spaced), String(bases[Int(scalar.value - 0x0958)]))
        default:
            if scalar.isKoreanDot {
                add(.separator, String(scalar))
            } else if properties.numericType != nil || scalar.isPicture(of: numberNames) {
                add(.digit, String(scalar))
            } else if properties.generalCategory == .currencySymbol || scalar.isPicture(of: moneyNames) {
                add(.currencySign, String(scalar))
            } else if properties.isAlphabetic || properties.generalCategory == .nonspacingMark {
                add(.letter(.spaced), properties.lowercaseMapping)
            } else {
                add(.separator, String(scalar))
            }
        }
    }
}

extension Unicode.Scalar {
    /// The dot between Korean letters, formerly a vowel.
    fileprivate var isKoreanDot: Bool { value == 0x318D || value == 0x119E }

    fileprivate var isHangul: Bool {
        switch value {
        case 0x318D, 0x119E: false
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: true
        default: false
        }
    }

    /// The Latin letter that it looks like, whatever its case, width, accent or alphabet; `nil` if there is none.
    fileprivate var latinLetter: String? {
        if isASCII { return properties.isAlphabetic ? properties.lowercaseMapping : nil }
        if let alike = lookAlikes[self] { return alike }
        // The Unicode name says what a letter is made of: LATIN SMALL LETTER E WITH CIRCUMFLEX AND ACUTE.
        guard let name = properties.name, Self.kinds.contains(where: name.hasPrefix) else { return nil }
        let letter =
            name.prefix(upTo: name.firstRange(of: " WITH ")?.lowerBound ?? name.endIndex)
            .split(separator: " ").last ?? ""
        guard letter.utf8.count == 1, let byte = letter.utf8.first, (0x41...0x5A).contains(byte) else { return nil }
        return letter.lowercased()
    }

    private static let kinds = [
        "LATIN ", "FULLWIDTH LATIN ", "MATHEMATICAL ", "CIRCLED LATIN ", "PARENTHESIZED LATIN ", "SQUARED LATIN ",
        "NEGATIVE ", "REGIONAL INDICATOR ", "MODIFIER LETTER ", "DOUBLE-STRUCK ", "SCRIPT ", "BLACK-LETTER ",
        "TURNED CAPITAL", "SUPERSCRIPT LATIN ", "OUTLINED LATIN ",
    ]

    fileprivate var isLatin: Bool {
        switch value {
        case 0x41...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF: true
        default: false
        }
    }

    /// The marks by which Vietnamese distinguishes words.
    fileprivate var isToneMark: Bool {
        [0x300, 0x301, 0x302, 0x303, 0x306, 0x309, 0x31B, 0x323].contains(value)
    }

    /// A mark that belongs to no particular script, put on letters to disguise them.
    fileprivate var isForeignMark: Bool {
        switch value {
        case 0x300...0x36F: !isToneMark
        case 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F: true
        default: false
        }
    }

    /// Whether it is a symbol with one of these words in its Unicode name: DIE FACE-5, MONEY BAG. A synthesiser reads
    /// such names aloud.
    fileprivate func isPicture(of words: Set<Substring>) -> Bool {
        guard properties.generalCategory == .otherSymbol, let name = properties.name else { return false }
        return name.split { $0 == " " || $0 == "-" }.contains(where: words.contains)
    }
}

private let numberNames = Set(
    ("0 1 2 3 4 5 6 7 8 9 ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE HUNDRED FIRST SECOND "
        + "THIRD NUMBERS").split(separator: " "))
private let moneyNames = Set("DOLLAR YEN EURO POUND RUPEE MONEY BANKNOTE COIN CURRENCY CREDIT".split(separator: " "))

/// Letters of other alphabets that look like Latin ones.
private let lookAlikes: [Unicode.Scalar: String] = {
    let pairs: [(String, String)] = [
        ("аеорсухівѕјһԁԛԝкмтнгп", "aeopcyxibsjhdqwkmthrn"), ("АЕОРСУХІВЅЈҺԀԚԜКМТН", "aeopcyxibsjhdqwkmth"),
        ("αβγεικνορτυχηωϲ", "abyeikvoptuxnwc"), ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"), ("ԍցոսհօ", "ggnuho"),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (foreign, latin) in pairs {
        for (letter, alike) in zip(foreign.unicodeScalars, latin) { table[letter] = String(alike) }
    }
    return table
}()

extension Character {
    fileprivate var plainHan: Character { hanVariants[self] ?? self }
}

/// Kangxi radicals from U+2F00 on, as the characters that they stand for.
private let radicals = Array(
    "一丨丶丿乙亅二亠人儿入八冂冖冫几凵刀力勹匕匚匸十卜卩厂厶又口囗土士夂夊夕大女子宀寸小尢尸屮山巛工己巾干幺广廴廾弋弓彐彡彳心戈戶手支攴文斗斤方无日曰月木欠止歹殳毋比毛氏气水火"
        + "爪父爻爿片牙牛犬玄玉瓜瓦甘生用田疋疒癶白皮皿目矛矢石示禸禾穴立竹米糸缶网羊羽老而耒耳聿肉臣自至臼舌舛舟艮色艸虍虫血行衣襾見角言谷豆豕豸貝赤走足身車辛辰辵邑酉釆里金長門阜隶"
        + "隹雨靑非面革韋韭音頁風飛食首香馬骨高髟鬥鬯鬲鬼魚鳥鹵鹿麥麻黃黍黑黹黽鼎鼓鼠鼻齊齒龍龜龠")

/// Traditional characters and variants of what voices say, as the characters that are used here.
private let hanVariants: [Character: Character] = {
    let variants =
        "帳賬帐轉進錢圓圆円圜塊萬億兩發匯經給費點實幣鎊銖盧韓歐澤項筆離線额額總計號數據請與單處貨時間開關個過還這來幾寶銀雲閃條訖収欵隻鐘鍾複報儲録錄驗證碼歡設備誤暫無應網絡斷連靜調繼續將東團貝貨"
        + "蘋現員會灣訊啟訂絕廣顧廳從"
    let plain =
        "账账账转进钱元元元元块万亿两发汇经给费点实币镑铢卢韩欧泽项笔离线额额总计号数据请与单处货时间开关个过还这来几宝银云闪条讫收款只钟钟复报储录录验证码欢设备误暂无应网络断连静调继续将东团贝货"
        + "苹现员会湾讯启订绝广顾厅从"
    return Dictionary(zip(variants, plain)) { first, _ in first }
}()
