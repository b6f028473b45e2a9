import SoundboxCore

/// Lines of columns for a terminal, printed as they come: a column gets wider for a longer text, and never narrower.
///
///     var table = Table(headings: ["id", "amount"], right: [1])
///     for line in table.lines([["T1", "12.50"]]) { print(line) }
public struct Table: Sendable {
    private let headings: [String]
    /// Columns that are aligned to the right.
    private let right: Set<Int>
    private var widths: [Int]
    private var hasBegun = false

    public init(headings: [String], right: Set<Int> = []) {
        self.headings = headings
        self.right = right
        widths = headings.map(\.columns)
    }

    /// - Parameter rows: each with as many texts as there are headings. They may come from outside, so they are made
    ///   printable.
    /// - Returns: the lines; the first call adds the headings.
    public mutating func lines(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(\.printable) }
        for row in rows { widths = zip(widths, row).map { max($0, $1.columns) } }
        defer { hasBegun = true }
        return ((hasBegun ? [] : [headings]) + rows).map(line)
    }

    private func line(_ row: [String]) -> String {
        let cells = row.enumerated().map { index, text in
            let blanks = String(repeating: " ", count: widths[index] - text.columns)
            return right.contains(index) ? blanks + text : text + blanks
        }
        let line = cells.joined(separator: "  ")
        return String(line.dropLast(line.reversed().prefix { $0 == " " }.count))
    }
}

extension String {
    /// How many columns of a terminal it takes.
    public var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }
}

extension Unicode.Scalar {
    /// Two for East Asian wide characters (Unicode Standard Annex 11, wide and fullwidth, by blocks), none for
    /// characters that combine with their neighbour.
    fileprivate var columns: Int {
        switch value {
        case 0..<0x300: 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            2
        default:
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: 0
            default: 1
            }
        }
    }
}
