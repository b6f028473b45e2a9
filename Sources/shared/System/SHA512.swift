import CDigest

/// HMAC-SHA-512 (RFC 2104, FIPS 180-4), by OpenSSL's libcrypto. Any thread; never blocks.
///
///     let code = SHA512.authenticationCode(of: bytes, key: key)
public enum SHA512 {
    /// The HMAC of the bytes: proof that the sender knows the key.
    /// - Returns: 64 bytes.
    public static func authenticationCode(of bytes: [UInt8], key: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SOUNDBOX_SHA512_SIZE)) { buffer, count in
            // As for ``SHA256``: continuing would mean trusting or refusing messages at random.
            guard let start = buffer.baseAddress,
                soundbox_hmac_sha512(key.baseAddress, key.count, bytes, bytes.count, start)
            else { preconditionFailure("libcrypto has no SHA-512") }
            count = buffer.count
        }
    }
}
