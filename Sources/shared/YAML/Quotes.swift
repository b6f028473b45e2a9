import SoundboxCore
import Yams

// Characters with a meaning in YAML, in text that a person has written.

extension Node {
    /// Refuses a value without necessary quotes, which would be read as another one, or as none.
    ///
    /// - Parameter text: the document.
    func checkQuotes(in text: String, file: String) throws(YAMLError) {
        switch self {
        case .scalar(let scalar):
            guard let problem = scalar.lackOfQuotes(in: text) else { return }
            throw YAMLError(file: file, line: scalar.mark?.line, key: "", problem: problem)
        case .mapping(let mapping):
            for (key, value) in mapping {
                try key.checkQuotes(in: text, file: file)
                try value.checkQuotes(in: text, file: file)
            }
        case .sequence(let sequence): for item in sequence { try item.checkQuotes(in: text, file: file) }
        case .alias: break
        }
    }

    /// A scalar that is read back as this text, whatever it contains.
    static func text(_ text: String) -> Node {
        // A block scalar keeps the lines of certificates and keys.
        let style: Scalar.Style =
            text.contains("\n") ? .literal : text.beginsWithTypographicQuote ? .doubleQuoted : .any
        return .scalar(Scalar(text, .implicit, style))
    }
}

extension Node.Scalar {
    fileprivate func lackOfQuotes(in text: String) -> String? {
        guard style == .plain else { return nil }
        if string.beginsWithTypographicQuote {
            return "these are typographic quotes; expected straight ones: \"…\""
        }
        let isTagged = tag.description.hasPrefix("!")
        guard isTagged || string.isEmpty, let mark else { return nil }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.indices.contains(mark.line - 1) else { return nil }
        let rest = lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1).drop { $0 == " " || $0 == "\t" }
        guard let sign = rest.first, "#&!".unicodeScalars.contains(sign) else { return nil }
        return "\(sign) begins no text in YAML; a value that begins with it is written in quotes: \"\(sign)…\""
    }
}

extension String {
    /// What word processors and phones put in the place of `"` and `'`.
    fileprivate var beginsWithTypographicQuote: Bool {
        unicodeScalars.first.map { "“”„‟‘’‚‛".unicodeScalars.contains($0) } ?? false
    }
}
