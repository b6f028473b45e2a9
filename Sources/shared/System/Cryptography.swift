import CDigest
import CIdentity

/// AES-256-GCM (NIST SP 800-38D) as RFC 5116 has it, by OpenSSL's libcrypto. Any thread; never blocks.
///
///     let bytes = AES256GCM.open(sealed, key: key, nonce: nonce, associated: Array("transaction".utf8))
public enum AES256GCM {
    /// In bytes.
    public static let keySize = Int(SOUNDBOX_AES_256_KEY_SIZE)
    /// In bytes.
    public static let nonceSize = Int(SOUNDBOX_GCM_NONCE_SIZE)

    /// - Parameter sealed: with the tag of 16 bytes at its end.
    /// - Returns: `nil` unless all four belong together, and for a key or a nonce of another size.
    public static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8] = []
    ) -> [UInt8]? {
        guard key.count == keySize, nonce.count == nonceSize, sealed.count >= SOUNDBOX_GCM_TAG_SIZE else { return nil }
        var bytes = [UInt8](repeating: 0, count: sealed.count)
        guard soundbox_aes_256_gcm_open(key, nonce, associated, associated.count, sealed, sealed.count, &bytes) else {
            return nil
        }
        return bytes.dropLast(Int(SOUNDBOX_GCM_TAG_SIZE))
    }
}

/// The public key of somebody who signs with RSA and SHA-256, by OpenSSL's libcrypto. Any thread; never blocks.
///
///     let key = try RSAPublicKey(pem: text)
///     key.isSignature(signature, of: Array("message".utf8))
public struct RSAPublicKey: Sendable, Equatable {
    private let pem: String

    /// - Parameter pem: a public key or a certificate. A certificate's dates and issuer do not matter: the
    ///   installer trusts it.
    /// - Throws: ``IdentityError`` unless it has an RSA key of at least 2,048 bits.
    public init(pem: String) throws(IdentityError) {
        guard soundbox_rsa_is_key(pem) else {
            throw IdentityError(
                "this is no RSA key of at least 2,048 bits; expected a public key or a certificate in PEM")
        }
        self.pem = pem
    }

    /// Whether the key's owner has signed the bytes: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017).
    public func isSignature(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        soundbox_rsa_is_signature(pem, bytes, bytes.count, signature, signature.count)
    }
}
