import SoundboxControl
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// WeChat Pay's APIv3: signed with RSA over time, nonce and body
/// (https://pay.weixin.qq.com/wiki/doc/apiv3/wechatpay/wechatpay4_1.shtml), with the payment encrypted in `resource`
/// (https://pay.wechatpay.cn/docs/merchant/products/notification/decryption.html). The document is what was encrypted.
///
///     hook:
///       scheme: wechatpay-v3
///       api_v3_key_file: /etc/soundbox-gateway/wechatpay.apiv3
///       platform_keys:
///         PUB_KEY_ID_0000000000000024101100397200000006: /etc/soundbox-gateway/wechatpay.pem
///
/// `platform_keys` has WeChat Pay's public key by its id, its certificate by its serial number, or both: while a
/// merchant changes from one to the other, `Wechatpay-Serial` says which has signed. A certificate ends; the log warns
/// from a month before. WeChat Pay also sends requests with
/// a wrong signature, which begins with `WECHATPAY/SIGNTEST/`, to see that they are refused.
package struct WeChatPayHook: HookScheme {
    package let headers = ["wechatpay-serial", "wechatpay-signature", "wechatpay-timestamp", "wechatpay-nonce"]

    /// A nonce has 32 characters.
    private static let mostNonceBytes = 128

    private let key: HookSecret
    /// By their ids, in capitals.
    private let platformKeys: [String: (key: RSAPublicKey, certificate: ClientCertificate?)]
    private static let warningTime: Int64 = 30 * 86_400

    init(reading section: YAMLMapping) throws(YAMLError) {
        key = try HookSecret("api_v3_key_file", of: section)
        guard key.bytes.count == AES256GCM.keySize else {
            throw try section.required("api_v3_key_file").error(
                "expected a key of \(AES256GCM.keySize) bytes; its file has \(key.bytes.count)")
        }
        let files = try section.required("platform_keys")
        var keys: [String: (key: RSAPublicKey, certificate: ClientCertificate?)] = [:]
        for entry in try files.mapping().entries { keys[entry.key.uppercased()] = try entry.value.rsaFile() }
        guard !keys.isEmpty else { throw files.error("expected at least one id or serial number with its file") }
        platformKeys = keys
    }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        try check(request, at: unixSeconds)
        do throws(HookRefusal) { return try document(inGenuine: request.body) } catch {
            var error = error
            error.isGenuine = true
            throw error
        }
    }

    package func document(inGenuine body: [UInt8]) throws(HookRefusal) -> [UInt8] {
        let resource = try HTTPRequest(method: "POST", target: "/".utf8, body: body).object()["resource"]
        let algorithm = resource?["algorithm"]?.string
        guard let resource, algorithm == "AEAD_AES_256_GCM" else {
            throw HookRefusal(
                status: 400,
                reason: "resource.algorithm is \(algorithm?.excerpt ?? "missing"), expected AEAD_AES_256_GCM")
        }
        guard let sealed = resource["ciphertext"]?.string.flatMap(Base64.bytes), let nonce = resource["nonce"]?.string,
            let document = AES256GCM.open(
                sealed, key: key.bytes, nonce: Array(nonce.utf8),
                associated: Array((resource["associated_data"]?.string ?? "").utf8))
        else { throw HookRefusal(status: 400, reason: "resource cannot be decrypted; is it another APIv3 key?") }
        return document
    }

    private func check(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) {
        let serial = try request.header("wechatpay-serial")
        let time = try SignedTime(try request.header("wechatpay-timestamp"), header: "Wechatpay-Timestamp")
        let nonce = try request.header("wechatpay-nonce")
        // A line end in it would move the border between nonce and body.
        guard nonce.utf8.count <= Self.mostNonceBytes, nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HookRefusal(
                status: 400, reason: "Wechatpay-Nonce is too long, or has characters that are not printable")
        }
        let signature = Base64.bytes(of: try request.header("wechatpay-signature"))
        guard let platformKey = platformKeys[serial.uppercased()] else {
            throw HookRefusal(
                status: 401,
                reason: "Wechatpay-Serial \(serial.excerpt) is none of platform_keys; is there a new public key or "
                    + "certificate?")
        }
        let signed = Array("\(time.text)\n\(nonce)\n".utf8) + request.body + [UInt8(ascii: "\n")]
        guard let signature, platformKey.key.isSignature(signature, of: signed) else {
            throw HookRefusal(status: 401, reason: "Wechatpay-Signature is not the signature of time, nonce and body")
        }
        try time.check(at: unixSeconds)
        if let end = platformKey.certificate?.notAfter, end < unixSeconds {
            throw HookRefusal(status: 401, reason: Self.warning(of: serial, endsAt: end, now: unixSeconds))
        }
    }

    package func warnings(at unixSeconds: Int64) -> [String] {
        platformKeys.sorted { $0.key < $1.key }.compactMap { serial, file in
            guard let end = file.certificate?.notAfter, end - unixSeconds < Self.warningTime else { return nil }
            return Self.warning(of: serial, endsAt: end, now: unixSeconds)
        }
    }

    private static func warning(of serial: String, endsAt end: Int64, now: Int64) -> String {
        "the certificate \(serial) of platform_keys \(end < now ? "has ended" : "ends") on "
            + "\(Timestamp(millisecondsSince1970: end * 1000)): add WeChat Pay's public key or its next certificate"
    }

    package var accepted: HTTPResponse { .json([("code", .string("SUCCESS"))], status: 200) }

    package func failed(_ reason: String) -> HTTPResponse {
        .json([("code", .string("FAIL")), ("message", .string(reason))], status: 503).later()
    }
}
