/// The path to a value inside nested objects and lists:
///
///     data.order.id                  names of objects
///     pix.0.valor                    the first element of a list that has one
///     Body.Item[Name=Amount].Value   the element of a list whose member `Name` is `Amount`
///     $.currency                     beside the list of `each`, from the top of the message
public struct FieldPath: Sendable, Hashable, CustomStringConvertible {
    private enum Step: Sendable, Hashable {
        /// A member of an object, or the index of a list's only element.
        case name(String)
        /// The element that `each` is at.
        case element(Int)
        /// The element of a list by a member's value.
        case with(name: String, value: String)
    }

    private var steps: [Step]
    /// Whether it begins at the top of the message although the mapping has `each`.
    public let isFromTop: Bool

    /// `nil` when a name is empty, or a bracket is not closed.
    public init?(_ text: String) {
        isFromTop = text.hasPrefix("$.")
        var steps: [Step] = []
        for part in Self.parts(of: isFromTop ? text.dropFirst(2) : text[...]) {
            guard let bracket = part.firstIndex(of: "[") else {
                guard !part.isEmpty, !part.contains("]") else { return nil }
                steps.append(.name(String(part)))
                continue
            }
            let inside = part[part.index(after: bracket)...]
            guard bracket > part.startIndex, inside.last == "]", let equals = inside.firstIndex(of: "=") else {
                return nil
            }
            let (name, value) = (inside[..<equals], inside[inside.index(after: equals)...].dropLast())
            guard !name.isEmpty, !value.isEmpty, !value.contains("[") else { return nil }
            steps += [.name(String(part[..<bracket])), .with(name: String(name), value: String(value))]
        }
        self.steps = steps
    }

    private init(_ steps: [Step]) { (self.steps, isFromTop) = (steps, false) }

    /// Splits at the points that are not in brackets.
    private static func parts(of text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var (start, isInside) = (text.startIndex, false)
        for index in text.indices {
            switch text[index] {
            case "[": isInside = true
            case "]": isInside = false
            case "." where !isInside:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    /// The names as they are written in errors, without ``isFromTop``.
    public var description: String {
        steps.reduce("") { text, step in
            switch step {
            case .name(let name): text.isEmpty ? name : "\(text).\(name)"
            case .element(let index): "\(text).\(index)"
            case .with(let name, let value): "\(text)[\(name)=\(value)]"
            }
        }
    }

    /// Of the member of the message, or of the element, that it begins at.
    package var firstName: String { if case .name(let name)? = steps.first { name } else { "" } }

    /// Of the member that it leads to.
    package var lastName: String { if case .name(let name)? = steps.last { name } else { "" } }

    /// The path from the top of the message, for one element of a list.
    package func inElement(_ index: Int, of list: FieldPath) -> FieldPath {
        isFromTop ? FieldPath(steps) : FieldPath(list.steps + [.element(index)] + steps)
    }

    /// `nil` when the field is missing or `null`.
    func value(in json: JSONValue) -> JSONValue? {
        guard let value = written(in: json), value != .null else { return nil }
        return value
    }

    /// The string there; `nil` for anything else.
    package func text(in json: JSONValue) -> String? { written(in: json)?.string }

    /// `nil` when the field is missing.
    package func written(in json: JSONValue) -> JSONValue? {
        var value = json
        for step in steps {
            guard let next = Self.next(step, in: value) else { return nil }
            value = next
        }
        return value
    }

    private static func next(_ step: Step, in value: JSONValue) -> JSONValue? {
        switch step {
        case .name(let name):
            guard let elements = value.elements else { return value[name] }
            return index(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        case .element(let index): return value.elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
        case .with(let name, let text):
            let found = (value.elements ?? []).filter { $0[name]?.isWritten(text) == true }
            return found.count == 1 ? found[0] : nil
        }
    }

    private static func index(_ name: String) -> Int? { name.utf8.allSatisfy(\.isDigit) ? Int(name) : nil }

    /// Why it must not be read: it takes one of several elements. A second payment would be lost without a word.
    package func ambiguity(in json: JSONValue) -> String? {
        var value = json
        for (place, step) in steps.enumerated() {
            let elements = value.elements ?? []
            let path = FieldPath(Array(steps[..<place]))
            switch step {
            case .name(let name):
                // PHP writes a list with gaps as an object whose names are numbers.
                var count = elements.count
                if case .object(let members) = value, members.allSatisfy({ Self.index($0.name) != nil }) {
                    count = members.count
                }
                if Self.index(name) != nil, count > 1 {
                    return "\(path) has \(count) elements, and the mapping takes one of them; write each: \(path)"
                }
            case .element: break
            case .with(let name, let text):
                let count = elements.count { $0[name]?.isWritten(text) == true }
                if count > 1 { return "\(path) has \(count) elements with \(name)=\(text), expected one" }
            }
            guard let next = Self.next(step, in: value) else { return nil }
            value = next
        }
        return nil
    }

    /// Why there is no value, in words.
    func lack(in json: JSONValue) -> String { "this field is missing" + hint(in: json) }

    /// What stands in the path's way, as the end of a sentence; empty when the field is only missing.
    func hint(in json: JSONValue) -> String {
        var value = json
        for (place, step) in steps.enumerated() {
            if let next = Self.next(step, in: value) {
                value = next
                continue
            }
            let path = FieldPath(Array(steps[..<place]))
            if value.isTextOfJSON {
                return "; \(path) is a text that holds JSON: the sender must leave out the quotes around it"
            }
            guard let elements = value.elements else { return "" }
            if elements.isEmpty { return "; \(path) is an empty list" }
            if case .with(let name, let text) = step { return "; \(path) has no element with \(name)=\(text)" }
            return "; \(path) is a list, whose first element is \(path).0"
        }
        return ""
    }

    /// Whether it leads to a member of the object that another path leads to, not to something inside the member.
    package func isMember(of object: FieldPath) -> Bool {
        guard isFromTop == object.isFromTop, case .name? = steps.last else { return false }
        return Array(steps.dropLast()) == object.steps
    }

    /// Whether one of the two is inside the other's value, so that never both are scalars.
    public func excludes(_ other: FieldPath) -> Bool {
        steps != other.steps && isFromTop == other.isFromTop
            && (steps.starts(with: other.steps) || other.steps.starts(with: steps))
    }
}

extension JSONValue {
    /// Whether this is a string in which an object or a list is written.
    fileprivate var isTextOfJSON: Bool {
        guard let string, let json = try? JSONValue(parsing: Array(string.utf8)) else { return false }
        switch json {
        case .object, .array: return true
        default: return false
        }
    }
}
