import SoundboxSystem
import Yams

/// One value of a YAML file that remembers where it stands, so that every complaint can name file, line and key.
///
/// Reading is strict: a mapping is read through ``YAMLMapping``, which refuses keys that nobody asked for.
public struct YAMLValue {
    /// Dotted path from the top, empty there.
    public let key: String
    public let line: Int?
    let node: Node
    /// Keys from the top. Unlike ``key``, it tells `a: {b: …}` from `a.b: …`.
    let path: [String]
    let reading: YAMLReading

    public var file: String { reading.file }

    /// - Parameter line: where its key stands, which for a nested value is above the value itself.
    private init(node: Node, key: String, line: Int?, path: [String], reading: YAMLReading) {
        self.node = node
        self.key = key
        self.line = line
        self.path = path
        self.reading = reading
    }

    /// - Parameters:
    ///   - file: the name used in errors; nothing is read from it.
    ///   - isConfidential: errors repeat no value, and no key that may be a secret in the wrong place.
    public init(parsing text: String, file: String, isConfidential: Bool = false) throws(YAMLError) {
        try self.init(parsing: text, YAMLReading(file: file, isConfidential: isConfidential))
    }

    init(parsing text: String, _ reading: YAMLReading) throws(YAMLError) {
        let file = reading.file
        do {
            // Editors of other systems begin a file with a byte order mark, which libyaml takes for text.
            let scalars = text.unicodeScalars
            let body = scalars.first == "\u{FEFF}" ? String(scalars.dropFirst()) : text
            try checkAliases(of: body, limit: YAMLDocument.mostBytes)
            guard let node = try Yams.compose(yaml: body) else {
                throw YAMLError(file: file, line: nil, key: "", problem: "the file is empty")
            }
            self.init(node: node, key: "", line: node.mark?.line, path: [], reading: reading)
        } catch let error as YAMLError {
            throw error
        } catch let error as AliasError {
            throw YAMLError(
                file: file, line: nil, key: "",
                problem: "\(error.count) aliases (*name) are too many for its length; write out what they stand for")
        } catch let error as YamlError {
            let problem = error.summary(namesKeys: !reading.isConfidential)
            throw YAMLError(file: file, line: error.line, key: "", problem: problem)
        } catch {
            throw YAMLError(file: file, line: nil, key: "", problem: "not valid YAML")
        }
    }

    /// Reads a whole file. Blocks on the disk.
    public init(readingFile path: String, isConfidential: Bool = false) throws(YAMLError) {
        let bytes: [UInt8]
        do { bytes = try SmallFile.bytes(of: path, limit: YAMLDocument.mostBytes) } catch {
            throw YAMLError(file: path, line: nil, key: "", problem: "cannot be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw YAMLError(file: path, line: nil, key: "", problem: "is not valid UTF-8")
        }
        try self.init(parsing: text, file: path, isConfidential: isConfidential)
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
            let name = scalar.string
            let key = key.isEmpty ? name : "\(key).\(name)"
            entries.append(
                (
                    name,
                    YAMLValue(node: value, key: key, line: keyNode.mark?.line, path: path + [name], reading: reading)
                ))
        }
        return YAMLMapping(value: self, entries: entries)
    }

    public func list() throws(YAMLError) -> [YAMLValue] {
        guard case .sequence(let sequence) = node else { throw error("expected a list, found \(kind)") }
        return sequence.enumerated().map { index, node in
            let item = "[\(index)]"
            return YAMLValue(
                node: node, key: key + item, line: node.mark?.line, path: path + [item], reading: reading)
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
            throw error("expected a whole number from \(range.lowerBound) to \(range.upperBound)\(found(text))")
        }
        mayBeShown()
        return number
    }

    public func decimal(in range: ClosedRange<Double>) throws(YAMLError) -> Double {
        let text = try string()
        guard let number = Double(text), range.contains(number) else {
            throw error("expected a number from \(range.lowerBound) to \(range.upperBound)\(found(text))")
        }
        mayBeShown()
        return number
    }

    public func bool() throws(YAMLError) -> Bool {
        let text = try string()
        let isTrue = ["true", "yes", "on"].contains(text)
        guard isTrue || ["false", "no", "off"].contains(text) else {
            throw error("expected true or false\(found(text))")
        }
        mayBeShown()
        return isTrue
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
            throw error("expected a time span such as 250ms, 30s, 10m or 2h\(found(text))")
        }
        let duration = Duration.milliseconds(count * milliseconds)
        guard range.contains(duration) else {
            throw error("expected a time span from \(range.lowerBound) to \(range.upperBound)\(found(text))")
        }
        mayBeShown()
        return duration
    }

    /// One of a closed set of words.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        of type: Choice.Type
    ) throws(YAMLError) -> Choice where Choice.RawValue == String {
        let text = try string()
        if let choice = Choice(rawValue: text) {
            mayBeShown()
            return choice
        }
        let words = Choice.allCases.map(\.rawValue)
        let hint = nearest(to: text, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
        throw error("expected one of \(words.joined(separator: ", "))\(found(text))\(hint)")
    }

    /// Says for ``YAMLMask`` that this value is no secret. Numbers, time spans and words of a closed set say so
    /// themselves when they are read; of any other text only its reader can know.
    public func mayBeShown() { reading.shown.insert(path) }

    /// `, found "text"` for the end of an error; nothing where the text may be a secret.
    public func found(_ text: String) -> String { reading.isConfidential ? "" : ", found \"\(text)\"" }

    private var kind: String {
        switch node {
        case .scalar(let scalar):
            scalar.string.isEmpty ? "nothing" : reading.isConfidential ? "text" : "\"\(scalar.string)\""
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

    /// Without the excerpt of the file that Yams puts into its own descriptions.
    fileprivate func summary(namesKeys: Bool) -> String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _):
            "not valid YAML: \(problem)"
        case .duplicatedKeysInMapping(let duplicates, _):
            "the same key twice" + (namesKeys ? ": \(duplicates.joined(separator: ", "))" : "")
        case .reader(let problem, _, _, _): "not valid YAML: \(problem)"
        default: "not valid YAML"
        }
    }
}
