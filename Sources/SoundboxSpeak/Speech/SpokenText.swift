import SoundboxCore

/// A text made ready for espeak-ng: nothing in it is an instruction, and all of it can be read.
struct SpokenText: Equatable {
    /// The voice by its name at espeak-ng.
    var voice: String
    var text: String

    /// espeak-ng's voice for each language of the box. None for Thai: espeak-ng has the sounds and no rules to read the
    /// script. Mandarin gets pinyin, since espeak-ng's own dictionary lacks most characters and spells them in English.
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
    /// espeak-ng takes `[[…]]` for names of sounds, and `<…>` and `&…;` for markup when it is told to.
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

    /// Whether espeak-ng, asked how it would say the text, goes over to another language for what it cannot read. It
    /// says so in brackets: `(en)`. Words in Latin letters may be said in English, so they are not part of the
    /// question.
    static func isRead(as phonemes: String) -> Bool { !phonemes.contains("(") }

    /// What is to be asked: the text without words in Latin letters. Empty when nothing is left.
    var question: String {
        guard !voice.hasPrefix("en"), voice != "cmn-latn-pinyin" else { return "" }
        let foreign = text.unicodeScalars.map { $0.properties.isAlphabetic && $0.value < 0x250 ? " " : Character($0) }
        let question = String(foreign)
        return question.unicodeScalars.contains { $0.properties.isAlphabetic } ? question : ""
    }
}
