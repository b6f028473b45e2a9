import CIdentity

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
