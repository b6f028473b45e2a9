import SoundboxCore

/// A sentence of a voice, split at its placeholders once, and not for every payment.
struct SentenceTemplate: Sendable {
    enum Placeholder: String, Sendable {
        case channel, amount, count, total, number
    }

    enum Piece: Sendable {
        case text(String)
        case placeholder(Placeholder)
        /// Depends on the text before it.
        case suffix(String)
    }

    let pieces: [Piece]

    /// - Parameter text: with placeholders in braces: `{channel}到账`, `{amount:이/가}`. Other braces are text.
    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        var literal = ""
        while let character = rest.first {
            if character == "{", let end = rest.firstIndex(of: "}"),
                let found = Self.placeholder(rest[rest.index(after: rest.startIndex)..<end]),
                let placeholder = Placeholder(rawValue: found.name)
            {
                if !literal.isEmpty { pieces.append(.text(literal)) }
                literal = ""
                pieces.append(.placeholder(placeholder))
                if let suffix = found.suffix { pieces.append(.suffix(suffix)) }
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append(character)
                rest = rest.dropFirst()
            }
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.pieces = pieces
    }

    /// Parses the text between two braces: a placeholder, and a suffix after a colon.
    private static func placeholder(_ text: Substring) -> (name: String, suffix: String?)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return parts.first.map { ($0, parts.count > 1 ? parts[1] : nil) }
    }

    /// Everything that stands between braces in a text.
    static func placeholders(in text: String) -> [(name: String, suffix: String?)] {
        text.matches(of: /\{([^}]*)\}/).compactMap { placeholder($0.1) }
    }
}
