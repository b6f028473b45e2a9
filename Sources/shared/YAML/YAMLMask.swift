import SoundboxCore
import Yams

/// A document for display, with every value masked that its reader did not find harmless.
///
///     let mask = try YAMLMask(text, file: "soundbox.yaml") { _ = try? Configuration(reading: $0) }
///     print(mask.text)
///
/// There is no list of what is shown. A value is shown if it was read as a number, a duration or a word of a closed
/// set, or if its reader called ``YAMLValue/mayBeShown()``. So a forgotten key is masked, and a misspelt or misplaced
/// key too, since nobody reads it. Comments, anchors and tags are not copied.
public struct YAMLMask {
    /// The document as text that ends with a newline.
    public let text: String
    /// Every text that was masked, keys among them, so that it can be removed from other texts.
    public let masked: [String]

    /// - Parameter read: reads the document; a mistake does not end ``YAMLMapping/read(_:_:)``.
    /// - Throws: ``YAMLError`` when the text is no YAML or its top is no mapping: it could be anything.
    public init(_ text: String, file: String, read: (YAMLValue) -> Void) throws(YAMLError) {
        let reading = YAMLReading(file: file, isConfidential: true, toleratesMistakes: true)
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

    mutating func copy(of node: YAMLNode, at path: [String]) -> Node {
        switch node.content {
        case .scalar(let text) where reading.shown.contains(path): return Node(text)
        case .mapping(let entries) where path.isEmpty || isAsked(below: path):
            let copies = entries.map { entry($0.key, $0.value, in: path) }
            return .mapping(Node.Mapping(copies, .implicit, .block))
        case .sequence(let items) where reading.shown.contains { $0.starts(with: path) }:
            let copies = items.enumerated().map { copy(of: $1, at: path + ["[\($0)]"]) }
            return .sequence(Node.Sequence(copies, .implicit, .flow))
        case .scalar: return mask(node, "")
        case .mapping: return mask(node, ": a mapping")
        case .sequence: return mask(node, ": a list")
        }
    }

    private func isAsked(below path: [String]) -> Bool {
        reading.asked.contains { $0.key.starts(with: path) }
    }

    private mutating func entry(_ key: YAMLNode, _ value: YAMLNode, in path: [String]) -> (Node, Node) {
        guard let name = key.text else {
            mask(key)
            return (hidden(key), mask(value, unknown(in: path)))
        }
        let inner = path + [name]
        if reading.isAsked(name, in: path) { return (Node(name), copy(of: value, at: inner)) }
        let isNamed = KeyName(name).isMadeOf(wordsOf: knownNames)
        if !isNamed { mask(key) }
        return (isNamed ? Node(name) : hidden(key), mask(value, unknown(in: path)))
    }

    /// Keys of a mapping that was not read to its end may be valid all the same.
    private func unknown(in mapping: [String]) -> String { reading.finished.contains(mapping) ? ": unknown key" : "" }

    private func hidden(_ key: YAMLNode) -> Node {
        Node("«a key that is not shown, line \(key.line ?? 0), column \(key.column ?? 0)»")
    }

    private mutating func mask(_ node: YAMLNode, _ what: String) -> Node {
        mask(node)
        return Node("«masked\(what)»")
    }

    /// Every text of a masked part.
    private mutating func mask(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text): masked.append(text)
        case .mapping(let entries):
            for (key, value) in entries {
                mask(key)
                mask(value)
            }
        case .sequence(let items): for item in items { mask(item) }
        }
    }
}
