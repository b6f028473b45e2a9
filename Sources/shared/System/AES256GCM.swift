import CDigest

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
