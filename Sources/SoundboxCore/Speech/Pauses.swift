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

    /// The first mark in a text from a place on: where it stands, and the rest that it means.
    func firstMark(in text: [UInt8], from start: Int) -> (place: Range<Int>, length: Duration)? {
        text.withUnsafeBufferPointer { text in
            beginsMark.withUnsafeBufferPointer { beginsMark in
                for place in start..<text.count where beginsMark[Int(text[place])] {
                    guard let mark = marks.first(where: { text[place...].starts(with: $0.bytes) }) else { continue }
                    return (place..<place + mark.bytes.count, mark.length)
                }
                return nil
            }
        }
    }

    /// The text as people read it. A rest before a unit is heard and not written.
    func textWithoutUnitMarks(_ text: [UInt8]) -> String {
        // Nothing but whole strings was put together, so that it need not be checked again.
        let written = String(copying: UTF8Span(unchecked: text.span))
        return hasUnitMark ? written.filter { $0 != Self.unitMark } : written
    }
}
