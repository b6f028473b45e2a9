import SoundboxControl
import SoundboxCore

/// A token in `Authorization: Bearer TOKEN` (RFC 6750, section 2.1, https://www.rfc-editor.org/rfc/rfc6750), for
/// providers whose own server calls the gateway.
///
///     hook: {scheme: bearer, token_file: /etc/soundbox-gateway/token}
///
/// It proves who sends, and says nothing about the body: TLS up to the reverse proxy must protect that.
package struct BearerHook: HookScheme {
    package static let headers = ["authorization"]

    private let token: HookSecret

    init(reading section: YAMLMapping) throws(YAMLError) { token = try HookSecret("token_file", of: section) }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        guard token.isIn(try request.header("authorization"), behind: "Bearer") else {
            throw HookRefusal(status: 401, reason: "Authorization has not the right Bearer token")
        }
        return request.body
    }
}
