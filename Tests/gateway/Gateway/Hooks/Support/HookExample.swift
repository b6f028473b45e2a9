import SoundboxControl
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxGateway

/// A hook of `provisioning/hooks`, and how its provider signs: written down here a second time, without the recipe.
struct HookExample: Sendable, CustomTestStringConvertible {
    /// How much of a request a stranger must not be able to change.
    enum Cover: Sendable {
        case body
        /// What the mapping decides by.
        case fields
        /// A token says nothing about the body.
        case none
    }

    typealias Request = (headers: [String: String], body: String)

    let name: String
    let secret: String
    var cover = Cover.body
    let payment: String
    let money: String
    /// The request with this body, sent at this time.
    let sign: @Sendable (_ body: String, _ time: Int64, _ secret: String) throws -> Request

    var testDescription: String { name }

    static let now: Int64 = 1_778_602_410

    /// Another secret of the same kind.
    var otherSecret: String { secret.replacing("A", with: "B").replacing("4", with: "5") }

    func hook(in keys: HookFolder, changes: [String: String] = [:]) throws -> Hook {
        let text = try HookFolder.text(ofShipped: name)
        let file = try #require(text.firstMatch(of: /secret_file: \/etc\/soundbox-gateway\/(\S+)/))
        try keys.secret(secret, in: String(file.1))
        return try keys.shipped(name, changes: changes)
    }

    /// The example in the file's own comment.
    var body: String {
        get throws {
            let lines = try HookFolder.text(ofShipped: name).split(separator: "\n")
            return String(try #require(lines.first { $0.hasPrefix("# {") }).dropFirst(2))
        }
    }

    func request(_ body: String? = nil, time: Int64 = now, secret: String? = nil) throws -> HTTPRequest {
        let signed = try sign(try body ?? self.body, time, secret ?? self.secret)
        return HTTPRequest(headers: signed.headers, body: Array(signed.body.utf8))
    }

    /// What a box would be told; a text that says so for what is ignored or refused.
    func reading(_ document: [UInt8], by hook: Hook) -> String {
        do {
            return try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decodeAll(document)
                .enumerated().map { index, read in
                    guard case .notice(let notice, _) = read else { return "no payment: \(read)" }
                    return "\(notice.id) \(notice.money) \(try hook.box(of: document, at: index))"
                }.joined(separator: ", ")
        } catch { return "unreadable: \(error)" }
    }

    static let all = [
        HookExample(name: "stripe", secret: "whsec_A123456789abcdef0123", payment: "pi_1", money: "2 USD") {
            (body, time, key) in
            let hex = code("\(time).\(body)", key: key).hexadecimal
            return (["stripe-signature": "t=\(time),v1=\(hex),v0=\(hex)"], body)
        },
        HookExample(
            name: "razorpay", secret: "A-webhook-secret-of-the-shop", payment: "pay_DESlfW9H8K9uqM", money: "500 INR"
        ) { (body, _, key) in (["x-razorpay-signature": code(body, key: key).hexadecimal], body) },
        HookExample(name: "sepay", secret: "A-secret-of-a-good-length", payment: "92704", money: "2277000 VND") {
            (body, time, key) in
            let hex = code("\(time).\(body)", key: key).hexadecimal
            return (["x-sepay-signature": "sha256=\(hex)", "x-sepay-timestamp": "\(time)"], body)
        },
        HookExample(
            name: "square", secret: "A-signature-key-of-square", payment: "hYy9pRFVxpDsO1FB05SunFWUe9JZY",
            money: "1 USD"
        ) { (body, _, key) in
            let text = base64(code("https://pay.example/hooks/square" + body, key: key))
            return (["x-square-hmacsha256-signature": text], body)
        },
        // The item, its key and its code are those of Adyen's own libraries' tests.
        HookExample(
            name: "adyen", secret: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056", cover: .fields,
            payment: "7914073381342284", money: "11.3 EUR"
        ) { (body, _, key) in
            func text(_ name: String) -> String {
                (try? Regex("\"\(name)\":\"?([^\",}]*)"))
                    .flatMap { body.firstMatch(of: $0)?.output[1].substring }.map(String.init) ?? ""
            }
            let signed = [
                "pspReference", "originalReference", "merchantAccountCode", "merchantReference", "value", "currency",
                "eventCode", "success",
            ].map(text).joined(separator: ":")
            let bytes = try #require([UInt8](hexadecimal: key.utf8))
            let right = base64(bytes.withUnsafeBytes { SHA256.authenticationCode(of: Array(signed.utf8), key: $0) })
            return ([:], body.replacing(/"hmacSignature":"[^"]*"/, with: "\"hmacSignature\":\"\(right)\""))
        },
        HookExample(
            name: "xendit", secret: "A-verification-token-of-xendit", cover: .none,
            payment: "py-1402feb0-bb79-47ae-9d1e-e69394d3949c", money: "10000 IDR"
        ) { (body, _, key) in (["x-callback-token": key], body) },
        HookExample(
            name: "phonepe", secret: "shop:A-password-of-it", cover: .none, payment: "OMO2403282020198641071317",
            money: "100 INR"
        ) { (body, _, key) in (["authorization": SHA256.hash(of: Array(key.utf8)).hexadecimal], body) },
        HookExample(name: "paystack", secret: "sk_live_A123456789abcdef", payment: "qTPrJoy9Bx", money: "100 NGN") {
            (body, _, key) in
            let code = Array(key.utf8).withUnsafeBytes { SHA512.authenticationCode(of: Array(body.utf8), key: $0) }
            return (["x-paystack-signature": code.hexadecimal], body)
        },
        HookExample(name: "cashfree", secret: "A-client-secret-of-cashfree", payment: "1453002795", money: "1 INR") {
            (body, time, key) in
            let text = base64(code("\(time * 1000 + 7)\(body)", key: key))
            return (["x-webhook-signature": text, "x-webhook-timestamp": "\(time * 1000 + 7)"], body)
        },
        // The example of payOS' documentation.
        HookExample(
            name: "payos", secret: "1a54716c8f0efb2744fb28b6e38b25da7f67a925d98bc1c18bd8faaecadd7675", cover: .fields,
            payment: "123/TF230204212323", money: "3000 VND"
        ) { (body, _, key) in
            guard case .object(let members)? = try JSONValue(parsing: Array(body.utf8))["data"] else {
                throw TestFailure("no data")
            }
            let signed = members.map { "\($0.name)=\($0.value.string ?? $0.value.integer.map(String.init) ?? "")" }
                .sorted().joined(separator: "&")
            let right = code(signed, key: key).hexadecimal
            return ([:], body.replacing(/"signature":"[^"]*"/, with: "\"signature\":\"\(right)\""))
        },
        HookExample(
            name: "standard-webhooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSA", payment: "P-7",
            money: "12.5 EUR"
        ) { (body, time, key) in
            let bytes = try #require(Base64.bytes(of: String(key.dropFirst(6))))
            let code = bytes.withUnsafeBytes {
                SHA256.authenticationCode(of: Array("msg_1.\(time).\(body)".utf8), key: $0)
            }
            return (
                [
                    "webhook-id": "msg_1", "webhook-timestamp": "\(time)",
                    "webhook-signature": "v1a,AAAA v1,\(base64(code))",
                ], body
            )
        },
        HookExample(
            name: "shopify", secret: "A-client-secret-of-an-app", payment: "820982911946154508", money: "398 USD"
        ) { (body, _, key) in (["x-shopify-hmac-sha256": base64(code(body, key: key))], body) },
    ]
}
