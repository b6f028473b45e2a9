import SoundboxControl
import SoundboxCore

/// SePay's two proofs (https://developer.sepay.vn/en/sepay-webhooks/xac-thuc): a key in `Authorization: Apikey KEY`, or
/// `X-SePay-Signature: sha256=CODE`, an HMAC-SHA-256 of `TIME.BODY` with the time in `X-SePay-Timestamp`.
///
///     hook: {scheme: sepay, api_key_file: /etc/soundbox-gateway/sepay.key}     # or secret_file: of the signature
///
/// SePay recommends the signature. It repeats what is not answered by a status 2xx with `{"success": true}`.
package struct SePayHook: HookScheme {
    package static let headers = ["authorization", "x-sepay-signature", "x-sepay-timestamp"]

    private enum Proof {
        case apiKey(HookSecret)
        case signature(HookSecret)
    }

    private let proof: Proof

    init(reading section: YAMLMapping) throws(YAMLError) {
        switch (section.optional("api_key_file"), section.optional("secret_file")) {
        case (.some, nil): proof = .apiKey(try HookSecret("api_key_file", of: section))
        case (nil, .some): proof = .signature(try HookSecret("secret_file", of: section))
        case (nil, nil): throw section.value.error("expected either api_key_file or secret_file, found neither")
        case (.some, .some): throw section.value.error("expected either api_key_file or secret_file, found both")
        }
    }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        switch proof {
        case .apiKey(let key):
            guard key.isIn(try request.header("authorization"), behind: "Apikey") else {
                throw HookRefusal(status: 401, reason: "Authorization has not the right Apikey")
            }
        case .signature(let secret):
            let signature = try request.header("x-sepay-signature")
            let time = try SignedTime(try request.header("x-sepay-timestamp"), header: "X-SePay-Timestamp")
            guard signature.hasPrefix("sha256="), let code = [UInt8](hexadecimal: signature.utf8.dropFirst(7)),
                secret.isCode(code, of: request.body, at: time)
            else {
                throw HookRefusal(
                    status: 401, reason: "X-SePay-Signature is not the signature of X-SePay-Timestamp and the body")
            }
            try time.check(at: unixSeconds)
        }
        return request.body
    }
}
