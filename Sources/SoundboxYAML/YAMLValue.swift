import Yams

/// One value of a YAML file that remembers where it stands, so that every complaint can name file, line and key.
///
/// Reading is strict: a mapping is read through ``YAMLMapping``, which refuses keys that nobody asked for.
public struct YAMLValue {
    public let file: String
    /// Dotted path from the top, empty there.
    public let key: String
    public let line: Int?
    let node: Node

    /// - Parameter line: where its key stands, which for a nested value is above the value itself.
    private init(node: Node, file: String, key: String, line: Int?) {
        self.node = node
        self.file = file
        self.key = key
        self.line = line
    }

    /// - Parameter file: the name used in errors; nothing is read from it.
    public init(parsing text: String, file: String) throws(YAMLError) {
        do {
            // Editors of other systems begin a file with a byte order mark, which libyaml takes for text.
            let scalars = text.unicodeScalars
            let body = scalars.first == "\u{FEFF}" ? String(scalars.dropFirst()) : text
            try checkAliases(of: body, limit: mostBytesOfFile)
            guard let node = try Yams.compose(yaml: body) else {
                throw YAMLError(file: file, line: nil, key: "", problem: "the file is empty")
            }
            self.init(node: node, file: file, key: "", line: node.mark?.line)
        } catch let error as YAMLError {
            throw error
        } catch let error as AliasError {
            throw YAMLError(
                file: file, line: nil, key: "",
                problem: "\(error.count) aliases (*name) are too many for its length; write out what they stand for")
        } catch let error as YamlError {
            throw YAMLError(file: file, line: error.line, key: "", problem: error.summary)
        } catch {
            throw YAMLError(file: file, line: nil, key: "", problem: "\(error)")
        }
    }

    /// Reads a whole file. Blocks on the disk.
    public init(readingFile path: String) throws(YAMLError) {
        let bytes: [UInt8]
        do { bytes = try readFile(path) } catch {
            throw YAMLError(file: path, line: nil, key: "", problem: "cannot be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw YAMLError(file: path, line: nil, key: "", problem: "is not valid UTF-8")
        }
        try self.init(parsing: text, file: path)
    }

    public func error(_ problem: String) -> YAMLError {
        YAMLError(file: file, line: line, key: key, problem: problem)
    }

    /// Whether this is a mapping, for values that may be written short or long.
    public var isMapping: Bool { if case .mapping = node { true } else { false } }

    /// Whether this is a list, for values that may be one or several.
    public var isList: Bool { if case .sequence = node { true } else { false } }

    public func mapping() throws(YAMLError) -> YAMLMapping {
        guard case .mapping(let mapping) = node else {
            throw error("expected a mapping (key: value), found \(kind)")
        }
        var entries: [(key: String, value: YAMLValue)] = []
        for (keyNode, value) in mapping {
            guard case .scalar(let scalar) = keyNode else { throw error("a key must be plain text") }
            let path = key.isEmpty ? scalar.string : "\(key).\(scalar.string)"
            entries.append((scalar.string, YAMLValue(node: value, file: file, key: path, line: keyNode.mark?.line)))
        }
        return YAMLMapping(value: self, entries: entries)
    }

    public func list() throws(YAMLError) -> [YAMLValue] {
        guard case .sequence(let sequence) = node else { throw error("expected a list, found \(kind)") }
        return sequence.enumerated().map { index, node in
            YAMLValue(node: node, file: file, key: "\(key)[\(index)]", line: node.mark?.line)
        }
    }

    /// Any scalar, as its text. Numbers are not interpreted: `0800` stays `0800`.
    public func string() throws(YAMLError) -> String {
        guard case .scalar(let scalar) = node else { throw error("expected text, found \(kind)") }
        return scalar.string
    }

    public func integer(in range: ClosedRange<Int>) throws(YAMLError) -> Int {
        let text = try string()
        guard let number = Int(text), range.contains(number) else {
            throw error("expected a whole number from \(range.lowerBound) to \(range.upperBound), found \"\(text)\"")
        }
        return number
    }

    public func decimal(in range: ClosedRange<Double>) throws(YAMLError) -> Double {
        let text = try string()
        guard let number = Double(text), range.contains(number) else {
            throw error("expected a number from \(range.lowerBound) to \(range.upperBound), found \"\(text)\"")
        }
        return number
    }

    public func bool() throws(YAMLError) -> Bool {
        switch try string() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        case let other: throw error("expected true or false, found \"\(other)\"")
        }
    }

    /// A time span: a number directly followed by `ms`, `s`, `m`, `h` or `d`.
    public func duration(in range: ClosedRange<Duration>) throws(YAMLError) -> Duration {
        let text = try string()
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let milliseconds: Int64? =
            switch text.dropFirst(digits.count) {
            case "ms": 1
            case "s": 1000
            case "m": 60_000
            case "h": 3_600_000
            case "d": 86_400_000
            default: nil
            }
        guard let milliseconds, let count = Int64(digits), count <= Int64.max / milliseconds else {
            throw error("expected a time span such as 250ms, 30s, 10m or 2h, found \"\(text)\"")
        }
        let duration = Duration.milliseconds(count * milliseconds)
        guard range.contains(duration) else {
            throw error("expected a time span from \(range.lowerBound) to \(range.upperBound), found \"\(text)\"")
        }
        return duration
    }

    /// One of a closed set of words.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        of type: Choice.Type
    ) throws(YAMLError) -> Choice where Choice.RawValue == String {
        let text = try string()
        if let choice = Choice(rawValue: text) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        let hint = nearest(to: text, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
        throw error("expected one of \(words.joined(separator: ", ")), found \"\(text)\"\(hint)")
    }

    private var kind: String {
        switch node {
        case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "\"\(scalar.string)\""
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}

extension YamlError {
    fileprivate var line: Int? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        case .duplicatedKeysInMapping(_, let context): context.mark.line
        default: nil
        }
    }

    fileprivate var summary: String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _):
            "not valid YAML: \(problem)"
        case .duplicatedKeysInMapping(let duplicates, _):
            "the same key twice: \(duplicates.joined(separator: ", "))"
        default: "not valid YAML: \(self)"
        }
    }
}
