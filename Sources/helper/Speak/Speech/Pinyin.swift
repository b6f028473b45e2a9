import SoundboxCore

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
