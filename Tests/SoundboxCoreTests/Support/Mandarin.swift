import SoundboxCore
import SoundboxVoice

/// The Mandarin voice of this repository, so that the tests speak about the rules that ship.
enum Mandarin {
    static let cardinal = "%spellout-cardinal"

    private static let directory =
        #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/sounds/zh-CN"

    // Read once: every test case makes its suite anew.
    private static let voice = Result { try Voice(directory: directory) }

    static func language() throws -> Language { try voice.get().language }

    /// Every phrase that the voice has a recording for.
    static func phrases() throws -> [String] { try voice.get().writer.phrases }

    /// Reads a number as it is taught at school, digit by digit from the left, and shares nothing with the rules:
    /// one 零 for a run of empty places that a filled one follows, none across the end of a filled 万 or 亿.
    static func taughtReading(whole: UInt64, decimals: [UInt8] = []) -> String {
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
