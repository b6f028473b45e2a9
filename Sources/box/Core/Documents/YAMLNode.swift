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
