import Logging
import SoundboxCore

extension LogLine {
    /// Reads a line that ``encoded`` has written, without its newline; `nil` for any other text.
    public init?(parsing line: String) {
        var reader = LogLineReader(line)
        guard let read = reader.line(), Array(read.encoded.utf8) == Array(line.utf8) else { return nil }
        self = read
    }
}

/// Parses a line. Accepts more than ``LogLine/encoded`` writes; the caller encodes the result again and compares.
private struct LogLineReader {
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ line: String) { scalars = Array(line.unicodeScalars) }

    mutating func line() -> LogLine? {
        guard let (time, level) = beginning() else { return nil }
        var line = LogLine(time: time, level: level, message: "", pairs: [])
        // Without a pair, the rest is the message; otherwise the message ends at the last blank before the first `=`.
        let equals = scalars[index...].firstIndex(of: "=")
        var end = scalars.endIndex
        if let equals {
            guard let blank = scalars[index..<equals].lastIndex(of: " ") else { return nil }
            end = blank
        }
        guard let message = text(until: { _, index in index == end }) else { return nil }
        line.message = message
        while consume(" ") {
            if !line.pairs.isEmpty, scalars[index...].starts(with: "\\+".unicodeScalars) {
                index += 2
                guard let count = number(), index == scalars.endIndex else { return nil }
                line.pairsLeftOut = count
                return line
            }
            guard let key = text(until: { scalar, _ in scalar == "=" }), consume("="), let value = value() else {
                return nil
            }
            line.pairs.append(LogLine.Pair(key: key, value: value))
        }
        return index == scalars.endIndex ? line : nil
    }

    private mutating func beginning() -> (Timestamp?, Logger.Level)? {
        if consume("<") {
            guard let priority = number(), consume(">"), let level = Logger.Level(journalPriority: priority) else {
                return nil
            }
            return (nil, level)
        }
        guard let time = Timestamp(rfc3339: word()), consume(" "), let level = Logger.Level(rawValue: word()),
            consume(" ")
        else { return nil }
        return (time, level)
    }

    private mutating func value() -> LogLine.Text? {
        guard consume("\"") else { return text { scalar, _ in scalar == " " } }
        guard let text = text(until: { scalar, _ in scalar == "\"" }), consume("\"") else { return nil }
        return text
    }

    /// Resolves escapes up to where `isEnd` holds, or to the end of the line.
    private mutating func text(until isEnd: (Unicode.Scalar, Int) -> Bool) -> LogLine.Text? {
        var text = LogLine.Text("")
        while index < scalars.endIndex, !isEnd(scalars[index], index) {
            // Nothing follows a `\+n` mark in a text.
            guard text.bytesLeftOut == 0 else { return nil }
            guard consume("\\") else {
                text.text.unicodeScalars.append(scalars[index])
                index += 1
                continue
            }
            if consume("+") {
                guard let count = number(), count > 0 else { return nil }
                text.bytesLeftOut = count
            } else if consume("u"), consume("{") {
                guard let scalar = hexadecimalScalar(), consume("}") else { return nil }
                text.text.unicodeScalars.append(scalar)
            } else {
                guard index < scalars.endIndex else { return nil }
                text.text.unicodeScalars.append(scalars[index])
                index += 1
            }
        }
        return text
    }

    private mutating func word() -> String {
        let start = index
        while index < scalars.endIndex, scalars[index] != " " { index += 1 }
        return String(String.UnicodeScalarView(scalars[start..<index]))
    }

    private mutating func number() -> Int? {
        let start = index
        while index < scalars.endIndex, ("0"..."9").contains(scalars[index]) { index += 1 }
        return Int(String(String.UnicodeScalarView(scalars[start..<index])))
    }

    private mutating func hexadecimalScalar() -> Unicode.Scalar? {
        let start = index
        while index < scalars.endIndex, scalars[index] != "}" { index += 1 }
        return UInt32(String(String.UnicodeScalarView(scalars[start..<index])), radix: 16).flatMap(Unicode.Scalar.init)
    }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard index < scalars.endIndex, scalars[index] == scalar else { return false }
        index += 1
        return true
    }
}
