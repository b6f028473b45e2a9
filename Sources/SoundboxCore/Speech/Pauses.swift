/// The marks in a text that are rests: punctuation, and the one between a number and its unit.
struct Pauses: Sendable {
    private struct Mark: Sendable {
        /// UTF-8.
        var bytes: [UInt8]
        var length: Duration
    }

    /// What stands between a number and its unit, the mark of their rest included.
    let unitJoint: String
    private var marks: [Mark] = []
    /// Whether a mark begins with this byte; most bytes of a text begin none.
    private var beginsMark = [Bool](repeating: false, count: 256)
    private let hasUnitMark: Bool

    /// Stands for the rest between a number and its unit. A private-use character, which no text of a voice may hold.
    private static let unitMark: Character = "\u{F8FF}"

    init(_ language: Language) {
        hasUnitMark = language.unitPause > .zero
        unitJoint = hasUnitMark ? String(Self.unitMark) + language.blank : language.blank
        for (character, length) in language.pauses { add(character, length) }
        add(Self.unitMark, language.unitPause)
    }

    private mutating func add(_ character: Character, _ length: Duration) {
        let bytes = Array(String(character).utf8)
        guard let first = bytes.first else { return }
        marks.append(Mark(bytes: bytes, length: length))
        beginsMark[Int(first)] = true
    }

    /// The mark that stands at a place of a text, as its length in bytes and as the rest that it means.
    func mark(in text: [UInt8], at place: Int) -> (bytes: Int, length: Duration)? {
        guard beginsMark[Int(text[place])] else { return nil }
        return marks.first { text[place...].starts(with: $0.bytes) }.map { ($0.bytes.count, $0.length) }
    }

    /// The text as people read it. A rest before a unit is heard and not written.
    func textWithoutUnitMarks(_ text: [UInt8]) -> String {
        let written = String(decoding: text, as: UTF8.self)
        return hasUnitMark ? written.filter { $0 != Self.unitMark } : written
    }
}
