import SoundboxControl
import SoundboxCore

/// What a provider signs: a text with placeholders, or fields of the body.
///
///     signed: "{timestamp}.{body}"
///     signed: {fields: [id, amount.value, status], separator: ":"}
///     signed: {members: data, separator: "&"}      # every member of data, sorted: amount=1&id=A
///     signed: {members: data, separator: "&", empty: ["null"]}      # and the text "null" is signed as none
///
/// Everything here is such that one signed text has one reading. Otherwise a sender's text (a subject, a description)
/// could be moved into another field under the same signature.
enum SignedContent: CustomStringConvertible {
    case text(SignedText)
    case fields([FieldPath], separator: String)
    /// `empty` are texts that are signed as an empty one. A member that is read (`read`) must hold none of them: a stranger
    /// could put it there.
    case members(FieldPath, separator: String, empty: [String], read: [FieldPath])

    /// - Parameter fields: those that the hook's file reads.
    init(reading value: YAMLValue, url: YAMLValue?, fields read: [FieldPath]) throws(YAMLError) {
        guard value.isMapping else {
            self = .text(try SignedText(reading: value, url: url))
            return
        }
        if let url { throw url.error("is of use where signed names {url} only") }
        let section = try value.mapping()
        let (fields, members) = (section.optional("fields"), section.optional("members"))
        switch (fields, members) {
        case (let fields?, nil):
            var paths: [FieldPath] = []
            for field in try fields.list() { paths.append(try field.path(of: "data.id")) }
            guard !paths.isEmpty else {
                throw fields.error("signs nothing of the request; expected at least one field")
            }
            self = .fields(paths, separator: try section.required("separator").oneOrMore())
        case (nil, let members?):
            let separator = try section.required("separator")
            let text = try separator.oneOrMore()
            guard !text.contains("="), !Substring(text).utf8.isFieldName else {
                throw separator.error("would part name=value itself\(separator.found(text))")
            }
            var empty: [String] = []
            for word in try section.optional("empty")?.list() ?? [] { empty.append(try word.oneOrMore()) }
            self = .members(try members.path(of: "data"), separator: text, empty: empty, read: read)
        case (nil, nil):
            throw value.error(
                "expected fields or members, or a text such as \"{timestamp}.{body}\", which is written in quotes")
        case (.some, .some): throw value.error("expected either fields or members, found both")
        }
        try section.refuseOtherKeys()
    }

    var signsBody: Bool { if case .text(let text) = self { text.parts.contains(.body) } else { false } }
    var signsTimestamp: Bool { if case .text(let text) = self { text.parts.contains(.timestamp) } else { false } }

    /// In lower case.
    var headers: [String] {
        guard case .text(let text) = self else { return [] }
        return text.parts.compactMap { if case .header(let name) = $0 { name.lowercased() } else { nil } }
    }

    /// Which fields are signed, unless the body is.
    var fields: [String] {
        if case .members(let object, _, _, _) = self { ["\(object).*"] } else { paths.map { "\($0)" } }
    }

    /// The fields that are named.
    var paths: [FieldPath] {
        switch self {
        case .text(let text): text.parts.compactMap { if case .field(let path) = $0 { path } else { nil } }
        case .fields(let paths, _): paths
        case .members: []
        }
    }

    /// Whether a path of the mapping leads to a field that is signed.
    func signs(_ path: FieldPath) -> Bool {
        switch self {
        case .text(let text): text.parts.contains { $0 == .body || $0 == .field(path) }
        case .fields(let paths, _): paths.contains(path)
        case .members(let object, _, _, _): path.isMember(of: object)
        }
    }

    /// For refusals.
    var description: String {
        switch self {
        case .text(let text): text.description
        case .fields(let paths, _): "\(paths.count) fields from \(paths[0]) on"
        case .members(let object, _, _, _): "the members of \(object)"
        }
    }

    /// - Parameters:
    ///   - json: the body; not read where that itself is signed.
    ///   - place: the element whose fields are signed.
    func bytes(
        of request: HTTPRequest, _ time: SignedTime?, _ json: JSONValue = .null, _ place: ElementPlace? = nil
    ) throws(HookRefusal) -> [UInt8] {
        switch self {
        case .text(let text): return try text.bytes(of: request, time, json, place)
        case .fields(let paths, let separator):
            var texts: [String] = []
            for path in paths {
                let text = try json.signedText(at: path.at(place))
                try text.refuse(separator, in: "\(path)")
                texts.append(text)
            }
            return Array(texts.joined(separator: separator).utf8)
        case .members(let object, let separator, let empty, let read):
            guard case .object(let members)? = object.at(place).written(in: json) else {
                throw HookRefusal(status: 401, reason: "\(object) is no object; its members are signed")
            }
            let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            var pairs: [String] = []
            for (name, value) in sorted {
                var text = try value.signedText(named: name)
                if empty.contains(text) {
                    guard !read.contains(where: { $0.isMember(of: object) && $0.lastName == name }) else {
                        throw HookRefusal(
                            status: 401, reason: "\(name.excerpt) is \(text.excerpt), which is signed as an empty text")
                    }
                    text = ""
                }
                pairs.append("\(name)=\(text)")
            }
            let signed = pairs.joined(separator: separator)
            // A value such as "x&amount=9" could make up for another field: each name behind a separator begins one.
            let names = signed.utf8.split(separator: Array(separator.utf8)).count { part in
                part.firstIndex(of: UInt8(ascii: "=")).map { part[..<$0].isFieldName } ?? false
            }
            guard names == sorted.count, sorted.allSatisfy({ Substring($0.name).utf8.isFieldName }) else {
                throw HookRefusal(
                    status: 401,
                    reason: "a value in \(object) holds \(separator) with a name and =: it could be a field")
            }
            return Array(signed.utf8)
        }
    }
}

/// A text with placeholders: `{body}`, `{url}`, `{timestamp}`, `{header NAME}`, `{field PATH}`.
struct SignedText: CustomStringConvertible {
    enum Part: Equatable {
        case text(String)
        case body
        case timestamp
        case header(String)
        case field(FieldPath)

        var isPlaceholder: Bool { if case .text = self { false } else { true } }
    }

    let parts: [Part]
    let description: String

    /// - Parameter url: the key of this name.
    init(reading value: YAMLValue, url: YAMLValue?) throws(YAMLError) {
        let text = try value.string()
        var parts: [Part] = []
        var namesURL = false
        var rest = text[...]
        while let first = rest.first {
            guard first == "{" else {
                let literal = rest.prefix { $0 != "{" }
                guard !literal.contains("}") else {
                    throw value.error("has a } without a { before it\(value.found(text))")
                }
                parts.append(.text(String(literal)))
                rest = rest[literal.endIndex...]
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                throw value.error("has a { without a }\(value.found(text))")
            }
            let words = rest[..<end].dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
            rest = rest[rest.index(after: end)...]
            switch (words.first, words.dropFirst().first) {
            case ("body", nil): parts.append(.body)
            case ("timestamp", nil): parts.append(.timestamp)
            case ("url", nil):
                guard let url else {
                    throw value.error("names {url}; expected the key url beside it, as it is set at the provider")
                }
                namesURL = true
                parts.append(.text(try url.webAddress()))
            case ("header", let name?) where name.isHeaderName: parts.append(.header(name))
            case ("field", let path?):
                guard let path = FieldPath(path) else {
                    throw value.error("expected a path such as data.id behind field\(value.found(path))")
                }
                parts.append(.field(path))
            default:
                throw value.error(
                    "expected {body}, {url}, {timestamp}, {header NAME} or {field PATH}, found "
                        + "{\(words.joined(separator: " "))}")
            }
        }
        if let url, !namesURL { throw url.error("is of use where signed names {url} only") }
        self.parts = parts
        description = text.count > 60 ? text.prefix(60) + "…" : text
        if let problem = Self.problem(of: parts) { throw value.error("\(problem)\(value.found(text))") }
    }

    /// Why a signed text could have two readings, or says nothing about the payment.
    private static func problem(of parts: [Part]) -> String? {
        let signsRequest = parts.contains {
            if case .field = $0 { true } else { $0 == .body }
        }
        guard signsRequest else { return "signs nothing of the request; expected {body} or {field PATH} in it" }
        if let body = parts.firstIndex(of: .body), parts[(body + 1)...].contains(where: \.isPlaceholder) {
            return "has a placeholder behind {body}, which could begin inside it; expected {body} as the last one"
        }
        guard parts.count(where: { $0 == .timestamp }) < 2 else { return "names {timestamp} twice" }
        for (part, next) in zip(parts, parts.dropFirst()) where part.isPlaceholder {
            if case .text(let text) = next {
                guard part == .timestamp, text.first?.isNumber == true else { continue }
                return "has a digit behind {timestamp}, which could be part of it"
            }
            // A digit of the body taken for one of the time is no JSON, or moves the time by decades.
            guard part != .timestamp || next != .body else { continue }
            return "has two placeholders in a row, whose border could be moved; expected a text between them"
        }
        return nil
    }

    func bytes(
        of request: HTTPRequest, _ time: SignedTime?, _ json: JSONValue, _ place: ElementPlace?
    ) throws(HookRefusal) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            var border = ""
            if index + 1 < parts.count, case .text(let text) = parts[index + 1] { border = text }
            switch part {
            case .text(let text): bytes += Array(text.utf8)
            case .body: bytes += request.body
            case .timestamp: bytes += Array((time?.text ?? "").utf8)
            case .header(let name):
                let text = try request.header(name.lowercased())
                try text.refuse(border, in: name)
                bytes += Array(text.utf8)
            case .field(let path):
                let text = try json.signedText(at: path.at(place))
                try text.refuse(border, in: "\(path)")
                bytes += Array(text.utf8)
            }
        }
        return bytes
    }
}

extension HTTPRequest {
    /// The body's fields. They are read as the mapping reads them.
    /// - Throws: 400 for what is neither a JSON object nor a form.
    func fields() throws(HookRefusal) -> JSONValue {
        let document = try document()
        let json: JSONValue
        do { json = try JSONValue(parsing: document, toleratesBrokenText: true) } catch {
            throw HookRefusal(status: 400, reason: "the body is \(error)")
        }
        guard case .object = json else {
            throw HookRefusal(status: 400, reason: "the body is \(json.kind); expected a JSON object")
        }
        return json
    }
}

extension JSONValue {
    /// A missing field is signed as an empty one.
    fileprivate func signedText(at path: FieldPath) throws(HookRefusal) -> String {
        try path.written(in: self)?.signedText(named: "\(path)") ?? ""
    }

    fileprivate func signedText(named name: String) throws(HookRefusal) -> String {
        if self == .null { return "" }
        guard let text = code else {
            throw HookRefusal(
                status: 401, reason: "\(name.excerpt) is signed, and is \(kind); expected a text or a number")
        }
        return text
    }
}

extension String {
    /// Refuses a value in which the text behind it, or its beginning, could be found earlier.
    fileprivate func refuse(_ border: String, in name: String) throws(HookRefusal) {
        let (value, border) = (Array(utf8), Array(border.utf8))
        guard !border.isEmpty, (value + border).firstRange(of: border)?.lowerBound != value.count else { return }
        throw HookRefusal(
            status: 401,
            reason: "\(name.excerpt) holds \(String(decoding: border, as: UTF8.self).excerpt), which ends it")
    }
}

extension Collection<UInt8> {
    fileprivate var isFieldName: Bool {
        !isEmpty
            && allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension YAMLValue {
    fileprivate func webAddress() throws(YAMLError) -> String {
        let text = try string()
        guard text.hasPrefix("https://") || text.hasPrefix("http://"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw error("expected the address that the provider has, such as https://pay.example/hooks/shop") }
        return text
    }
}
