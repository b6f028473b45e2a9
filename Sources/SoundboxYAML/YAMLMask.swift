import Yams

/// A document for the eyes of others: every value that its reader did not find harmless is named and masked.
///
/// What is shown is listed nowhere: a value is shown because it was read as a number, a time span or a word of a closed
/// set, or because its reader called ``YAMLValue/mayBeShown()``. A key that is forgotten is masked, a key that is
/// misspelt or in the wrong place is asked for by nobody and is masked, and comments, anchors and tags are not copied.
public struct YAMLMask {
    /// The document as text that ends with a newline.
    public let text: String
    /// Every text that was masked, keys among them, for taking it out of other texts.
    public let masked: [String]

    /// - Parameter read: reads as much of the document as can be understood; a key that it does not know is no error.
    /// - Throws: ``YAMLError`` when the text is no YAML or its top is no mapping: it could be anything.
    public init(_ text: String, file: String, read: (YAMLValue) -> Void) throws(YAMLError) {
        let reading = YAMLReading(file: file, isConfidential: true, toleratesWrongKeys: true)
        let top = try YAMLValue(parsing: text, reading)
        _ = try top.mapping()
        read(top)
        var mask = Mask(reading: reading)
        guard case .mapping(let mapping) = mask.copy(of: top.node, at: []) else { throw top.error("no mapping") }
        self.text = YAMLDocument.text(of: mapping)
        masked = mask.masked
    }
}

private struct Mask {
    let reading: YAMLReading
    var masked: [String] = []
    private lazy var knownNames = Set(reading.asked.values.joined())

    init(reading: YAMLReading) { self.reading = reading }

    mutating func copy(of node: Node, at path: [String]) -> Node {
        switch node {
        case .scalar(let scalar) where reading.shown.contains(path): return Node(scalar.string)
        case .mapping(let mapping) where path.isEmpty || isAsked(below: path):
            var copy: [(Node, Node)] = []
            for (key, value) in mapping { copy.append(entry(key, value, in: path)) }
            return .mapping(Node.Mapping(copy, .implicit, .block))
        case .sequence(let sequence) where reading.shown.contains { $0.starts(with: path) }:
            let items = sequence.enumerated().map { index, item in (path + ["[\(index)]"], item) }
            return .sequence(Node.Sequence(items.map { copy(of: $1, at: $0) }, .implicit, .flow))
        case .scalar:
            return mask(node, "")
        case .mapping: return mask(node, ": a mapping")
        case .sequence: return mask(node, ": a list")
        case .alias: return mask(node, ": an alias")
        }
    }

    private func isAsked(below path: [String]) -> Bool {
        reading.asked.contains { $0.key.starts(with: path) }
    }

    private mutating func entry(_ key: Node, _ value: Node, in path: [String]) -> (Node, Node) {
        guard let name = key.scalar?.string else {
            note(key)
            return (hidden(key), mask(value, unknown(in: path)))
        }
        let inner = path + [name]
        if reading.isAsked(name, in: path) { return (Node(name), copy(of: value, at: inner)) }
        let isNamed = KeyName(name).isMadeOf(wordsOf: knownNames)
        if !isNamed { note(key) }
        return (isNamed ? Node(name) : hidden(key), mask(value, unknown(in: path)))
    }

    /// A mapping that was not read to its end may have keys that nobody came to ask for.
    private func unknown(in mapping: [String]) -> String { reading.finished.contains(mapping) ? ": unknown key" : "" }

    private func hidden(_ key: Node) -> Node {
        Node("«a key that is not shown, line \(key.mark?.line ?? 0), column \(key.mark?.column ?? 0)»")
    }

    private mutating func mask(_ node: Node, _ what: String) -> Node {
        note(node)
        return Node("«masked\(what)»")
    }

    /// Every text of a masked part.
    private mutating func note(_ node: Node) {
        switch node {
        case .scalar(let scalar): masked.append(scalar.string)
        case .mapping(let mapping):
            for (key, value) in mapping {
                note(key)
                note(value)
            }
        case .sequence(let sequence): for item in sequence { note(item) }
        case .alias: break
        }
    }
}
