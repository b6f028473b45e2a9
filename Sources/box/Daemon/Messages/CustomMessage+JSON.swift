import SoundboxCore

extension CustomMessage {
    /// The names of the members, in messages and on the disk.
    private enum Member {
        static let type = "type"
        static let ring = "ring"
        static let say = "say"
    }

    /// Reads the members of a `ring` or a `say`. Unknown ones are ignored, `null` counts as absent.
    public init(decoding json: JSONValue) throws(CustomMessageError) {
        let fields = CustomMessageFields(json: json)
        let (id, at) = (try fields.id(), try fields.time())
        switch json[Member.type]?.string {
        case Member.ring:
            let timeout = try fields.timeout()
            self.init(id: id, purpose: .ring(timeout: timeout), content: try fields.content() ?? .tone, at: at)
        case Member.say:
            guard let content = try fields.content() else {
                throw CustomMessageError("text", "this field is missing; expected text, segments, clip or kind")
            }
            self.init(id: id, purpose: .say, content: content, at: at)
        case let type: throw CustomMessageError("type", "\((type ?? "").excerpt) is unknown; expected ring or say")
        }
    }

    /// The form that ``init(decoding:)`` reads as the same custom message, with its members in a fixed order: equal
    /// custom messages give equal bytes. The timeout of a ring is cut to whole seconds.
    public var json: JSONValue {
        var members: [(name: String, value: JSONValue)] = [("id", .string(id.text))]
        switch purpose {
        case .ring(let timeout):
            members += [(Member.type, .string(Member.ring)), ("timeout", .integer(timeout.components.seconds))]
        case .say: members.append((Member.type, .string(Member.say)))
        }
        members.append(("at", .string(at.description)))
        return .object(members + content.members)
    }

    /// Whether text from others may be spoken, judged by its length and its characters. Its content is judged by
    /// ``TextRules``.
    /// - Returns: what was expected; `nil` when it may be spoken.
    public static func problem(ofText text: String) -> String? {
        guard text.contains(where: { !$0.isWhitespace }) else {
            return "expected a string of 1 to \(longestText) characters"
        }
        // A character can have any number of scalars. No script needs as many as this.
        guard text.count <= longestText, text.unicodeScalars.count <= longestText * 10 else {
            return "expected at most \(longestText) characters, found \(text.count)"
        }
        guard !text.unicodeScalars.contains(where: \.mayNotBeSaid) else { return "must not contain control characters" }
        // espeak-ng reads text in double brackets as sounds, and omits text in angle brackets.
        let seen = text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        let hasBrackets = zip(seen, seen.dropFirst()).contains { $0 == "[" && $1 == "[" }
        guard !hasBrackets, !seen.contains(where: { $0 == "<" || $0 == ">" }) else {
            return "must not contain [[, < or >, which a synthesiser does not take for letters"
        }
        return nil
    }
}

extension CustomMessage.Content {
    fileprivate var members: [(name: String, value: JSONValue)] {
        switch self {
        case .tone: return []
        case .text(let text): return [("text", .string(text))]
        case .segments(let segments): return [("segments", .array(segments.map { .string($0) }))]
        case .clip(let clip, let otherwise):
            var parts: [(name: String, value: JSONValue)] = [
                ("url", .string(clip.url)), ("sha256", .string(clip.sha256)),
            ]
            if let bytes = clip.bytes { parts.append(("bytes", .integer(bytes))) }
            return [("clip", .object(parts))] + (otherwise.map { [("text", .string($0))] } ?? [])
        case .kind(let name, let number):
            return [("kind", .string(name.text))] + (number.map { [("number", .integer($0))] } ?? [])
        }
    }
}

/// Why a message is no valid `ring` or `say`. Names the field.
public struct CustomMessageError: Error, Sendable, Equatable, CustomStringConvertible {
    public var field: String
    /// What was expected, in words.
    public var problem: String

    init(_ field: String, _ problem: String) {
        self.field = field
        self.problem = problem
    }

    public var description: String { "\(field): \(problem)" }
}

/// The members of one `ring` or `say`.
private struct CustomMessageFields {
    let json: JSONValue

    func id() throws(CustomMessageError) -> CommandID {
        guard let text = try string("id", in: json) else {
            throw CustomMessageError("id", "this field is missing, and a ring or say needs it")
        }
        do { return try CommandID(text) } catch { throw CustomMessageError("id", error.description) }
    }

    func time() throws(CustomMessageError) -> Timestamp {
        guard let text = try string("at", in: json) else {
            throw CustomMessageError("at", "this field is missing, and a ring or say needs it")
        }
        // A time zone can move a time beyond the years of four digits, which could not be read again.
        guard let time = Timestamp(rfc3339: text), Timestamp(rfc3339: time.description) == time else {
            throw CustomMessageError("at", Timestamp.expected(text))
        }
        return time
    }

    func timeout() throws(CustomMessageError) -> Duration {
        guard let value = present("timeout", in: json) else { return CustomMessage.defaultRingTimeout }
        guard let seconds = value.integer, seconds <= Int(Int32.max),
            CustomMessage.ringTimeouts.contains(.seconds(seconds))
        else {
            let (least, most) = (CustomMessage.ringTimeouts.lowerBound, CustomMessage.ringTimeouts.upperBound)
            throw CustomMessageError(
                "timeout",
                "expected a whole number of seconds from \(least.components.seconds) to \(most.components.seconds)")
        }
        return .seconds(seconds)
    }

    /// `nil` when there is none.
    func content() throws(CustomMessageError) -> CustomMessage.Content? {
        let found = ["text", "segments", "clip", "kind"].filter { present($0, in: json) != nil }
        guard found.count < 2 || found == ["text", "clip"] else {
            throw CustomMessageError(
                found[1],
                "expected one of text, segments, clip and kind, or clip with text; found \(found.joined(separator: " and "))"
            )
        }
        if found != ["kind"], present("number", in: json) != nil {
            throw CustomMessageError("number", "is of use beside kind only")
        }
        switch found.last {
        case "text": return .text(try text() ?? "")
        case "segments": return .segments(try segments())
        case "clip": return .clip(try clip(), otherwise: try text())
        case "kind": return .kind(try kind(), number: try number())
        default: return nil
        }
    }

    private func text() throws(CustomMessageError) -> String? {
        guard let text = try string("text", in: json) else { return nil }
        if let problem = CustomMessage.problem(ofText: text) { throw CustomMessageError("text", problem) }
        return text
    }

    private func segments() throws(CustomMessageError) -> [String] {
        let range = 1...CustomMessage.mostSegments
        guard case .array(let values)? = present("segments", in: json), range.contains(values.count) else {
            throw CustomMessageError("segments", "expected an array of 1 to \(CustomMessage.mostSegments) phrases")
        }
        var segments: [String] = []
        for (index, value) in values.enumerated() {
            let field = "segments[\(index)]"
            guard let text = value.string else {
                throw CustomMessageError(field, "expected a string, found \(value.kind)")
            }
            if let problem = CustomMessage.problem(ofText: text) { throw CustomMessageError(field, problem) }
            segments.append(text)
        }
        if let problem = CustomMessage.problem(ofText: segments.joined(separator: " ")) {
            throw CustomMessageError("segments", "together, with a blank between them: \(problem)")
        }
        return segments
    }

    private func clip() throws(CustomMessageError) -> ClipReference {
        guard let clip = present("clip", in: json), case .object = clip else {
            throw CustomMessageError("clip", "expected an object with url and sha256")
        }
        guard let url = try string("url", in: clip, of: "clip."), ClipReference.mayBeURL(url) else {
            throw CustomMessageError(
                "clip.url",
                "expected an address that begins with https://, of at most \(ClipReference.longestURL) ASCII characters"
            )
        }
        guard let sum = try string("sha256", in: clip, of: "clip."), let sha256 = ClipReference.sum(sum) else {
            throw CustomMessageError("clip.sha256", "expected 64 hexadecimal digits, the SHA-256 of the file")
        }
        guard let value = present("bytes", in: clip) else { return ClipReference(url: url, sha256: sha256) }
        guard let bytes = value.integer, bytes > 0 else {
            throw CustomMessageError("clip.bytes", "expected a whole number above 0, the size of the file")
        }
        return ClipReference(url: url, sha256: sha256, bytes: bytes)
    }

    private func kind() throws(CustomMessageError) -> KindName {
        guard let name = try string("kind", in: json).flatMap(KindName.init) else {
            throw CustomMessageError(
                "kind", "expected the name of a kind that the voice has words for, such as queue_number")
        }
        return name
    }

    private func number() throws(CustomMessageError) -> Int64? {
        guard let value = present("number", in: json) else { return nil }
        guard let number = value.integer.map(Int64.init), CustomMessage.numbers.contains(number) else {
            throw CustomMessageError("number", "expected a whole number from 0 to \(CustomMessage.numbers.upperBound)")
        }
        return number
    }

    private func string(
        _ name: String, in object: JSONValue, of parent: String = ""
    ) throws(CustomMessageError) -> String? {
        guard let value = present(name, in: object) else { return nil }
        guard let text = value.string else {
            throw CustomMessageError(parent + name, "expected a string, found \(value.kind)")
        }
        return text
    }

    private func present(_ name: String, in object: JSONValue) -> JSONValue? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }
}

extension ClipReference {
    /// The most characters of a URL.
    public static let longestURL = 2048

    /// As far as a decoder can judge: the fetcher decides whether its host is allowed.
    fileprivate static func mayBeURL(_ text: String) -> Bool {
        guard (9...longestURL).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        return (scheme == "https" || scheme == "http") && text.dropFirst(scheme.count).hasPrefix("://")
    }

    /// 64 hexadecimal digits in lower case; `nil` for anything else.
    fileprivate static func sum(_ text: String) -> String? {
        guard text.utf8.count == 64, text.utf8.allSatisfy(\.isHexDigit) else { return nil }
        return text.lowercased()
    }
}

extension Unicode.Scalar {
    fileprivate var mayNotBeSaid: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
        default: false
        }
    }
}
