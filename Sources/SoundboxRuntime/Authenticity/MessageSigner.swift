import Crypto
import SoundboxCore
import SoundboxMQTT

/// Signs payment notices as the box's provider does: for trials.
public struct MessageSigner: Sendable {
    private let key: SigningKey
    private let topic: String

    /// - Returns: `nil` for a box without a key. Reads the key file; blocks on the disk.
    /// - Throws: what is wrong with that file.
    public init?(_ configuration: Configuration) throws {
        guard let authenticity = configuration.authenticity else { return nil }
        try self.init(key: SigningKey(readingFile: authenticity.keyFile), topic: configuration.topics[.payments])
    }

    init(key: SigningKey, topic: String) {
        self.key = key
        self.topic = topic
    }

    /// The payload of a notice with these members, and its signature as the last one.
    public func payload(_ members: [(name: String, value: JSONValue)]) -> [UInt8] {
        func payload(_ signature: String) -> [UInt8] {
            JSONValue.object(members + [("signature", .string(signature))]).bytes
        }
        let bytes = SigningKey.bytesToSign(topic: topic, payload: payload(""))
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: key.symmetricKey)
        return payload(code.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())
    }
}
