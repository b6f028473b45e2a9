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
