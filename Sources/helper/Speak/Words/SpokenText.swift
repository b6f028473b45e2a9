import SoundboxCore

/// A text prepared for espeak-ng: without instructions, and with only readable characters.
struct SpokenText: Equatable {
    /// The name of the espeak-ng voice.
    var voice: String
    var text: String

    /// The espeak-ng voice for each language of the box. None for Thai: espeak-ng has its sounds, but no rules to read
    /// its script. Mandarin is converted to pinyin, because espeak-ng's own dictionary lacks most characters and spells
    /// them in English.
    static let voices = [
        "de-DE": "de", "en-IN": "en-gb", "en-US": "en-us", "hi-IN": "hi", "id-ID": "id", "ko-KR": "ko", "ms-MY": "ms",
        "vi-VN": "vi",
        "zh-CN": "cmn-latn-pinyin", "zh-HK": "yue", "zh-TW": "cmn-latn-pinyin",
    ]

    init(_ text: String, in locale: String) throws(SpeakError) {
        guard locale != "th-TH" else { throw SpeakError("espeak-ng cannot read Thai script") }
        guard let voice = Self.voices[locale] else {
            throw SpeakError("there is no voice of espeak-ng for \(locale)")
        }
        let cleaned = Self.cleaned(text)
        guard cleaned.unicodeScalars.contains(where: { $0.properties.isAlphabetic || $0.properties.numericType != nil })
        else { throw SpeakError("the text holds no word") }
        self.voice = voice
        self.text = voice == "cmn-latn-pinyin" ? try Pinyin.spell(cleaned) : cleaned
    }

    /// At most ``CustomMessage/longestText`` characters, on one line.
    ///
    /// espeak-ng reads `[[…]]` as phoneme names, and with an option `<…>` and `&…;` as markup.
    static func cleaned(_ text: String) -> String {
        var result = ""
        for scalar in String(text.prefix(CustomMessage.longestText)).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: result += " "
            case .format, .surrogate, .privateUse, .unassigned: continue
            default:
                if "[]<>{}\\|`^_&*#".unicodeScalars.contains(scalar) {
                    result += " "
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result.split(separator: " ").joined(separator: " ")
    }

    /// Whether espeak-ng can read the text in one language. It marks a change to another language in its phonemes with
    /// brackets: `(en)`. Words in Latin letters may be spoken in English, so ``question`` leaves them out.
    static func isRead(as phonemes: String) -> Bool { !phonemes.contains("(") }

    /// The text to check, without words in Latin letters; empty if nothing is left.
    var question: String {
        guard !voice.hasPrefix("en"), voice != "cmn-latn-pinyin" else { return "" }
        let foreign = text.unicodeScalars.map { $0.properties.isAlphabetic && $0.value < 0x250 ? " " : Character($0) }
        let question = String(foreign)
        return question.unicodeScalars.contains { $0.properties.isAlphabetic } ? question : ""
    }
}

/// Converts Mandarin to pinyin with tone digits, for espeak-ng's voice `cmn-latn-pinyin`. Uses the most common reading
/// of each character, and a list of words with other readings.
enum Pinyin {
    /// Words in which a character has another reading than alone.
    private static let words = [
        "银行": "yin2 hang2", "銀行": "yin2 hang2", "行业": "hang2 ye4", "排行": "pai2 hang2", "重复": "chong2 fu4",
        "重複": "chong2 fu4", "重新": "chong2 xin1", "音乐": "yin1 yue4", "音樂": "yin1 yue4", "店长": "dian4 zhang3",
        "店長": "dian4 zhang3", "班长": "ban1 zhang3", "家长": "jia1 zhang3", "归还": "gui1 huan2", "歸還": "gui1 huan2",
        "还款": "huan2 kuan3", "还书": "huan2 shu1", "首都": "shou3 du1", "必得": "bi4 de2", "获得": "huo4 de2",
        "得到": "de2 dao4", "了解": "liao3 jie3", "为了": "wei4 le5", "因为": "yin1 wei4", "便宜": "pian2 yi5",
        "好像": "hao3 xiang4", "爱好": "ai4 hao4", "目的": "mu4 di4", "的确": "di2 que4", "着急": "zhao2 ji2",
        "睡觉": "shui4 jiao4", "睡覺": "shui4 jiao4", "数一数": "shu3 yi1 shu3", "调整": "tiao2 zheng3",
        "会计": "kuai4 ji4", "供应": "gong1 ying4", "提供": "ti2 gong1", "朝阳": "chao2 yang2", "空闲": "kong4 xian2",
        "差额": "cha1 e2", "出差": "chu1 chai1", "外卖": "wai4 mai4", "单号": "dan1 hao4",
    ]
    private static let longestWord = 3

    /// - Throws: if the reading of a character is unknown.
    static func spell(_ text: String) throws(SpeakError) -> String {
        let characters = Array(text)
        let readings = readings(of: Set(text.unicodeScalars))
        var result = ""
        var index = 0
        while index < characters.count {
            let word = stride(from: longestWord, to: 1, by: -1).lazy.compactMap { length in
                index + length <= characters.count
                    ? words[String(characters[index..<index + length])].map { ($0, length) } : nil
            }.first
            if let (reading, length) = word {
                result += " \(reading) "
                index += length
                continue
            }
            for scalar in characters[index].unicodeScalars {
                if let reading = readings[scalar] {
                    result += " \(reading) "
                } else if scalar.properties.isIdeographic {
                    throw SpeakError("no reading is known of the character \(scalar)")
                } else if scalar.properties.numericType != nil, result.last?.isNumber != true, result.last != " " {
                    // A digit after a letter would be read as its tone.
                    result += " \(scalar)"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
            index += 1
        }
        return result.split(separator: " ").joined(separator: " ")
    }

    /// The readings of single characters. `pinyin.txt` has the most common reading of each character in GB 2312 and in
    /// the first level of Big5, from Unicode's data (Unihan, kMandarin, by ICU's transform Han-Latin; Unicode licence).
    /// Each line has a reading with its tone, then its characters. The file is read rarely, so it is scanned once and
    /// no table is kept.
    private static func readings(of wanted: Set<Unicode.Scalar>) -> [Unicode.Scalar: Substring] {
        var readings: [Unicode.Scalar: Substring] = [:]
        for line in String(decoding: PackageResources.pinyin_txt, as: UTF8.self).split(separator: "\n") {
            guard let gap = line.firstIndex(of: " ") else { continue }
            for scalar in line[gap...].unicodeScalars where wanted.contains(scalar) && scalar != " " {
                readings[scalar] = line[..<gap]
            }
        }
        return readings
    }
}
