/// Numbers in words by ICU's rules for one locale. Not for several threads at once: it writes into one buffer.
final class ICUSpeller {
    // Of unum.h and uloc.h.
    private static let spellout: Int32 = 5
    private static let defaultRuleSet: Int32 = 6
    private static let publicRuleSets: Int32 = 7
    private static let actualLocale: Int32 = 0

    private let library: ICULibrary
    private let speller: ICULibrary.Handle
    /// Longer than the longest number of any locale; what does not fit is an error and never cut off.
    private var text = [UInt16](repeating: 0, count: 4096)

    /// - Parameters:
    ///   - locale: as ICU writes it: `zh_Hant`.
    ///   - ruleSet: with its percent sign: `%spellout-cardinal`.
    /// - Throws: ``ICUError`` for a locale or a set that ICU does not have, with the sets that it has.
    init(_ library: ICULibrary, locale: String, ruleSet: String) throws(ICUError) {
        var code: Int32 = 0
        guard let speller = library.openNumberFormat(Self.spellout, nil, 0, locale, nil, &code) else {
            try library.check(max(code, 1), "ICU cannot spell in \(locale)")
            throw ICUError("ICU cannot spell in \(locale)")
        }
        self.library = library
        self.speller = speller
        // Where ICU has no rules for a locale it writes figures by those of its root, or spells in the user's own language.
        let language = locale.prefix { $0 != "_" }
        guard let actual = library.localeByType(speller, Self.actualLocale, &code),
            String(cString: actual).prefix(while: { $0 != "_" }) == language
        else {
            throw ICUError(
                "ICU \(library.version) has no rules for \(locale); expected a locale as ICU writes it, zh_Hant")
        }
        let name = Array(ruleSet.utf16)
        library.setTextAttribute(speller, Self.defaultRuleSet, name, Int32(name.count), &code)
        guard code <= 0 else {
            throw ICUError("ICU has no rule set \(ruleSet) for \(locale); expected one of \(publicSets())")
        }
    }

    deinit { library.closeNumberFormat(speller) }

    private func publicSets() -> String {
        var code: Int32 = 0
        let length = library.textAttribute(speller, Self.publicRuleSets, &text, Int32(text.count), &code)
        guard code <= 0, text.indices.contains(Int(length)) else { return "its own" }
        return String(decoding: text[..<Int(length)], as: UTF16.self).split(separator: ";").joined(separator: ", ")
    }

    /// - Parameter digits: plain decimal digits: `123.45`. ICU takes them through a double: up to 15 are exact.
    func spell(_ digits: String) throws(ICUError) -> String {
        var code: Int32 = 0
        let length = library.formatDecimal(
            speller, digits, Int32(digits.utf8.count), &text, Int32(text.count), nil, &code)
        try library.check(code, "ICU cannot spell \(digits)")
        return String(decoding: text[..<Int(length)], as: UTF16.self)
    }
}

/// A regular expression of ICU and what its matches are replaced by. Not for several threads at once.
final class ICUReplacement {
    private let library: ICULibrary
    private let expression: ICULibrary.Handle
    private let template: [UInt16]

    /// - Parameter template: `$1` stands for the first group.
    init(_ library: ICULibrary, of pattern: String, with template: String) throws(ICUError) {
        self.library = library
        self.template = Array(template.utf16)
        let pattern = Array(pattern.utf16)
        var code: Int32 = 0
        guard let expression = library.openExpression(pattern, Int32(pattern.count), 0, nil, &code) else {
            try library.check(max(code, 1), "not a regular expression of ICU")
            throw ICUError("not a regular expression of ICU")
        }
        self.expression = expression
    }

    deinit { library.closeExpression(expression) }

    /// The text with every match replaced.
    func apply(to text: String) throws(ICUError) -> String {
        let text = Array(text.utf16)
        var code: Int32 = 0
        // Many times the longest number; what does not fit is an error and never cut off.
        var result = [UInt16](repeating: 0, count: 4096)
        library.setExpressionText(expression, text, Int32(text.count), &code)
        let length = library.replaceAll(
            expression, template, Int32(template.count), &result, Int32(result.count), &code)
        try library.check(code, "ICU cannot replace in a text")
        return String(decoding: result[..<Int(length)], as: UTF16.self)
    }
}
