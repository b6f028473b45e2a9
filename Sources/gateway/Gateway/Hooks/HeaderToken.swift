import SoundboxControl
import SoundboxCore
import SoundboxSystem

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
