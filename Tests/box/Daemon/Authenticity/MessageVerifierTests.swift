import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Only who knows the key is believed")
struct MessageVerifierTests {
    static let secret = "0123456789abcdef0123456789abcdef"
    static let other = "another-key-of-the-same-length-.."

    private static func topics(_ merchant: String = "M1001", _ device: String = "box-01") throws -> Topics {
        try Topics(merchant: merchant, device: device)
    }

    private func verifier(_ secrets: String..., required: Bool = true) throws -> MessageVerifier {
        MessageVerifier(
            keys: try (secrets.isEmpty ? [Self.secret] : secrets).map { try SigningKey($0) }, required: required,
            topics: try Self.topics())
    }

    /// Signs as a provider does: over the topic, a line feed, and the payload with an empty signature.
    static func sign(_ payload: String, topic: String, secret: String = secret) -> String {
        let code = Array(secret.utf8).withUnsafeBytes {
            SHA256.authenticationCode(of: Array("\(topic)\n\(payload)".utf8), key: $0)
        }
        let digits = code.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return payload.replacing("\"signature\":\"\"", with: "\"signature\":\"\(digits)\"")
    }

    private func signed(_ payload: String, secret: String = secret) throws -> String {
        Self.sign(payload, topic: try Self.topics()[.payments], secret: secret)
    }

    private func payload(amount: String = "1") -> String {
        #"{"id":"A-1","amount":"\#(amount)","paid_at":"2026-11-21T04:00:00Z","signature":""}"#
    }

    private func isSigned(
        _ text: String, _ verifier: MessageVerifier, on topic: FeedMessage.Topic = .payments
    ) throws -> Bool {
        try verifier.isSigned(FeedMessage(topic: topic, payload: Array(text.utf8)))
    }

    private func isRefused(
        _ text: String, _ verifier: MessageVerifier, on topic: FeedMessage.Topic = .payments
    ) -> Bool {
        do { return try !isSigned(text, verifier, on: topic) } catch { return error is AuthenticityError }
    }

    @Test("A message that was signed with the key is taken, wherever the signature stands and however JSON is spaced")
    func signed() throws {
        for text in [
            payload(), #"{ "signature":"" , "id":"\"signature\":\"x","amount":1}"#,
            #"{"x":{"signature":"inner"},"id":"1","amount":1,"signature":""}"#,
        ] {
            #expect(try isSigned(signed(text), verifier()), "\(text)")
        }
    }

    @Test("One changed digit, another key, no signature or half of one: refused")
    func forged() throws {
        let good = try signed(payload(amount: "100"))
        #expect(isRefused(good.replacing("\"100\"", with: "\"900\""), try verifier()))
        #expect(isRefused(try signed(payload(), secret: Self.other), try verifier()))
        #expect(isRefused(#"{"id":"A-1","amount":"1"}"#, try verifier()))
        #expect(isRefused(payload(), try verifier()))
        for value in ["null", "5", "{}", "[]", "\"zz\"", "\"\\u0030\""] {
            let text = #"{"id":"A-1","amount":"1","signature":\#(value),"x":"y"}"#
            #expect(isRefused(text, try verifier()), "\(value)")
        }
    }

    @Test(
        "What was signed for another box, another merchant or as the other kind of message is refused",
        arguments: [
            "soundbox/v1/M1001/box-02/payments", "soundbox/v1/M1002/box-01/payments",
            "soundbox/v1/M1001/box-01/commands", "shop/M1001/box-01/payments", "",
        ])
    func elsewhere(topic: String) throws {
        #expect(isRefused(Self.sign(payload(), topic: topic), try verifier()))
        // As the first version signed: the payload alone.
        let bare = Array(Self.secret.utf8).withUnsafeBytes {
            SHA256.authenticationCode(of: Array(payload().utf8), key: $0)
        }
        let digits = bare.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        #expect(isRefused(payload().replacing("signature\":\"", with: "signature\":\"\(digits)"), try verifier()))
    }

    @Test("A payment is no command, and a command is no payment, though one key signs both")
    func kinds() throws {
        let payment = try signed(payload())
        let command = Self.sign(payload(), topic: try Self.topics()[.commands])
        #expect(try isSigned(command, verifier(), on: .commands))
        #expect(isRefused(payment, try verifier(), on: .commands))
        #expect(isRefused(command, try verifier(), on: .payments))
    }

    @Test("While the key is changed, either key will do, and no third one")
    func rotation() throws {
        let both = try verifier(Self.secret, Self.other)
        for secret in [Self.secret, Self.other] { #expect(try isSigned(signed(payload(), secret: secret), both)) }
        #expect(isRefused(try signed(payload(), secret: "a-third-key-of-the-same-length-..."), both))
    }

    @Test("Where signatures are not required, none is taken and a wrong one is still refused")
    func optional() throws {
        let lenient = try verifier(required: false)
        #expect(try !isSigned(#"{"id":"A-1","amount":"1"}"#, lenient))
        #expect(throws: AuthenticityError.self) { try isSigned(signed(payload(), secret: Self.other), lenient) }
    }

    /// Made with: { printf '%s\n' soundbox/v1/M1001/box-01/payments; printf %s "$body"; } |
    /// openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
    @Test("The vector of docs/integration.md, made with openssl, is taken; soundbox publish signs in the same way")
    func vector() throws {
        let body = #"{"id":"A-1","amount":"123.45","paid_at":"2026-11-21T10:15:00+08:00","signature":""}"#
        let vector = "f3a56f7b165a6fd2b1ca2c39c5f0b78930ee221bd66dad587e5a6abd22459d96"
        let text = body.replacing("signature\":\"", with: "signature\":\"\(vector)")
        #expect(try isSigned(text, verifier()))
        let signer = MessageSigner(key: try SigningKey(Self.secret), topic: try Self.topics()[.payments])
        let payload = signer.payload([
            ("id", .string("A-1")), ("amount", .string("123.45")), ("paid_at", .string("2026-11-21T10:15:00+08:00")),
        ])
        #expect(String(decoding: payload, as: UTF8.self) == text)
    }
}

@Suite("Signing keys")
struct SigningKeyTests {
    private static let key = MessageVerifierTests.secret

    @Test(
        "A text that two programs could read in two ways is no key, and neither is a short one",
        arguments: [
            ("", "empty"), (" \t\n", "empty"), (String(key.dropLast()), "31 characters"),
            (String(repeating: "k", count: 1025), "1025 characters"), ("0123456789abcdef 0123456789abcdef", "blank"),
            ("\u{FEFF}\(key)", "ASCII"), ("Schlüssel-0123456789abcdef-0123456", "ASCII"), ("\(key)\u{0}", "ASCII"),
            ("\(key)\n\(key)", "blank"),
        ])
    func bad(text: String, reason: String) {
        let error = #expect(throws: SigningKeyError.self) { try SigningKey(text) }
        #expect(error?.description.contains(reason) == true)
        #expect(error?.description.contains("openssl rand -base64 32") == true)
    }

    @Test("Length is counted in characters, 32 being enough; nothing shows the key")
    func length() throws {
        let key = try SigningKey(Self.key)
        #expect(Self.key.utf8.count == 32)
        #expect("\(key)" == "••••••" && !String(reflecting: key).contains(Self.key))
    }
}
