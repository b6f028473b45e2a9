// Text from outside in a line of output: a log line, an error, a receipt. Whatever it contains, it cannot end its
// quotes or its line, and it cannot control the terminal that shows it (CWE-117, CWE-150).

extension String {
    /// The text in double quotes. Readers of bytes, of Unicode scalars and of characters find the same end.
    ///
    /// A `\` escapes `"` and `\`. Characters that are invisible, or would combine with their neighbour, are written as
    /// `\u{hex}`. Texts that differ in one Unicode scalar have different quotations.
    public var quoted: String { "\"\(escaped { _ in false })\"" }

    /// The beginning of the text, ``quoted``: at most 32 Unicode scalars, with `…` after the quotes of a longer one.
    public var excerpt: String {
        let rest = unicodeScalars.dropFirst(32)
        return String(unicodeScalars.prefix(32)).quoted + (rest.isEmpty ? "" : "…")
    }

    /// The text for a terminal or a file. Control characters, and those that reverse the writing direction, are written
    /// as `\u{hex}`. Everything else stays. For whole lines; the original cannot be recovered from it.
    public var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isControl { result += scalar.escape } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// The inside of ``quoted``.
    /// - Parameter isAlsoEscaped: further characters to escape, such as `=`.
    public func escaped(_ isAlsoEscaped: (Unicode.Scalar) -> Bool) -> String {
        var before: Unicode.Scalar?
        return unicodeScalars.reduce(into: "") { result, scalar in
            let form = isAlsoEscaped(scalar) ? scalar.escape : scalar.quotedForm(after: before)
            result += form
            before = form == String(scalar) ? scalar : nil
        }
    }
}

extension Unicode.Scalar {
    /// Its form in ``Swift/String/quoted``.
    /// - Parameter before: the scalar before it, if that is not escaped.
    public func quotedForm(after before: Unicode.Scalar?) -> String {
        switch self {
        case "\"": "\\\""
        case "\\": "\\\\"
        default: isPlain || isVowelSign && before?.isOfSouthernAsia == true ? String(self) : escape
        }
    }

    /// A vowel sign without which words of these scripts cannot be read. After a letter of the same scripts it combines
    /// with nothing else.
    private var isVowelSign: Bool {
        guard isOfSouthernAsia else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: return true
        // Thai and Lao am, letters by their category.
        default: return value == 0xE33 || value == 0xEB3
        }
    }

    /// The scripts of India and Sri Lanka, Thai and Lao.
    private var isOfSouthernAsia: Bool { (0x900...0xEFF).contains(value) }

    /// `\u{hex}`, as in Swift: without leading zeros and in lower case.
    public var escape: String { "\\u{\(String(value, radix: 16))}" }

    /// Control characters, line separators, and characters that reverse the writing direction (Unicode Standard Annex
    /// 9).
    package var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Visible, and a character of its own after any ASCII character. A combining mark is not: after a quote the two
    /// make one character, and a reader of characters misses the quote.
    private var isPlain: Bool {
        if isASCII { return value >= 0x20 && value < 0x7F }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .otherSymbol:
            // U+2800 is a symbol that looks like a space.
            guard value != 0x2800, !properties.isDefaultIgnorableCodePoint else { return false }
            var between = "\""
            between.unicodeScalars.append(self)
            between += "\""
            return between.count == 3
        default: return false
        }
    }
}
