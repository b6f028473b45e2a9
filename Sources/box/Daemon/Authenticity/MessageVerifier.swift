import SoundboxCore
import SoundboxSystem

/// Decides whether a notice or command comes from somebody who knows the device's key:
///
///     let verifier = MessageVerifier(keys: [key], required: true, topics: topics)
///     do { _ = try verifier.isSigned(message) } catch { log(error.problem) }
///
/// The spoken announcement is the proof of payment, so a false one is theft, and so is a suppressed one. The caller
/// must also check that the message is recent enough.
package struct MessageVerifier: Sendable {
    /// Two while the key is being changed; either is valid.
    private let keys: [SigningKey]
    private let required: Bool
    private let topics: Topics

    package init(keys: [SigningKey], required: Bool, topics: Topics) {
        self.keys = keys
        self.required = required
        self.topics = topics
    }

    /// Whether a message is signed; `false` only if the box also takes unsigned messages.
    ///
    /// - Throws: why the message is not authentic. Nothing in such a message can be believed, not even its id.
    package func isSigned(_ message: FeedMessage) throws(AuthenticityError) -> Bool {
        let signed: SignedPayload
        do { signed = try SignedPayload(message.payload) } catch {
            if error == .missing, !required { return false }
            throw AuthenticityError(problem: error.description)
        }
        let topic =
            switch message.topic {
            case .payments: topics[.payments]
            case .commands: topics[.commands]
            }
        let bytes = SigningKey.bytesToSign(topic: topic, payload: signed.message)
        // Constant time for each key, and all keys are tried.
        let fitting = keys.filter { key in
            key.withBytes { SHA256.isAuthenticationCode(signed.signature, of: bytes, key: $0) }
        }
        guard !fitting.isEmpty else {
            throw AuthenticityError(problem: "does not fit the topic, the payload and this device's key")
        }
        return true
    }
}

/// Why a message is not authentic.
package struct AuthenticityError: Error, Equatable {
    package var problem: String
}

/// The signature of a notice or command, and the bytes that it covers:
///
///     let signed = try SignedPayload(payload)
///     let bytes = SigningKey.bytesToSign(topic: topic, payload: signed.message)
///     key.withBytes { SHA256.isAuthenticationCode(signed.signature, of: bytes, key: $0) }
///
/// The payload is a JSON object with a top-level member `"signature"` of 64 hexadecimal digits. The signature covers
/// the payload byte by byte as published, with nothing between the quotes of that value. So two programs need not agree
/// on how JSON is written; see docs/integration.md.
public struct SignedPayload: Sendable, Equatable {
    /// The length of HMAC-SHA-256.
    private static let digestBytes = 32

    /// The payload with the signature blanked.
    public var message: [UInt8]
    /// The signature's bytes.
    public var signature: [UInt8]

    public enum Problem: Error, Sendable, Equatable, CustomStringConvertible {
        case missing
        case malformed

        public var description: String {
            switch self {
            case .missing: "this field is missing, and this box takes signed messages only"
            case .malformed: "expected 64 hexadecimal digits, written without escapes"
            }
        }
    }

    /// - Parameter payload: a text that parses as a JSON object.
    public init(_ payload: [UInt8]) throws(Problem) {
        guard let range = try Self.signatureRange(in: payload) else { throw .missing }
        guard let signature = [UInt8](hexadecimal: payload[range]), signature.count == Self.digestBytes else {
            throw .malformed
        }
        self.signature = signature
        message = Array(payload[..<range.lowerBound]) + payload[range.upperBound...]
    }

    /// The range of the signature, between its quotes.
    private static func signatureRange(in payload: [UInt8]) throws(Problem) -> Range<Int>? {
        var depth = 0
        var position = 0
        /// The top-level member whose value comes next is the signature.
        var isNext = false
        while position < payload.count {
            switch payload[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard !isNext else { throw .malformed }
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = position + 1
                position = start
                while position < payload.count, payload[position] != UInt8(ascii: "\"") {
                    position += payload[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard position < payload.count else { return nil }
                if isNext { return start..<position }
                isNext =
                    depth == 1 && isName(endingAt: position, in: payload)
                    && payload[start..<position].elementsEqual("signature".utf8)
            case UInt8(ascii: ","):
                // The value was a number, `true`, `false` or `null`.
                guard !isNext else { throw .malformed }
            default: break
            }
            position += 1
        }
        guard !isNext else { throw .malformed }
        return nil
    }

    /// Whether the string that ends at this quote is a member's name: a colon follows.
    private static func isName(endingAt quote: Int, in payload: [UInt8]) -> Bool {
        payload[(quote + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
