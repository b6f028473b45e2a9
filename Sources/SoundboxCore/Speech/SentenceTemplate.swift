/// A sentence of a voice, split at its placeholders once, and not for every payment.
struct SentenceTemplate: Sendable {
    enum Placeholder: String, Sendable {
        case channel, amount, count, total, number
    }

    enum Piece: Sendable {
        case text(String)
        case placeholder(Placeholder)
    }

    let pieces: [Piece]

    /// - Parameter text: with placeholders in braces: `{channel}到账`. Other braces are text.
    init(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        var literal = ""
        while let character = rest.first {
            if character == "{", let end = rest.firstIndex(of: "}"),
                let placeholder = Placeholder(rawValue: String(rest[rest.index(after: rest.startIndex)..<end]))
            {
                if !literal.isEmpty { pieces.append(.text(literal)) }
                literal = ""
                pieces.append(.placeholder(placeholder))
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append(character)
                rest = rest.dropFirst()
            }
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.pieces = pieces
    }
}
