/// A text as it sounds, for looking words up in it: without case, width, look-alikes and what nobody sees.
struct FoldedText: Sendable {
    enum Script: Sendable {
        /// Words that other letters end: Latin, Devanagari and all that is not named here.
        case spaced
        /// Words that stand side by side, or, in Korean, with their particles and units.
        case han, hangul, thai
    }

    struct Unit: Sendable {
        enum Kind: Sendable, Equatable {
            case letter(Script)
            case digit
            case currencySign
            /// A blank, punctuation, a picture.
            case separator
            /// What no word reaches across.
            case barrier
        }

        var kind: Kind
        /// In small letters, with the marks that belong to it.
        var exact: String
        /// Without any marks.
        var plain: String
        /// Whether it is written as a capital.
        var isCapital = false
        /// Where it stands in the text that was folded.
        var place: Range<String.Index>

        var isSpacedLetter: Bool { kind == .letter(.spaced) }
    }

    let text: String
    var units: [Unit] = []

    init(_ text: String) {
        self.text = text
        for index in text.indices {
            append(text[index], at: index..<text.index(after: index))
        }
    }

    /// The words that stand there, as they are written.
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
            return
        }
        for scalar in seen.composedHangul { append(scalar, at: place) }
    }

    private mutating func append(_ scalar: Unicode.Scalar, at place: Range<String.Index>) {
        func add(_ kind: Unit.Kind, _ text: String) {
            units.append(Unit(kind: kind, exact: text, plain: text, place: place))
        }
        switch scalar.value {
        case 0x3007, 0x2E80...0x2FDF, 0x3400...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            let character = Character(scalar)
            return add(.letter(.han), String(hanVariants[character] ?? character))
        // The Korean dot between letters, once a vowel.
        case 0x318D, 0x119E: return add(.separator, String(scalar))
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF:
            return add(.letter(.hangul), String(scalar))
        // Thai writes one of its vowels as one letter or as two.
        case 0x0E33:
            add(.letter(.thai), "\u{0E4D}")
            return add(.letter(.thai), "\u{0E32}")
        case 0x0E3F: return add(.currencySign, "฿")
        case 0x0E00...0x0E7F where scalar.properties.numericType == nil: return add(.letter(.thai), String(scalar))
        // The dot that marks borrowed sounds is often left out, and the two signs of nasal vowels are mixed up.
        case 0x093C: return
        case 0x0901: return add(.letter(.spaced), "\u{0902}")
        case 0x0958...0x095F:
            let bases = Array("कखगजडढफय".unicodeScalars)
            return add(.letter(.spaced), String(bases[Int(scalar.value - 0x0958)]))
        // Banknotes, and a heavy dollar.
        case 0x1F4B2, 0x1F4B4...0x1F4B7: return add(.currencySign, String(scalar))
        case 0x1F4AF: return add(.digit, String(scalar))
        default: break
        }
        let properties = scalar.properties
        if properties.numericType != nil {
            add(.digit, String(scalar))
        } else if properties.generalCategory == .currencySymbol {
            add(.currencySign, String(scalar))
        } else if properties.isAlphabetic || properties.generalCategory == .nonspacingMark {
            add(.letter(.spaced), properties.lowercaseMapping)
        } else {
            add(.separator, String(scalar))
        }
    }
}

extension Sequence<Unicode.Scalar> {
    /// Korean syllables as one letter each, also where they are written as their two or three parts (Unicode, chapter
    /// 3.12).
    fileprivate var composedHangul: [Unicode.Scalar] {
        var composed: [Unicode.Scalar] = []
        for scalar in self {
            if let last = composed.last, let syllable = Unicode.Scalar(hangul: last, with: scalar) {
                composed[composed.count - 1] = syllable
            } else {
                composed.append(scalar)
            }
        }
        return composed
    }
}

extension Unicode.Scalar {
    /// A syllable of an initial and a vowel, or of a syllable without a final and its final; `nil` for anything else.
    fileprivate init?(hangul first: Unicode.Scalar, with second: Unicode.Scalar) {
        switch (first.value, second.value) {
        case (0x1100...0x1112, 0x1161...0x1175):
            self.init(0xAC00 + ((first.value - 0x1100) * 21 + second.value - 0x1161) * 28)
        case (0xAC00...0xD7A3, 0x11A8...0x11C2) where (first.value - 0xAC00) % 28 == 0:
            self.init(first.value + second.value - 0x11A7)
        default: return nil
        }
    }

    /// The letter that it looks like, whatever its case, width, accent or alphabet; `nil` for what looks like none.
    fileprivate var latinLetter: String? {
        if isASCII {
            return properties.isAlphabetic ? properties.lowercaseMapping : nil
        }
        if let alike = lookAlikes[self] { return alike }
        // The standard's names say what a letter is made of: LATIN SMALL LETTER E WITH CIRCUMFLEX AND ACUTE.
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

    /// The marks with which Vietnamese tells words apart.
    fileprivate var isToneMark: Bool {
        [0x300, 0x301, 0x302, 0x303, 0x306, 0x309, 0x31B, 0x323].contains(value)
    }

    /// A mark that belongs to no script in particular, put on letters to disguise them.
    fileprivate var isForeignMark: Bool {
        switch value {
        case 0x300...0x36F: !isToneMark
        case 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F: true
        default: false
        }
    }
}

/// Letters of other alphabets that cannot be told from Latin ones by eye.
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

/// Traditional characters, variants and the numerals of contracts by what they are written as here.
private let hanVariants: [Character: Character] = {
    let pairs: [(String, String)] = [
        ("帳賬帐轉進錢圓圆円圜塊萬億兩發匯經給費點實幣鎊銖盧韓歐澤項筆離線額總計號", "账账账转进钱元元元元块万亿两发汇经给费点实币镑铢卢韩欧泽项笔离线额总计号"),
        ("壹弌貳贰弍參叁叄肆伍陸陆柒捌玖拾佰仟〇", "一一二二二三三三四五六六七八九十百千零"),
        ("數據請與單處貨時間開關個邊過還這來幾寶銀雲閃條訖", "数据请与单处货时间开关个边过还这来几宝银云闪条讫"), ("⼀⼆⼋⼗", "一二八十"),
    ]
    var table: [Character: Character] = [:]
    for (variant, plain) in pairs {
        for (one, other) in zip(variant, plain) { table[one] = other }
    }
    return table
}()
