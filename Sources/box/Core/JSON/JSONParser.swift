/// Why a text is no valid JSON, and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Bytes from the start of the text.
    public var offset: Int
    public var problem: String

    public var description: String { "not valid JSON at byte \(offset): \(problem)" }
}

extension JSONValue {
    /// Deeper nesting is refused, so that no message can exhaust the stack.
    static let maximumDepth = 32

    /// Parses one JSON text. Strict: UTF-8 only, no comments, no trailing text, no duplicate names.
    ///
    /// - Parameter toleratesBrokenText: for text from other programs. A byte order mark is skipped, and half a
    ///   surrogate pair, which the grammar of RFC 8259 allows, becomes U+FFFD.
    public init(parsing text: [UInt8], toleratesBrokenText: Bool = false) throws(JSONError) {
        var parser = JSONParser(bytes: text, toleratesBrokenText: toleratesBrokenText)
        self = try parser.parseText()
    }

    /// The values before the mistake in a text that is no JSON; an incomplete value is left out.
    init(beginningOf text: [UInt8]) {
        var parser = JSONParser(bytes: text, toleratesBrokenText: true)
        parser.keepsBeginning = true
        self = (try? parser.parseText()) ?? .null
    }

    /// Replaces half a surrogate pair.
    static let replacement: Unicode.Scalar = "\u{FFFD}"
}

/// Recursive descent over the bytes, one method per production of RFC 8259.
private struct JSONParser {
    let bytes: [UInt8]
    let toleratesBrokenText: Bool
    /// Whether a mistake ends the text instead of refusing it.
    var keepsBeginning = false
    private var position = 0
    private var isAtMistake = false

    init(bytes: [UInt8], toleratesBrokenText: Bool) {
        self.bytes = bytes
        self.toleratesBrokenText = toleratesBrokenText
        if toleratesBrokenText, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func parseText() throws(JSONError) -> JSONValue {
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard position == bytes.count || keepsBeginning else { throw error("text after the value") }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= JSONValue.maximumDepth else {
            throw error("nested deeper than \(JSONValue.maximumDepth) levels")
        }
        skipWhitespace()
        guard let byte = peek else { throw error(bytes.isEmpty ? "the text is empty" : "the text ends too early") }
        switch byte {
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try parseNumber())
        case UInt8(ascii: "t"): return try parse("true", as: .bool(true))
        case UInt8(ascii: "f"): return try parse("false", as: .bool(false))
        case UInt8(ascii: "n"): return try parse("null", as: .null)
        default: throw error("expected a value")
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = []
        do throws(JSONError) { try parseMembers(into: &members, depth: depth) } catch { try endHere(error) }
        return .object(members)
    }

    private mutating func parseMembers(
        into members: inout [(name: String, value: JSONValue)], depth: Int
    ) throws(JSONError) {
        // Compared byte by byte: names that only look alike are different.
        var names: Set<[UInt8]> = []
        position += 1
        skipWhitespace()
        if consume("}") { return }
        repeat {
            skipWhitespace()
            guard peek == UInt8(ascii: "\"") else { throw error("expected a name in quotes") }
            let name = try parseString()
            // Two broken names may look alike and differ.
            guard names.insert(Array(name.utf8)).inserted || name.unicodeScalars.contains(JSONValue.replacement) else {
                // Which of the two is meant is unknown.
                members.removeAll { $0.name == name }
                throw error("the name \(name.excerpt) occurs twice")
            }
            skipWhitespace()
            guard consume(":") else { throw error("expected \":\" after \(name.excerpt)") }
            members.append((name, try parseValue(depth: depth + 1)))
            if isAtMistake { return }
            skipWhitespace()
        } while consume(",")
        guard consume("}") else {
            // A number that something else follows may be incomplete.
            if case .number? = members.last?.value { members.removeLast() }
            throw error("expected \",\" or \"}\"")
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        do throws(JSONError) { try parseElements(into: &elements, depth: depth) } catch { try endHere(error) }
        return .array(elements)
    }

    private mutating func parseElements(into elements: inout [JSONValue], depth: Int) throws(JSONError) {
        position += 1
        skipWhitespace()
        if consume("]") { return }
        repeat {
            elements.append(try parseValue(depth: depth + 1))
            if isAtMistake { return }
            skipWhitespace()
        } while consume(",")
        guard consume("]") else {
            if case .number? = elements.last { elements.removeLast() }
            throw error("expected \",\" or \"]\"")
        }
    }

    private mutating func endHere(_ mistake: JSONError) throws(JSONError) {
        guard keepsBeginning else { throw mistake }
        isAtMistake = true
    }

    private mutating func parseNumber() throws(JSONError) -> String {
        let start = position
        _ = consume("-")
        if !consume("0") { try parseDigits() }
        if consume(".") { try parseDigits() }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            try parseDigits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func parseDigits() throws(JSONError) {
        guard let first = peek, first.isDigit else { throw error("expected a digit") }
        while let digit = peek, digit.isDigit { position += 1 }
    }

    private mutating func parseString() throws(JSONError) -> String {
        var content: [UInt8] = []
        position += 1
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: content, as: UTF8.self) else {
                    throw error("a string is not valid UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): content.append(contentsOf: String(try parseEscape()).utf8)
            case 0..<0x20: throw error("a control character inside a string")
            default: content.append(byte)
            }
        }
        throw error("a string does not end")
    }

    private mutating func parseEscape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = peek else { throw error("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try parseUnicodeEscape()
        default: throw error("an unknown escape in a string")
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let unit = try parseHexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // Half of a surrogate pair: the other half must follow.
        let behind = position
        if UTF16.isLeadSurrogate(unit), consume("\\"), consume("u") {
            let trail = try parseHexUnit()
            if UTF16.isTrailSurrogate(trail) {
                let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
                if let scalar = Unicode.Scalar(value) { return scalar }
            }
        }
        guard toleratesBrokenText else { throw error("half a surrogate pair") }
        position = behind
        return JSONValue.replacement
    }

    private mutating func parseHexUnit() throws(JSONError) -> UInt16 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isHexDigit),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("expected four hexadecimal digits") }
        position += 4
        return unit
    }

    private mutating func parse(_ word: StaticString, as value: JSONValue) throws(JSONError) -> JSONValue {
        let expected = word.description.utf8
        guard bytes[position...].starts(with: expected) else { throw error("expected a value") }
        position += expected.count
        return value
    }

    private mutating func skipWhitespace() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private func error(_ problem: String) -> JSONError { JSONError(offset: position, problem: problem) }
}

extension UInt8 {
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
