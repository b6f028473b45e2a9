import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// HMAC-SHA-256 of the body in a header, as many providers sign; GitHub's form is
/// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries.
///
///     hook: {scheme: hmac-body, secret_file: PATH, header: X-Hub-Signature-256, prefix: "sha256="}   # encoding: base64
///
/// No time is signed: a request that is sent again has the same id, and changes nothing.
package struct HMACBodyHook: HookScheme {
    /// The name is the provider's: ``header``.
    package static let headers: [String] = []

    private enum Encoding: String, CaseIterable {
        case hex, base64
    }

    private let secret: HookSecret
    /// In lower case.
    package let header: String
    private let encoding: Encoding
    private let prefix: String

    init(reading section: YAMLMapping) throws(YAMLError) {
        secret = try HookSecret("secret_file", of: section)
        let name = try section.required("header")
        header = try name.string().lowercased()
        guard header.wholeMatch(of: /[a-z0-9-]{1,64}/) != nil else {
            throw name.error("expected the name of a header such as X-Signature")
        }
        encoding = try section.read("encoding") { try $0.choice(of: Encoding.self) } ?? .hex
        prefix = try section.read("prefix") { try $0.string() } ?? ""
    }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        let value = try request.header(header)
        guard value.hasPrefix(prefix), let code = decoded(String(value.dropFirst(prefix.count))),
            secret.isCode(code, of: request.body)
        else { throw HookRefusal(status: 401, reason: "\(header) is not the body's signature") }
        return request.body
    }

    private func decoded(_ text: String) -> [UInt8]? {
        switch encoding {
        case .hex: [UInt8](hexadecimal: text.utf8)
        case .base64: Base64.bytes(of: text)
        }
    }
}
