import SoundboxCore
import Yams

/// A YAML mapping that can be changed and written back.
///
///     var document = try YAMLDocument(readingFile: "/etc/soundbox/soundbox.yaml")
///     document["voice", "locale"] = "en-US"
///     let text = document.text
///
/// Keys that are not changed stay. Comments and layout are lost, since libyaml does not keep them.
public struct YAMLDocument: Equatable {
    /// No file that people write by hand is larger.
    public static let mostBytes = 4 << 20

    private var root: Node.Mapping

    /// An empty mapping.
    public init() { root = Node.Mapping([]) }

    /// - Parameter file: its name in errors; nothing is read from it.
    public init(parsing text: String, file: String) throws(YAMLError) {
        let reading = YAMLReading(file: file, isConfidential: true)
        let node = try Node(parsing: text, reading)
        _ = try YAMLValue(YAMLNode(node, file: file), reading).mapping()
        root = node.mapping ?? Node.Mapping([])
    }

    /// Reads a whole file. Blocks on the disk.
    public init(readingFile path: String) throws(YAMLError) {
        try self.init(parsing: try readText(ofFile: path), file: path)
    }

    /// The text of a scalar, by its keys from the top. Setting creates missing mappings; `nil` removes the key.
    public subscript(keys: String...) -> String? {
        get { self[path: keys] }
        set { self[path: keys] = newValue }
    }

    public subscript(path keys: [String]) -> String? {
        get { Self.node(at: keys[...], in: root)?.scalar?.string }
        set {
            Self.set(newValue.map { .text($0) }, at: keys[...], in: &root)
        }
    }

    /// The texts of a list of scalars, or the text of one scalar; `nil` if there is neither. Setting one text writes a
    /// scalar.
    public subscript(list keys: String...) -> [String]? {
        get {
            guard let node = Self.node(at: keys[...], in: root) else { return nil }
            if let text = node.scalar?.string { return [text] }
            guard let texts = node.sequence?.map({ $0.scalar?.string }) else { return nil }
            let known = texts.compactMap(\.self)
            return known.count == texts.count ? known : nil
        }
        set {
            guard let newValue, newValue.count > 1 else {
                self[path: keys] = newValue?.first
                return
            }
            let items = newValue.map { Node.text($0) }
            Self.set(.sequence(Node.Sequence(items, .implicit, .flow)), at: keys[...], in: &root)
        }
    }

    /// Sets a value of any shape; `null` removes the key.
    public mutating func set(_ value: JSONValue, at keys: [String]) {
        Self.set(value == .null ? nil : Node(value), at: keys[...], in: &root)
    }

    /// The document as text that ends with a newline, one key a line.
    public var text: String {
        Self.text(of: root)
    }

    static func text(of mapping: Node.Mapping) -> String {
        // The emitter fails only for documents that cannot be written as YAML. A tree of scalars always can.
        (try? Yams.serialize(node: .mapping(inBlockStyle(mapping)), width: -1, allowUnicode: true)) ?? ""
    }

    private static func node(at keys: ArraySlice<String>, in mapping: Node.Mapping) -> Node? {
        guard let key = keys.first, let node = mapping[Node(key)] else { return nil }
        guard keys.count > 1 else { return node }
        return node.mapping.flatMap { Self.node(at: keys.dropFirst(), in: $0) }
    }

    private static func set(_ value: Node?, at keys: ArraySlice<String>, in mapping: inout Node.Mapping) {
        guard let key = keys.first else { return }
        let node = Node(key)
        guard keys.count > 1 else {
            mapping[node] = value
            return
        }
        var inner = mapping[node]?.mapping ?? Node.Mapping([])
        if value == nil, inner.isEmpty { return }
        set(value, at: keys.dropFirst(), in: &inner)
        mapping[node] = .mapping(inner)
    }

    private static func inBlockStyle(_ mapping: Node.Mapping) -> Node.Mapping {
        var result = Node.Mapping([], mapping.tag, .block)
        for (key, value) in mapping {
            if case .mapping(let inner) = value, !inner.isEmpty {
                result[key] = .mapping(inBlockStyle(inner))
            } else {
                result[key] = value
            }
        }
        return result
    }
}

extension Node {
    fileprivate init(_ json: JSONValue) {
        switch json {
        case .null: self = Node("")
        case .bool(let bool): self = Node(bool ? "true" : "false")
        case .number(let digits): self = Node(digits)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .sequence(Node.Sequence(elements.map { Node($0) }, .implicit, .flow))
        case .object(let members):
            self = .mapping(Node.Mapping(members.map { (Node($0.name), Node($0.value)) }, .implicit, .block))
        }
    }
}

// Characters with a meaning in YAML, in text that a person has written.

extension Node {
    /// Refuses a value without necessary quotes, which would be read as another one, or as none.
    ///
    /// - Parameter text: the document.
    func checkQuotes(in text: String, file: String) throws(YAMLError) {
        switch self {
        case .scalar(let scalar):
            guard let problem = scalar.lackOfQuotes(in: text) else { return }
            throw YAMLError(file: file, line: scalar.mark?.line, key: "", problem: problem)
        case .mapping(let mapping):
            for (key, value) in mapping {
                try key.checkQuotes(in: text, file: file)
                try value.checkQuotes(in: text, file: file)
            }
        case .sequence(let sequence): for item in sequence { try item.checkQuotes(in: text, file: file) }
        case .alias: break
        }
    }

    /// A scalar that is read back as this text, whatever it contains.
    static func text(_ text: String) -> Node {
        // A block scalar keeps the lines of certificates and keys.
        let style: Scalar.Style =
            text.contains("\n") ? .literal : text.beginsWithTypographicQuote ? .doubleQuoted : .any
        return .scalar(Scalar(text, .implicit, style))
    }
}

extension Node.Scalar {
    fileprivate func lackOfQuotes(in text: String) -> String? {
        guard style == .plain else { return nil }
        if string.beginsWithTypographicQuote {
            return "these are typographic quotes; expected straight ones: \"…\""
        }
        let isTagged = tag.description.hasPrefix("!")
        guard isTagged || string.isEmpty, let mark else { return nil }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard lines.indices.contains(mark.line - 1) else { return nil }
        let rest = lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1).drop { $0 == " " || $0 == "\t" }
        guard let sign = rest.first, "#&!".unicodeScalars.contains(sign) else { return nil }
        return "\(sign) begins no text in YAML; a value that begins with it is written in quotes: \"\(sign)…\""
    }
}

extension String {
    /// What word processors and phones put in the place of `"` and `'`.
    fileprivate var beginsWithTypographicQuote: Bool {
        unicodeScalars.first.map { "“”„‟‘’‚‛".unicodeScalars.contains($0) } ?? false
    }
}
