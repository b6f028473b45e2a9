import SoundboxControl
import SoundboxCore

/// Stripe's signature: `Stripe-Signature: t=TIME,v1=CODE`, an HMAC-SHA-256 of `TIME.BODY`
/// (https://docs.stripe.com/webhooks#verify-manually).
///
///     hook: {scheme: stripe, secret_file: /etc/soundbox-gateway/stripe.secret}
///
/// The secret is the endpoint's `whsec_…`, whole. While it is being changed there are several `v1`, one of each secret.
/// Other schemes, such as `v0` of test events, do not count. Stripe takes any status 2xx for success.
package struct StripeHook: HookScheme {
    package static let headers = ["stripe-signature"]

    private let secret: HookSecret

    init(reading section: YAMLMapping) throws(YAMLError) { secret = try HookSecret("secret_file", of: section) }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        var times: [Substring] = []
        var codes: [[UInt8]] = []
        for element in try request.header("stripe-signature").split(separator: ",") {
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            if parts[0] == "t" { times.append(parts[1]) }
            if parts[0] == "v1", let code = [UInt8](hexadecimal: parts[1].utf8) { codes.append(code) }
        }
        guard times.count == 1 else {
            throw HookRefusal(status: 400, reason: "Stripe-Signature has \(times.count) times; expected one t=")
        }
        let time = try SignedTime(times[0], header: "Stripe-Signature")
        guard codes.contains(where: { secret.isCode($0, of: request.body, at: time) }) else {
            throw HookRefusal(status: 401, reason: "Stripe-Signature has no v1 that is the signature of t and the body")
        }
        try time.check(at: unixSeconds)
        return request.body
    }
}
