import SoundboxCore

/// The marks in a text that are spoken as pauses: punctuation, and the mark between a number and its unit.
struct Pauses: Sendable {
    private struct Mark: Sendable {
        var letters: [Unicode.Scalar]
        var length: Duration
    }

    /// The text between a number and its unit, including the mark of their pause.
    let unitJoint: String
    /// Longer marks first, because one may begin with another.
    private let marks: [Mark]
    private let hasUnitMark: Bool

    /// The mark of the pause between a number and its unit. A private-use character, which no text of a voice may
    /// contain.
    private static let unitMark: Unicode.Scalar = "\u{F8FF}"

    init(_ language: Language) {
        hasUnitMark = language.unitPause > .zero
        unitJoint = (hasUnitMark ? String(Self.unitMark) : "") + language.blank
        let punctuation = language.pauses.map { Mark(letters: Array($0.key.unicodeScalars), length: $0.value) }
        marks = (punctuation + [Mark(letters: [Self.unitMark], length: language.unitPause)])
            .sorted { $0.letters.count > $1.letters.count }
    }

    /// The first mark in a text at or after a place: where it stands, and how long its pause is.
    func firstMark(in text: [Unicode.Scalar], from start: Int) -> (place: Range<Int>, length: Duration)? {
        for place in start..<text.count {
            if let mark = marks.first(where: { text[place...].starts(with: $0.letters) }) {
                return (place..<place + mark.letters.count, mark.length)
            }
        }
        return nil
    }

    /// The text for people. A pause before a unit is heard and not written.
    func textWithoutUnitMarks(_ text: String) -> String {
        hasUnitMark ? String(text.unicodeScalars.filter { $0 != Self.unitMark }) : text
    }
}
