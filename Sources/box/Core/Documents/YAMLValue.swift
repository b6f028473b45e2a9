/// One value of a YAML file with its place, so that every error names file, line and key.
///
///     let value = try YAMLValue(parsing: "volume: 80", file: "soundbox.yaml")
///     let volume = try value.mapping().required("volume").integer(in: 0...100)
///
/// Reading is strict: a mapping is read through ``YAMLMapping``, which refuses unknown keys.
public struct YAMLValue {
    /// Dotted path from the top; empty there.
    public let key: String
    public let line: Int?
    package let node: YAMLNode
    /// Keys from the top. Unlike ``key``, it distinguishes `a: {b: …}` from `a.b: …`.
    let path: [String]
    package let reading: YAMLReading

    public var file: String { reading.file }

    /// - Parameter line: the line of its key, which for a nested value is above the value itself.
    private init(node: YAMLNode, key: String, line: Int?, path: [String], reading: YAMLReading) {
        self.node = node
        self.key = key
        self.line = line
        self.path = path
        self.reading = reading
    }

    /// - Parameter file: its name in errors.
    public init(_ node: YAMLNode, file: String) { self.init(node, YAMLReading(file: file, isConfidential: false)) }

    /// The top of a document.
    package init(_ node: YAMLNode, _ reading: YAMLReading) {
        self.init(node: node, key: "", line: node.line, path: [], reading: reading)
    }

    /// Stands for a missing key.
    func missing(_ key: String) -> YAMLValue {
        YAMLValue(node: YAMLNode(.scalar("")), key: key, line: nil, path: path + [key], reading: reading)
    }

    public func error(_ problem: String) -> YAMLError {
        YAMLError(file: file, line: line, key: key, problem: problem)
    }

    /// Whether this is a mapping, for values with a short and a long form.
    public var isMapping: Bool { if case .mapping = node.content { true } else { false } }

    /// Whether this is a list, for values that may be one or several.
    public var isList: Bool { if case .sequence = node.content { true } else { false } }

    public func mapping() throws(YAMLError) -> YAMLMapping {
        guard case .mapping(let mapping) = node.content else {
            throw error("expected a mapping (key: value), found \(kind)")
        }
        var entries: [(key: String, value: YAMLValue)] = []
        for (keyNode, value) in mapping {
            guard let name = keyNode.text else { throw error("a key must be plain text") }
            let key = key.isEmpty ? name : "\(key).\(name)"
            entries.append(
                (
                    name,
                    YAMLValue(node: value, key: key, line: keyNode.line, path: path + [name], reading: reading)
                ))
        }
        return YAMLMapping(value: self, entries: entries)
    }

    public func list() throws(YAMLError) -> [YAMLValue] {
        guard case .sequence(let sequence) = node.content else { throw error("expected a list, found \(kind)") }
        return sequence.enumerated().map { index, node in
            let item = "[\(index)]"
            return YAMLValue(
                node: node, key: key + item, line: node.line, path: path + [item], reading: reading)
        }
    }

    /// Any scalar, as its text. Numbers are not interpreted: `0800` stays `0800`.
    public func string() throws(YAMLError) -> String {
        guard let text = node.text else {
            throw error(
                "expected text, found \(kind); text that begins with \(isList ? "[" : "{") is written in quotes")
        }
        return text
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

    /// A duration: a number directly followed by `ms`, `s`, `m`, `h` or `d`.
    public func duration(in range: ClosedRange<Duration>) throws(YAMLError) -> Duration {
        let text = try string()
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = Self.units.first { $0.name == text.dropFirst(digits.count) }
        guard let unit, let count = Int64(digits), count <= Int64.max / unit.milliseconds else {
            throw error("expected a time span such as 250ms, 30s, 10m or 2h\(found(text))")
        }
        let duration = Duration.milliseconds(count * unit.milliseconds)
        guard range.contains(duration) else {
            let (shortest, longest) = (Self.written(range.lowerBound), Self.written(range.upperBound))
            throw error("expected a time span from \(shortest) to \(longest)\(found(text))")
        }
        mayBeShown()
        return duration
    }

    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// In the largest unit that it is a whole number of.
    private static func written(_ duration: Duration) -> String {
        let milliseconds = Int64(duration / .milliseconds(1))
        let unit = units.first { milliseconds != 0 && milliseconds % $0.milliseconds == 0 } ?? ("s", 1000)
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }

    /// One word of a closed set.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        of type: Choice.Type
    ) throws(YAMLError) -> Choice where Choice.RawValue == String {
        let text = try string()
        if let choice = Choice(rawValue: text) {
            mayBeShown()
            return choice
        }
        let words = Choice.allCases.map(\.rawValue)
        let hint =
            nearest(to: text, among: words, within: max(1, text.count / 2)).map { "; did you mean \"\($0)\"?" } ?? ""
        throw error("expected one of \(words.joined(separator: ", "))\(found(text))\(hint)")
    }

    /// Marks this value as no secret. Numbers, durations and words of a closed set are marked when they are read; for
    /// any other text only its reader can know.
    public func mayBeShown() { reading.shown.insert(path) }

    /// `, found "text"` for the end of an error; empty if the text may be a secret.
    public func found(_ text: String) -> String { reading.isConfidential ? "" : ", found \"\(text)\"" }

    private var kind: String {
        switch node.content {
        case .scalar(let text): text.isEmpty ? "nothing" : reading.isConfidential ? "text" : "\"\(text)\""
        case .mapping: "a mapping"
        case .sequence: "a list"
        }
    }
}

/// A parsed document as a tree of texts, mappings and lists. A file's parser makes it; ``YAMLValue`` reads it.
public struct YAMLNode: Sendable {
    public indirect enum Content: Sendable {
        case scalar(String)
        case mapping([(key: YAMLNode, value: YAMLNode)])
        case sequence([YAMLNode])
    }

    public let content: Content
    /// The line where it begins, counted from 1; `nil` if it is in no file.
    public let line: Int?
    public let column: Int?

    public init(_ content: Content, line: Int? = nil, column: Int? = nil) {
        self.content = content
        self.line = line
        self.column = column
    }

    /// The text of a scalar.
    package var text: String? { if case .scalar(let text) = content { text } else { nil } }
}

/// What is wrong in a YAML file, and where: `soundbox.yaml:12: broker.urll: unknown key; did you mean "url"?`
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file's name as the caller gave it.
    public var file: String
    /// Counted from 1; `nil` for the file as a whole.
    public var line: Int?
    /// Dotted path of the key; empty at the top.
    public var key: String
    /// What was expected, in words.
    public var problem: String

    public init(file: String, line: Int?, key: String, problem: String) {
        self.file = file
        self.line = line
        self.key = key
        self.problem = problem
    }

    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key): \(problem)"
    }
}
