import Crypto
import SoundboxCore

/// Decides whether a notice comes from who knows the device's key, and whether it is recent.
///
/// The voice is the proof of payment, so a false announcement is theft. A notice that is played back within the window
/// is a duplicate to the inbox, which knows ids for at least as long; one that is older is refused here.
struct NoticeVerifier: Sendable {
    /// How far a provider's clock may be ahead of the box's.
    static let tolerance = Duration.seconds(300)
    /// Of text; NIST SP 800-107 asks for keys as strong as the hash, 32 random bytes in base64 have 44.
    static let minimumKeyBytes = 32

    private let key: SymmetricKey
    private let required: Bool
    private let window: Duration

    /// - Parameter secret: the key as the text in its file; its UTF-8 bytes are the key.
    init(secret: String, required: Bool, window: Duration) {
        key = SymmetricKey(data: Array(secret.utf8))
        self.required = required
        self.window = window
    }

    /// Reads the key. Blocks on the disk.
    init(_ authenticity: Configuration.Authenticity) throws(SecretFileError) {
        let file = SecretFile(content: "signing key", path: authenticity.keyFile)
        let secret = try file.read()
        guard secret.utf8.count >= Self.minimumKeyBytes else {
            throw SecretFileError(
                content: "signing key", path: authenticity.keyFile,
                reason: "shorter than \(Self.minimumKeyBytes) characters; run: openssl rand -base64 32")
        }
        self.init(secret: secret, required: authenticity.required, window: authenticity.window)
    }

    /// - Parameters:
    ///   - payload: the notice as it arrived, which parses as a JSON object.
    ///   - now: `nil` while the clock is not set; freshness cannot be judged then, and the inbox alone keeps guard.
    func check(_ payload: [UInt8], _ notice: PaymentNotice, now: Timestamp?) throws(NoticeRejection) {
        let signed: SignedPayload
        do { signed = try SignedPayload(payload) } catch {
            if error == .missing, !required { return }
            throw rejection(notice, "signature", error.description)
        }
        // Compares in constant time (swift-crypto, `HMAC.isValidAuthenticationCode`).
        guard HMAC<SHA256>.isValidAuthenticationCode(signed.signature, authenticating: signed.message, using: key)
        else {
            throw rejection(notice, "signature", "does not fit the payload and this device's key")
        }
        guard let paidAt = notice.paidAt else {
            throw rejection(notice, "paid_at", "this field is missing, and a signed notice needs it")
        }
        guard let now else { return }
        let age = now.duration(since: paidAt)
        guard age <= window else {
            throw rejection(notice, "paid_at", "too long ago: \(paidAt) is outside of the window of \(window)")
        }
        guard age >= .zero - Self.tolerance else {
            throw rejection(notice, "paid_at", "\(paidAt) is in the future; the box's clock says \(now)")
        }
    }

    private func rejection(_ notice: PaymentNotice, _ field: String, _ problem: String) -> NoticeRejection {
        NoticeRejection(id: notice.id, field: field, problem: problem)
    }
}
