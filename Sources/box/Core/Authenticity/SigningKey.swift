/// The key that a provider and one box share to sign messages:
///
///     let key = try SigningKey("\(secret)\n")  // blanks and line ends around it are removed
///     print(key)  // ••••••
///
/// It is text, so that it fits in a file, a form or an environment variable: 32 to 1,024 printable ASCII characters
/// without a blank. Blanks and line ends around it are removed, because editors and shells add them. Anything else is
/// refused, because two programs could read it as two different keys.
package struct SigningKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// NIST SP 800-107 asks for keys as strong as the hash; 32 random bytes are 44 characters of base64.
    package static let lengths = 32...1024

    /// The key itself.
    package let text: String

    package init(_ text: some StringProtocol) throws(SigningKeyError) {
        let blanks = Array(" \t\r\n".utf8)
        let bytes = text.utf8.drop { blanks.contains($0) }
        let key = bytes.prefix(bytes.count - bytes.reversed().prefix { blanks.contains($0) }.count)
        guard !key.isEmpty else { throw .empty }
        // 0x21 to 0x7E: the printable ASCII characters without the blank.
        guard key.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .unprintable }
        guard Self.lengths.contains(key.count) else { throw .length(key.count) }
        self.text = String(decoding: key, as: UTF8.self)
    }

    /// The bytes that HMAC-SHA-256 is computed of.
    ///
    /// - Parameters:
    ///   - topic: the whole topic of the message. It names the merchant, the device and the kind of message, so a
    ///     message for another box or of the other kind has another signature. A topic contains no line end
    ///     (``Topics``), so no two pairs of topic and payload give the same bytes.
    ///   - payload: with nothing between the quotes of its signature.
    package static func bytesToSign(topic: String, payload: [UInt8]) -> [UInt8] {
        Array(topic.utf8) + [UInt8(ascii: "\n")] + payload
    }

    /// Gives access to the bytes of the key without leaving a copy in memory.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    package var description: String { "••••••" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a text is not a key. Never contains the text.
package enum SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case unprintable
    case length(Int)

    package var description: String {
        let advice = "; make a key with: openssl rand -base64 32"
        return switch self {
        case .empty: "it is empty\(advice)"
        case .unprintable: "it holds a blank, or a character that is not printable ASCII\(advice)"
        case .length(let count):
            "it is \(count) characters long; expected \(SigningKey.lengths.lowerBound) to "
                + "\(SigningKey.lengths.upperBound)\(advice)"
        }
    }
}
