import SoundboxCore

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

    /// The payload of a message with these members and a last member `signature`.
    public func payload(_ members: [(name: String, value: JSONValue)]) -> [UInt8] {
        func payload(_ signature: String) -> [UInt8] {
            JSONValue.object(members + [("signature", .string(signature))]).bytes
        }
        let bytes = SigningKey.bytesToSign(topic: topic, payload: payload(""))
        let code = key.withBytes { SHA256.authenticationCode(of: bytes, key: $0) }
        return payload(code.hexadecimal)
    }
}
