import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A secret that a provider shares with the gateway. Never shown by ``description`` or a mirror.
struct HookSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// A shorter one can be found by trying.
    static let leastBytes = 16

    let bytes: [UInt8]

    /// Reads the first line of the file that a key names. Blocks on the disk.
    init(_ key: String, of section: YAMLMapping) throws(YAMLError) {
        let value = try section.required(key)
        let file = SecretFile(content: key.replacing("_file", with: ""), path: try value.path())
        let text: String
        do { text = try file.read() } catch { throw value.error(error.description) }
        func failure(_ reason: String) -> YAMLError { value.error(file.failure(reason).description) }
        guard !text.hasOuterBlank else { throw failure("it begins or ends with a blank") }
        guard text.utf8.count >= Self.leastBytes else {
            throw failure(
                "it has \(text.utf8.count) bytes, expected at least \(Self.leastBytes); make one with: "
                    + "openssl rand -base64 32")
        }
        bytes = Array(text.utf8)
    }

    /// Whether this is the HMAC-SHA-256 of the message. Takes constant time.
    func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { SHA256.isAuthenticationCode(code, of: message, key: $0) }
    }

    /// Whether this is the HMAC-SHA-256 of the time, a point and the body, as Stripe and SePay sign.
    func isCode(_ code: [UInt8], of body: [UInt8], at time: SignedTime) -> Bool {
        isCode(code, of: Array(time.text.utf8) + [UInt8(ascii: ".")] + body)
    }

    /// Whether a header holds the secret behind this word: `Bearer TOKEN`. Compares the codes of both, so that the time
    /// tells nothing of the secret.
    func isIn(_ header: String, behind word: String) -> Bool {
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == word.lowercased() else { return false }
        let code = bytes.withUnsafeBytes { SHA256.authenticationCode(of: Array(parts[1].utf8), key: $0) }
        return isCode(code, of: bytes)
    }

    var description: String { "••••••" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
