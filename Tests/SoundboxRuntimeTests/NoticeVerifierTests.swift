import Crypto
import Glibc
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxRuntime

@Suite("Only who knows the key is believed")
struct NoticeVerifierTests {
    private let secret = "0123456789abcdef0123456789abcdef"
    private let now = Timestamp(millisecondsSince1970: 1_795_233_600_000)

    private func verifier(required: Bool = true) -> NoticeVerifier {
        NoticeVerifier(secret: secret, required: required, window: .seconds(300))
    }

    /// Signs as a provider does: over the payload with an empty signature.
    private func sign(_ payload: String, secret: String? = nil) -> String {
        let key = SymmetricKey(data: Array((secret ?? self.secret).utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array(payload.utf8), using: key)
        let digits = code.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return payload.replacing("\"signature\":\"\"", with: "\"signature\":\"\(digits)\"")
    }

    private func payload(paidAt: String = "2026-11-21T04:00:00Z", amount: String = "1") -> String {
        #"{"id":"A-1","amount":"\#(amount)","paid_at":"\#(paidAt)","signature":""}"#
    }

    private func check(_ text: String, _ verifier: NoticeVerifier, now: Timestamp?) throws {
        let bytes = Array(text.utf8)
        let notice = try PaymentNoticeDecoder(defaultCurrency: .CNY).decode(bytes)
        try verifier.check(bytes, notice, now: now)
    }

    private func refusedField(_ text: String, _ verifier: NoticeVerifier) throws -> String {
        try #require(throws: NoticeRejection.self) { try check(text, verifier, now: now) }.field
    }

    @Test("A notice that was signed with the key is taken, wherever the signature stands and however JSON is spaced")
    func signed() throws {
        try check(sign(payload()), verifier(), now: now)
        try check(
            sign(#"{ "signature":"" , "id":"\"signature\":\"x","amount":1,"paid_at":"2026-11-21T04:00:00Z"}"#),
            verifier(),
            now: now)
        try check(
            sign(#"{"x":{"signature":"inner"},"id":"1","amount":1,"paid_at":"2026-11-21T04:00:00Z","signature":""}"#),
            verifier(), now: now)
    }

    @Test("One changed digit, another key, no signature or half of one: refused by field")
    func forged() throws {
        let good = sign(payload(amount: "100"))
        #expect(try refusedField(good.replacing("\"100\"", with: "\"900\""), verifier()) == "signature")
        #expect(
            try refusedField(sign(payload(), secret: "another key of the same length...."), verifier()) == "signature")
        #expect(try refusedField(#"{"id":"A-1","amount":"1"}"#, verifier()) == "signature")
        #expect(try refusedField(payload(), verifier()) == "signature")
        for value in ["null", "5", "{}", "[]", "\"zz\"", "\"\\u0030\""] {
            let text = #"{"id":"A-1","amount":"1","signature":\#(value),"x":"y"}"#
            #expect(try refusedField(text, verifier()) == "signature", "\(value)")
        }
    }

    @Test("Where signatures are not required, none is taken and a wrong one is still refused")
    func optional() throws {
        try check(#"{"id":"A-1","amount":"1"}"#, verifier(required: false), now: now)
        let wrong = sign(payload(), secret: "another key of the same length....")
        #expect(try refusedField(wrong, verifier(required: false)) == "signature")
    }

    @Test("What was paid outside of the window is refused, and so is what does not say when")
    func window() throws {
        #expect(try refusedField(sign(payload(paidAt: "2026-11-21T03:54:59Z")), verifier()) == "paid_at")
        #expect(try refusedField(sign(payload(paidAt: "2026-11-21T04:05:01Z")), verifier()) == "paid_at")
        #expect(try refusedField(sign(#"{"id":"A-1","amount":"1","signature":""}"#), verifier()) == "paid_at")
        try check(sign(payload(paidAt: "2026-11-21T03:55:00Z")), verifier(), now: now)
        // Without a clock nothing is too old.
        try check(sign(payload(paidAt: "2020-01-01T00:00:00Z")), verifier(), now: nil)
    }

    @Test("A key that others may read, or that is short, is refused")
    func keyFile() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("\(secret)\n", to: "key")
        let settings = Configuration.Authenticity(keyFile: file, required: true, window: .seconds(300))
        chmod(file, 0o644)
        let readable = try #require(throws: SecretFileError.self) { try NoticeVerifier(settings) }
        #expect(readable.description.contains("signing key file \(file): every user"))
        chmod(file, 0o600)
        _ = try NoticeVerifier(settings)
        try folder.write("short\n", to: "key")
        #expect(throws: SecretFileError.self) { try NoticeVerifier(settings) }
    }
}
