import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Why a request is refused; never says what the right signature would be.
package struct HookRefusal: Error {
    /// 400 or 401.
    package var status: Int
    package var reason: String
    /// Whether the signature is right.
    package var isGenuine = false

    package init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// A provider's way to sign a webhook: checks it, and gives the JSON document that the mapping reads.
package protocol HookScheme: Sendable {
    /// Lower case; the HTTP server hands on only headers that are named.
    var headers: [String] { get }
    func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8]
    /// What was signed, where it is not the whole document.
    var signed: String? { get }
    /// What an operator must do soon, such as change a key that ends.
    func warnings(at unixSeconds: Int64) -> [String]
    /// The document in a body whose signature was right when it came.
    func document(inGenuine body: [UInt8]) throws(HookRefusal) -> [UInt8]
    /// Answer to a request that is stored (or was already), or that a condition ignores.
    var accepted: HTTPResponse { get }
    /// Answer to one that could not be stored: the provider sends it again.
    func failed(_ reason: String) -> HTTPResponse
}

extension HTTPResponse {
    static func json(_ members: [(name: String, value: JSONValue)], status: Int) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: JSONValue.object(members).bytes)
    }

    /// Says that the same request may succeed soon, here or at another gateway.
    func later() -> HTTPResponse {
        var response = self
        response.headers = [("Retry-After", "5")]
        return response
    }
}

/// The signature covers what the mapping reads, nothing is encrypted, and keys do not end.
extension HookScheme {
    package func warnings(at unixSeconds: Int64) -> [String] { [] }

    package var signed: String? { nil }

    package func document(inGenuine body: [UInt8]) throws(HookRefusal) -> [UInt8] { body }
}

/// What suits every provider that looks at the status only.
extension HookScheme {
    package var accepted: HTTPResponse { .json([("success", .bool(true))], status: 200) }

    package func failed(_ reason: String) -> HTTPResponse {
        .json([("success", .bool(false)), ("message", .string(reason))], status: 503).later()
    }
}

/// A secret that a provider sends in a header, such as Xendit's, or `Authorization: Bearer TOKEN` (RFC 6750).
///
///     signature:
///       secret_file: /etc/soundbox-gateway/xendit.token
///       token: {header: X-Callback-Token}            # prefix: "Bearer ", hash: sha256
///
/// It proves who sends, and says nothing about the body: TLS up to the reverse proxy must protect that.
package struct HeaderToken: HookScheme {
    private enum Hash: String, CaseIterable {
        case sha256
    }

    private let name: String
    private let prefix: String
    /// The header has the hex digits of the secret's hash, as PhonePe sends them.
    private let isHashed: Bool
    private let secrets: [HookSecret]

    init(reading section: YAMLMapping) throws(YAMLError) {
        let token = try section.required("token").mapping()
        name = try token.required("header").headerName()
        prefix = try token.headerPrefix() ?? ""
        isHashed = try token.read("hash") { try $0.choice(of: Hash.self) } != nil
        try token.refuseOtherKeys()
        secrets = try HookSecret.all(of: section)
    }

    package var headers: [String] { [name.lowercased()] }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        let value = try request.header(name.lowercased())
        // The word before a token has no case (RFC 9110, section 11.1).
        guard value.lowercased().hasPrefix(prefix.lowercased()),
            case let token = Array(value.dropFirst(prefix.count).utf8),
            secrets.contains(where: { isHashed ? $0.isHash(ofDigits: token) : $0.isEqual(to: token) })
        else { throw HookRefusal(status: 401, reason: "\(name) has not the right token") }
        return request.body
    }
}

extension HTTPRequest {
    /// Without the blanks around it.
    /// - Throws: 401 without this header: only a stranger leaves it out.
    func header(_ name: String) throws(HookRefusal) -> String {
        guard let value = headers[name] else { throw HookRefusal(status: 401, reason: "the header \(name) is missing") }
        return value.withoutOuterBlanks
    }

    /// The JSON object of the body.
    func object() throws(HookRefusal) -> JSONValue {
        let json: JSONValue
        do { json = try JSONValue(parsing: body) } catch {
            throw HookRefusal(status: 400, reason: "the body is \(error)")
        }
        guard case .object = json else {
            throw HookRefusal(status: 400, reason: "the body is \(json.kind); expected a JSON object")
        }
        return json
    }
}
