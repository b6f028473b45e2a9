import CICU

/// What ICU says about itself when it refuses.
struct ICUError: Error, CustomStringConvertible {
    var description: String

    init(_ problem: String, _ code: Int32) {
        description = "\(problem): \(String(cString: soundbox_icu_error_name(code)))"
    }
}

/// Numbers in words by ICU's rules for one locale. Not for several threads at once: it writes into one buffer.
final class ICUSpeller {
    private let speller: OpaquePointer
    /// Longer than the longest number of any locale; what does not fit is an error and never cut off.
    private var text = [UInt16](repeating: 0, count: 1024)

    /// - Parameter locale: as ICU writes it: `zh_Hant`.
    /// - Parameter ruleSet: with its percent sign: `%spellout-cardinal`.
    init(locale: String, ruleSet: String) throws(ICUError) {
        var code: Int32 = 0
        guard let speller = soundbox_icu_speller_open(locale, &code) else {
            throw ICUError("cannot spell in \(locale)", code)
        }
        self.speller = speller
        // Where ICU has no rules for a locale it writes figures by those of its root.
        guard let actual = soundbox_icu_speller_actual_locale(speller, &code), String(cString: actual) != "root" else {
            throw ICUError("no rules for \(locale)", code)
        }
        let name = Array(ruleSet.utf16)
        soundbox_icu_speller_set_rules(speller, name, Int32(name.count), &code)
        guard code <= 0 else { throw ICUError("no rule set \(ruleSet) for \(locale)", code) }
    }

    deinit { soundbox_icu_speller_close(speller) }

    /// - Parameter digits: plain decimal digits: `123.45`. ICU takes them through a double: up to 15 are exact.
    func spell(_ digits: String) throws(ICUError) -> String {
        var code: Int32 = 0
        let length = soundbox_icu_spell_digits(
            speller, digits, Int32(digits.utf8.count), &text, Int32(text.count), &code)
        guard code <= 0 else { throw ICUError("cannot spell \(digits)", code) }
        return String(decoding: text[..<Int(length)], as: UTF16.self)
    }
}
