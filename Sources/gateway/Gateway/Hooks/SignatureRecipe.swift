import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Signatures with a shared secret, as a hook's file describes them; docs/gateway.md has every key.
///
///     signature:
///       secret_file: /etc/soundbox-gateway/shop.secret
///       signed: "{timestamp}.{body}"
///       code: {header: X-Signature, prefix: "v1="}
///       timestamp: {header: X-Timestamp}
///
/// Where a list (`each`) of fields is signed, every element has a signature of its own.
package struct SignatureRecipe: HookScheme {
    /// How the secret makes a code.
    enum Hash: String, CaseIterable {
        case sha256, sha512
    }

    let content: SignedContent
    private let hash: Hash
    /// Two while the key changes.
    private let secrets: [HookSecret]
    private let code: SignatureCode
    private let timestamp: TimestampPlace?
    /// The list whose elements are signed, and not the body.
    private let list: FieldPath?

    /// - Parameters:
    ///   - each: the mapping's.
    ///   - fields: those that the hook's file reads.
    init(reading section: YAMLMapping, each: FieldPath?, fields: [FieldPath]) throws(YAMLError) {
        let signed = try section.required("signed")
        content = try SignedContent(reading: signed, url: section.optional("url"), fields: fields)
        hash = try section.read("hash") { try $0.choice(of: Hash.self) } ?? .sha256
        let encoding = try section.read("key") { try $0.choice(of: HookSecret.Encoding.self) } ?? .text
        let prefix = section.optional("key_prefix")
        if let prefix, encoding == .text { throw prefix.error("is of use beside key: base64 or key: hex only") }
        secrets = try HookSecret.all(
            of: section, encoding: encoding, prefix: try prefix.map { (value) throws(YAMLError) in try value.string() })
        code = try SignatureCode(reading: try section.required("code"), signsBody: content.signsBody)
        timestamp = try section.optional("timestamp").map { (value) throws(YAMLError) in
            try TimestampPlace(reading: value)
        }
        list = content.signsBody ? nil : each
        if let problem = code.problem(with: content) { throw try section.required("code").error(problem) }
        if content.signsTimestamp, timestamp == nil {
            throw signed.error("names {timestamp}; expected the key timestamp beside it, which says where it is")
        }
        if !content.signsTimestamp, let timestamp = section.optional("timestamp") {
            throw timestamp.error("is not signed, so that anybody can change it; expected {timestamp} in signed")
        }
        if let timestamp, let problem = code.problem(beside: timestamp.place) {
            throw try section.required("timestamp").error(problem)
        }
    }

    package var headers: [String] {
        [code.header, timestamp?.place.header].compactMap(\.self) + content.headers
    }

    package var signed: String? {
        guard !content.signsBody else { return nil }
        let fields = content.fields.joined(separator: ", ")
        return list.map { "\($0): \(fields)" } ?? fields
    }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        let time = try timestamp?.time(of: request)
        if content.signsBody {
            try check(try code.codes(of: request), of: try content.bytes(of: request, time))
        } else {
            let json = try request.fields()
            for place in try places(in: json) {
                let signed = try content.bytes(of: request, time, json, place)
                try check(try code.codes(of: request, json, place), of: signed)
            }
        }
        if let timestamp { try time?.check(at: unixSeconds, within: timestamp.within) }
        return request.body
    }

    private func places(in json: JSONValue) throws(HookRefusal) -> [ElementPlace?] {
        guard let list else { return [nil] }
        guard let elements = list.written(in: json)?.elements, !elements.isEmpty else {
            throw HookRefusal(status: 401, reason: "nothing is signed: \(list) is no list, or an empty one")
        }
        return elements.indices.map { ElementPlace(list: list, index: $0) }
    }

    private func check(_ codes: [[UInt8]], of bytes: [UInt8]) throws(HookRefusal) {
        if secrets.contains(where: { $0.isAnyCode(codes, of: bytes, hash) }) { return }
        throw HookRefusal(status: 401, reason: "\(code.name) is not the signature of \(content)")
    }
}

/// One element of the list whose elements are payments.
struct ElementPlace {
    let list: FieldPath
    let index: Int
}

/// The code that came with a request: in a header, or in a field of the body.
///
///     code: {header: Stripe-Signature, separator: ",", prefix: "v1="}     # or {field: signature, encoding: base64}
struct SignatureCode {
    private enum Encoding: String, CaseIterable {
        case hex, base64

        var alphabet: String {
            let digits = "0123456789abcdefABCDEF"
            return self == .hex ? digits : digits + "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ+/="
        }
    }

    private enum Place {
        case header(HeaderPart)
        case field(FieldPath)
    }

    private let place: Place
    private let encoding: Encoding

    init(reading value: YAMLValue, signsBody: Bool) throws(YAMLError) {
        let section = try value.mapping()
        encoding = try section.read("encoding") { try $0.choice(of: Encoding.self) } ?? .hex
        switch (section.optional("header"), section.optional("field")) {
        case (.some, nil): place = .header(try HeaderPart(reading: section, of: encoding.alphabet))
        case (nil, let field?):
            guard !signsBody else { throw field.error("is in the body, which cannot hold the code of itself") }
            place = .field(try field.path(of: "signature"))
        case (nil, nil): throw value.error("expected either header or field, found neither")
        case (.some, .some): throw value.error("expected either header or field, found both")
        }
        try section.refuseOtherKeys()
    }

    /// In lower case.
    var header: String? { if case .header(let part) = place { part.header } else { nil } }

    var name: String {
        switch place {
        case .header(let part): part.name
        case .field(let path): "\(path)"
        }
    }

    /// Why no code is right: it would be part of what it signs.
    func problem(with content: SignedContent) -> String? {
        switch place {
        case .header(let part):
            guard content.headers.contains(part.header) else { return nil }
            return "is in the header \(part.name), which signed names: no code can sign itself"
        case .field(let path):
            guard content.signs(path) || content.paths.contains(where: { $0.excludes(path) }) else { return nil }
            return "is in the field \(path), which is signed: no code can sign itself"
        }
    }

    /// Why a header never has both a code and one time.
    func problem(beside time: HeaderPart) -> String? {
        guard case .header(let part) = place, part.header == time.header else { return nil }
        guard part.separator != nil, time.separator != nil else {
            return "is in the header of code; expected separator in both, which parts them"
        }
        guard part.prefix.hasPrefix(time.prefix) else { return nil }
        return "is in the header of code; expected another prefix than that, which parts them"
    }

    /// Those that are written as codes are. A provider that changes its key may send several.
    func codes(
        of request: HTTPRequest, _ json: JSONValue = .null, _ place: ElementPlace? = nil
    ) throws(HookRefusal) -> [[UInt8]] {
        let texts: [String]
        switch self.place {
        case .header(let part): texts = try part.texts(of: request)
        case .field(let path): texts = [path.at(place).text(in: json)].compactMap(\.self)
        }
        return texts.compactMap { text in
            switch encoding {
            case .hex: [UInt8](hexadecimal: text.utf8)
            case .base64: Base64.bytes(of: text)
            }
        }
    }
}

/// A text in a header: all of it, or each of its parts that has a prefix.
///
///     {header: Stripe-Signature, separator: ",", prefix: "v1="}
struct HeaderPart {
    /// As the file writes it, for people.
    let name: String
    let prefix: String
    let separator: String?

    /// The caller reads the section's other keys, and refuses what is left.
    ///
    /// - Parameter alphabet: the characters of the text behind the prefix.
    init(reading section: YAMLMapping, of alphabet: String) throws(YAMLError) {
        let header = try section.required("header")
        name = try header.headerName()
        prefix = try section.headerPrefix() ?? ""
        separator = try section.optional("separator").map { (value) throws(YAMLError) in
            let text = try value.headerText()
            guard !text.allSatisfy(alphabet.contains) else {
                throw value.error("would part the text itself\(value.found(text))")
            }
            return text
        }
        if let separator, prefix.contains(separator) {
            throw try section.required("prefix").error("holds the separator, so that no part begins with it")
        }
    }

    /// In lower case.
    var header: String { name.lowercased() }

    /// Without the prefix.
    func texts(of request: HTTPRequest) throws(HookRefusal) -> [String] {
        let value = try request.header(header)
        let parts = separator.map { value.split(separator: $0).map { String($0).withoutOuterBlanks } } ?? [value]
        return parts.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}

/// Where the signed time is, and how old it may be.
///
///     timestamp: {header: X-Timestamp, unit: ms, within: 5m}
struct TimestampPlace {
    let place: HeaderPart
    /// In seconds, either way.
    let within: Int64
    private let unit: SignedTime.Unit

    init(reading value: YAMLValue) throws(YAMLError) {
        let section = try value.mapping()
        place = try HeaderPart(reading: section, of: "0123456789")
        unit = try section.read("unit") { try $0.choice(of: SignedTime.Unit.self) } ?? .seconds
        let within = try section.read("within") { try $0.duration(in: .seconds(1) ... .days(1)) }
        self.within = within.map { Int64($0 / .seconds(1)) } ?? SignedTime.tolerance
        try section.refuseOtherKeys()
    }

    /// - Throws: 401 without the header, 400 for anything but one time.
    func time(of request: HTTPRequest) throws(HookRefusal) -> SignedTime {
        let texts = try place.texts(of: request)
        guard texts.count == 1 else {
            throw HookRefusal(status: 400, reason: "\(place.name) has \(texts.count) times; expected one")
        }
        return try SignedTime(texts[0], header: place.name, unit: unit)
    }
}

extension FieldPath {
    func at(_ place: ElementPlace?) -> FieldPath {
        place.map { inElement($0.index, of: $0.list) } ?? self
    }
}

extension YAMLValue {
    func headerName() throws(YAMLError) -> String {
        let text = try string()
        guard text.isHeaderName else { throw error("expected the name of a header such as X-Signature\(found(text))") }
        return text
    }

    /// What a header's value may hold.
    func headerText() throws(YAMLError) -> String {
        let text = try oneOrMore()
        guard text.unicodeScalars.allSatisfy({ $0 == "\t" || $0.properties.generalCategory != .control }) else {
            throw error("has a character that no header holds")
        }
        return text
    }

    func oneOrMore() throws(YAMLError) -> String {
        let text = try string()
        guard !text.isEmpty else { throw error("expected at least one character") }
        return text
    }

    /// - Parameter example: for the error.
    func path(of example: String) throws(YAMLError) -> FieldPath {
        let text = try string()
        guard let path = FieldPath(text) else { throw error("expected a field such as \(example)\(found(text))") }
        return path
    }
}

extension YAMLMapping {
    /// What stands before the text in a header.
    func headerPrefix() throws(YAMLError) -> String? {
        guard let value = optional("prefix") else { return nil }
        let text = try value.headerText()
        guard text.withoutOuterBlanks.first == text.first else {
            throw value.error("begins with a blank, which is no part of a header's value")
        }
        return text
    }
}

extension String {
    var isHeaderName: Bool { wholeMatch(of: /[A-Za-z0-9-]{1,64}/) != nil }

    /// RFC 9110, section 5.5: blanks around a header's value are no part of it.
    var withoutOuterBlanks: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

/// A time that a provider has signed, so that nobody can send its request again later.
struct SignedTime {
    enum Unit: String, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
    }

    /// In seconds, either way: that of Stripe's and WeChat Pay's own libraries, and what SePay's documentation advises.
    static let tolerance: Int64 = 300

    /// As it was signed.
    let text: String
    /// Since 1970.
    private let seconds: Int64

    /// - Parameter header: its name, for the refusal.
    init(_ text: String, header: String, unit: Unit = .seconds) throws(HookRefusal) {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else {
            throw HookRefusal(status: 400, reason: "\(header) has no time in \(unit) since 1970")
        }
        self.text = text
        seconds = unit == .seconds ? number : number / 1000
    }

    /// To be asked when the signature is right.
    func check(at now: Int64, within tolerance: Int64 = tolerance) throws(HookRefusal) {
        let age = now - seconds
        guard abs(age) > tolerance else { return }
        let distance = age > 0 ? "\(age) s ago" : "\(-age) s ahead"
        throw HookRefusal(
            status: 401,
            reason: "signed \(distance), expected at most \(tolerance) s: a repeated request, or this server's "
                + "clock is wrong")
    }
}
