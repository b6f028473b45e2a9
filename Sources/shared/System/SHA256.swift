import CDigest
import SoundboxCore

/// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), by OpenSSL's libcrypto. Any thread; never blocks.
///
///     let hash = SHA256.hash(of: Array("abc".utf8)).hexadecimal
public enum SHA256 {
    /// - Returns: 32 bytes.
    public static func hash(of bytes: [UInt8]) -> [UInt8] {
        made { soundbox_sha256(bytes, bytes.count, $0) }
    }

    /// The HMAC of the bytes: proof that the sender knows the key.
    /// - Returns: 32 bytes.
    public static func authenticationCode(of bytes: [UInt8], key: UnsafeRawBufferPointer) -> [UInt8] {
        made { soundbox_hmac_sha256(key.baseAddress, key.count, bytes, bytes.count, $0) }
    }

    /// Whether this is the bytes' ``authenticationCode(of:key:)``. The comparison takes constant time, so that nobody
    /// can find a code byte by byte.
    public static func isAuthenticationCode(_ code: [UInt8], of bytes: [UInt8], key: UnsafeRawBufferPointer) -> Bool {
        let right = authenticationCode(of: bytes, key: key)
        return code.count == right.count && soundbox_is_equal(code, right, right.count)
    }

    private static func made(_ make: (UnsafeMutablePointer<UInt8>) -> Bool) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SOUNDBOX_SHA256_SIZE)) { buffer, count in
            // It fails only without memory, or with a configuration of OpenSSL that disables SHA-256. Continuing would
            // mean trusting or refusing messages at random.
            guard let start = buffer.baseAddress, make(start) else { preconditionFailure("libcrypto has no SHA-256") }
            count = buffer.count
        }
    }
}

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

/// Signs payment notices and commands as the box's provider does, for trials:
///
///     let signer = MessageSigner(key: key, topic: topics[.payments])
///     let payload = signer.payload([("id", .string("A-1")), ("amount", .string("123.45"))])
public struct MessageSigner: Sendable {
    private let key: SigningKey
    private let topic: String

    package init(key: SigningKey, topic: String) {
        self.key = key
        self.topic = topic
    }

    /// The name of the member that ``payload(_:)`` adds.
    package static let member = "signature"

    /// The payload of a message with these members and a last member `signature`.
    public func payload(_ members: [(name: String, value: JSONValue)]) -> [UInt8] {
        func payload(_ signature: String) -> [UInt8] {
            JSONValue.object(members + [(Self.member, .string(signature))]).bytes
        }
        let bytes = SigningKey.bytesToSign(topic: topic, payload: payload(""))
        let code = key.withBytes { SHA256.authenticationCode(of: bytes, key: $0) }
        return payload(code.hexadecimal)
    }
}
