import Glibc
import SoundboxCore
import SoundboxSystem
import Yams

extension YAMLValue {
    /// - Parameters:
    ///   - file: its name in errors; nothing is read from it.
    ///   - isConfidential: errors repeat no value, and no key that may be a secret in the wrong place.
    public init(parsing text: String, file: String, isConfidential: Bool = false) throws(YAMLError) {
        try self.init(parsing: text, YAMLReading(file: file, isConfidential: isConfidential))
    }

    init(parsing text: String, _ reading: YAMLReading) throws(YAMLError) {
        self.init(try YAMLNode(Node(parsing: text, reading), file: reading.file), reading)
    }

    /// Reads a whole file. Blocks on the disk.
    public init(readingFile path: String, isConfidential: Bool = false) throws(YAMLError) {
        try self.init(parsing: try readText(ofFile: path), file: path, isConfidential: isConfidential)
    }
}

/// Reads a small file in UTF-8. Blocks on the disk.
func readText(ofFile path: String) throws(YAMLError) -> String {
    let bytes: [UInt8]
    do { bytes = try SmallFile.bytes(of: path, limit: YAMLDocument.mostBytes) } catch {
        throw YAMLError(file: path, line: nil, key: "", problem: "\(error)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw YAMLError(file: path, line: nil, key: "", problem: "is not valid UTF-8")
    }
    return text
}

extension Node {
    /// The tree as libyaml has it. Its strict reader finds duplicate keys and gives their places.
    init(parsing text: String, _ reading: YAMLReading) throws(YAMLError) {
        let file = reading.file
        do {
            // Some editors begin a file with a byte order mark, which libyaml takes for text.
            let scalars = text.unicodeScalars
            let body = scalars.first == "\u{FEFF}" ? String(scalars.dropFirst()) : text
            try checkAliases(of: body, limit: YAMLDocument.mostBytes)
            // Tags are not used. Telling numbers from texts by them takes a dozen regular expressions for each key.
            guard let node = try Yams.compose(yaml: body, .basic) else {
                throw YAMLError(file: file, line: nil, key: "", problem: "the file is empty")
            }
            try node.checkQuotes(in: body, file: file)
            self = node
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
}

extension YAMLNode {
    /// - Throws: for an alias without an anchor. Other aliases are expanded, which ``checkAliases(of:limit:)`` has
    ///   bounded.
    init(_ node: Node, file: String) throws(YAMLError) {
        let content: Content
        switch node {
        case .scalar(let scalar): content = .scalar(scalar.string)
        case .mapping(let mapping):
            var entries: [(key: YAMLNode, value: YAMLNode)] = []
            for (key, value) in mapping {
                entries.append((try YAMLNode(key, file: file), try YAMLNode(value, file: file)))
            }
            content = .mapping(entries)
        case .sequence(let sequence):
            var items: [YAMLNode] = []
            for item in sequence { items.append(try YAMLNode(item, file: file)) }
            content = .sequence(items)
        case .alias:
            throw YAMLError(file: file, line: node.mark?.line, key: "", problem: "not valid YAML: an alias of nothing")
        }
        self.init(content, line: node.mark?.line, column: node.mark?.column)
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

    /// Without the excerpt of the file in Yams' own descriptions.
    fileprivate func summary(namesKeys: Bool) -> String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _):
            "not valid YAML: \(problem); is there a value that needs quotes, such as \"@x\" or \"a: b\"?"
        case .duplicatedKeysInMapping(let duplicates, _):
            "the same key twice" + (namesKeys ? ": \(duplicates.joined(separator: ", "))" : "")
        case .reader(let problem, _, _, _): "not valid YAML: \(problem)"
        default: "not valid YAML"
        }
    }
}

/// Refuses a text whose aliases, expanded, could make it longer than any file that is read.
///
/// A text of 200 bytes with lists of aliases could fill any memory when expanded. Yams shares an alias's value, but
/// walks through all of it as soon as one is in a mapping's key, which would take years.
func checkAliases(of text: String, limit: Int) throws(AliasError) {
    let bytes = Array(text.utf8)
    let anchors = Set(names(after: UInt8(ascii: "&"), in: bytes))
    guard !anchors.isEmpty else { return }
    let aliases = names(after: UInt8(ascii: "*"), in: bytes).filter(anchors.contains)
    // Lists of three aliases, each to the list before, make the most copies: of numbers with a given sum, threes have
    // the largest product.
    let copies = pow(3, Double(aliases.count) / 3)
    guard copies * Double(bytes.count) > Double(limit) else { return }
    throw AliasError(count: aliases.count)
}

struct AliasError: Error {
    let count: Int
}

/// Words behind a mark, as libyaml delimits the names of anchors and aliases. Marks inside quoted text count too, which
/// is harmless unless an anchor has the same name.
private func names(after mark: UInt8, in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: mark, omittingEmptySubsequences: false).dropFirst()
        .map { $0.prefix(while: isOfName) }.filter { !$0.isEmpty }
}

private func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}
