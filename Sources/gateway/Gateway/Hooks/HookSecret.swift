import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A secret that a provider shares with the gateway. Never shown by ``description`` or a mirror.
struct HookSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// How its file writes the key.
    enum Encoding: String, CaseIterable {
        case text, hex, base64
    }

    /// A shorter one can be found by trying.
    static let leastBytes = 16

    let bytes: [UInt8]

    /// Reads the first line of the file that a key names. Blocks on the disk.
    init(_ key: String, of section: YAMLMapping) throws(YAMLError) {
        try self.init(file: try section.required(key), content: key.replacing("_file", with: ""))
    }

    /// Those of `secret_file`: one, or two while the key changes, the next beside the last. Blocks on the disk.
    ///
    /// - Parameter prefix: stands before an encoded key, and is no part of it; may be missing.
    static func all(
        of section: YAMLMapping, encoding: Encoding = .text, prefix: String? = nil
    ) throws(YAMLError) -> [HookSecret] {
        let value = try section.required("secret_file")
        let files = try value.oneOrMoreValues()
        guard files.count <= 2 else { throw value.error("expected one file, or two while the key changes") }
        var secrets: [HookSecret] = []
        for file in files { secrets.append(try HookSecret(file: file, encoding: encoding, prefix: prefix)) }
        return secrets
    }

    private init(
        file value: YAMLValue, content: String = "secret", encoding: Encoding = .text, prefix: String? = nil
    ) throws(YAMLError) {
        let file = SecretFile(content: content, path: try value.path())
        let text: String
        let lines: Int
        do throws(SecretFileError) {
            text = try file.read()
            lines = try file.text().split(whereSeparator: \.isNewline).count
        } catch { throw value.error(error.description) }
        func failure(_ reason: String) -> YAMLError { value.error(file.failure(reason).description) }
        // openssl breaks a long key into lines: the first one alone makes signatures that nobody takes.
        guard encoding == .text || lines == 1 else { throw failure("it has several lines; write the key on one") }
        guard !text.hasOuterBlank else { throw failure("it begins or ends with a blank") }
        guard let bytes = encoding.bytes(of: prefix.map { text.without(prefix: $0) } ?? text) else {
            throw failure("it is not in \(encoding.rawValue)")
        }
        guard bytes.count >= Self.leastBytes else {
            throw failure(
                "it has \(bytes.count) bytes, expected at least \(Self.leastBytes); make one with: "
                    + "openssl rand -base64 32")
        }
        self.bytes = bytes
    }

    /// How many codes a request may try: a provider sends one for each key of a change.
    static let mostCodes = 8

    /// Whether one of these is the HMAC of the message, which is made once: a header has room for thousands of codes.
    func isAnyCode(_ codes: [[UInt8]], of message: [UInt8], _ hash: SignatureRecipe.Hash) -> Bool {
        let right = bytes.withUnsafeBytes {
            switch hash {
            case .sha256: SHA256.authenticationCode(of: message, key: $0)
            case .sha512: SHA512.authenticationCode(of: message, key: $0)
            }
        }
        return codes.lazy.filter { $0.count == right.count }.prefix(Self.mostCodes).contains { isEqual($0, right) }
    }

    func isEqual(to token: [UInt8]) -> Bool { isEqual(token, bytes) }

    /// Whether these are the hex digits of the secret's SHA-256.
    func isHash(ofDigits digits: [UInt8]) -> Bool {
        [UInt8](hexadecimal: digits).map { isEqual($0, SHA256.hash(of: bytes)) } ?? false
    }

    /// Compares the codes of both, so that the time tells nothing of the secret.
    private func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        bytes.withUnsafeBytes {
            SHA256.isAuthenticationCode(SHA256.authenticationCode(of: one, key: $0), of: other, key: $0)
        }
    }

    var description: String { "••••••" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HookSecret.Encoding {
    fileprivate func bytes(of text: String) -> [UInt8]? {
        switch self {
        case .text: return Array(text.utf8)
        case .hex: return [UInt8](hexadecimal: text.utf8)
        case .base64:
            // Some providers leave out the padding.
            let missing = (4 - text.utf8.count % 4) % 4
            return Base64.bytes(of: text + String(repeating: "=", count: missing))
        }
    }
}

extension String {
    fileprivate func without(prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
