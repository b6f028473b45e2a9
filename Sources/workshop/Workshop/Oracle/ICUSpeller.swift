import CICU

/// Numbers in words by ICU's rules for one locale. Use from one thread at a time: it has one buffer.
final class ICUSpeller {
    private let speller: OpaquePointer
    /// Longer than the longest number of any locale; a longer text is an error and is never cut.
    private var text = [UInt16](repeating: 0, count: 4096)

    /// - Parameters:
    ///   - locale: as ICU writes it: `zh_Hant`.
    ///   - ruleSet: with its percent sign: `%spellout-cardinal`.
    /// - Throws: ``ICUError`` for an unknown locale or set; it lists the known sets.
    init(locale: String, ruleSet: String) throws(ICUError) {
        var code: Int32 = 0
        guard let speller = soundbox_icu_speller_open(locale, &code) else {
            throw ICUError("ICU cannot spell in \(locale): \(ICUError.name(of: code))")
        }
        self.speller = speller
        // Without rules for a locale, ICU falls back to its root or to the user's own language.
        let language = locale.prefix { $0 != "_" }
        guard let actual = soundbox_icu_speller_actual_locale(speller, &code),
            String(cString: actual).prefix(while: { $0 != "_" }) == language
        else {
            throw ICUError(
                "ICU \(soundbox_icu_version()) has no rules for \(locale); expected a locale as ICU writes it, zh_Hant")
        }
        let name = Array(ruleSet.utf16)
        soundbox_icu_speller_set_rules(speller, name, Int32(name.count), &code)
        guard code <= 0 else {
            throw ICUError("ICU has no rule set \(ruleSet) for \(locale); expected one of \(publicSets())")
        }
    }

    deinit { soundbox_icu_speller_close(speller) }

    private func publicSets() -> String {
        var code: Int32 = 0
        let length = soundbox_icu_speller_rule_sets(speller, &text, Int32(text.count), &code)
        guard code <= 0, text.indices.contains(Int(length)) else { return "its own" }
        return String(utf16: text[..<Int(length)]).split(separator: ";").joined(separator: ", ")
    }

    /// - Parameter digits: plain decimal digits: `123.45`. ICU converts them to a double: up to 15 digits are exact.
    func spell(_ digits: String) throws(ICUError) -> String {
        var code: Int32 = 0
        let length = soundbox_icu_spell_digits(
            speller, digits, Int32(digits.utf8.count), &text, Int32(text.count), &code)
        try ICUError.check(code, "ICU cannot spell \(digits)")
        return String(utf16: text[..<Int(length)])
    }
}

/// An ICU regular expression with a replacement. Use from one thread at a time.
final class ICUReplacement {
    private let expression: OpaquePointer
    private let template: [UInt16]

    /// - Parameter template: `$1` stands for the first group.
    init(of pattern: String, with template: String) throws(ICUError) {
        self.template = Array(template.utf16)
        let pattern = Array(pattern.utf16)
        var code: Int32 = 0
        guard let expression = soundbox_icu_regex_open(pattern, Int32(pattern.count), &code) else {
            throw ICUError("not a regular expression of ICU: \(ICUError.name(of: code))")
        }
        self.expression = expression
    }

    deinit { soundbox_icu_regex_close(expression) }

    /// The text with every match replaced.
    func apply(to text: String) throws(ICUError) -> String {
        let text = Array(text.utf16)
        var code: Int32 = 0
        // Many times the longest number; a longer text is an error and is never cut.
        var result = [UInt16](repeating: 0, count: 4096)
        let length = soundbox_icu_regex_replace(
            expression, text, Int32(text.count), template, Int32(template.count), &result, Int32(result.count), &code)
        try ICUError.check(code, "ICU cannot replace in a text")
        return String(utf16: result[..<Int(length)])
    }
}

extension String {
    /// Faster than `String(decoding:as:)`, for which the standard library has no specialised code for UTF-16.
    fileprivate init(utf16: ArraySlice<UInt16>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf16.count * 3)
        _ = transcode(utf16.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) {
            bytes.append($0)
        }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// An error of ICU.
public struct ICUError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String
    init(_ description: String) { self.description = description }

    fileprivate static func name(of code: Int32) -> String { String(cString: soundbox_icu_error_name(code)) }

    /// - Parameter code: above zero a failure, below a warning.
    fileprivate static func check(_ code: Int32, _ problem: @autoclosure () -> String) throws(ICUError) {
        guard code > 0 else { return }
        throw ICUError("\(problem()): \(name(of: code))")
    }
}
