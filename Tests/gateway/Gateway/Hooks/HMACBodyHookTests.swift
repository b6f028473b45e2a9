import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Webhooks with an HMAC of the body")
struct HMACBodyHookTests {
    /// The example of https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries.
    private static let secret = "It's a Secret to Everybody"
    private static let body = "Hello, World!"
    private static let digits = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    private let keys: HookFolder
    private let file: String

    init() throws {
        keys = try HookFolder()
        file = try keys.secret(Self.secret)
    }

    private func gitHub() throws -> Hook {
        try keys.hook(#"scheme: hmac-body, secret_file: \#(file), header: X-Hub-Signature-256, prefix: "sha256=""#)
    }

    private func request(_ value: String?, body: String = body, header: String = "x-hub-signature-256") -> HTTPRequest {
        HTTPRequest(headers: value.map { [header: $0] } ?? [:], body: Array(body.utf8))
    }

    @Test("GitHub's documented example is taken")
    func documented() throws {
        let hook = try gitHub()
        #expect(hook.headers == ["x-hub-signature-256"])
        #expect(try hook.scheme.open(request("sha256=\(Self.digits)"), at: 0) == Array(Self.body.utf8))
    }

    @Test("Without a prefix, in capital digits and in base64")
    func forms() throws {
        let plain = try keys.hook("scheme: hmac-body, secret_file: \(file), header: x-signature")
        for digits in [Self.digits, Self.digits.uppercased()] {
            #expect(refusal(plain, request(digits, header: "x-signature"), at: 0) == nil)
        }
        let other = try keys.hook("scheme: hmac-body, secret_file: \(file), header: x-signature, encoding: base64")
        let text = base64(code(Self.body, key: Self.secret))
        #expect(refusal(other, request(text, header: "x-signature"), at: 0) == nil)
        #expect(refusal(other, request(Self.digits, header: "x-signature"), at: 0) == 401)
        #expect(refusal(other, request(String(text.dropLast()), header: "x-signature"), at: 0) == 401)
    }

    @Test(
        "A signature that is forged, cut, empty or of another body or key is refused",
        arguments: [
            (nil, body), ("", body), ("sha256=", body), (digits, body), ("sha1=\(digits)", body),
            ("sha256=\(digits.dropLast(2))", body), ("sha256=\(digits)00", body),
            ("sha256=\(digits.dropLast())g", body),
            ("sha256=\(digits)", body + " "), ("sha256=\(digits)", ""),
            ("sha256=\(String(repeating: "0", count: 60_000))", body),
            ("sha256=" + code(body, key: "another key of a good length").hexadecimal, body),
        ] as [(String?, String)])
    func refused(value: String?, body: String) throws {
        #expect(refusal(try gitHub(), request(value, body: body), at: 0) == 401)
    }

    @Test("A header that is none, and an unknown encoding, are mistakes of the file")
    func mistakes() throws {
        #expect(
            try keys.mistake(#"scheme: hmac-body, secret_file: \#(file), header: "a b""#).contains("name of a header"))
        #expect(
            try keys.mistake("scheme: hmac-body, secret_file: \(file), header: x, encoding: hax")
                .contains(#"did you mean "hex"?"#))
        #expect(try keys.mistake("scheme: hmac-body, secret_file: \(file)").contains("hook.header"))
    }
}
