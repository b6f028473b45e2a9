import CDigest

/// Base64 (RFC 4648), by OpenSSL's libcrypto. Any thread; never blocks.
///
///     Base64.bytes(of: "AAAA")  // [0, 0, 0]
public enum Base64 {
    /// The text, with its padding.
    package static func text(of bytes: [UInt8]) -> String {
        // libcrypto ends the text by a zero.
        let size = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: size + 1) { text in
            Int(soundbox_base64_encode(bytes, Int32(bytes.count), text.baseAddress))
        }
    }

    /// - Returns: `nil` for a text that is not base64, or lacks its padding.
    public static func bytes(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8.map(CChar.init(bitPattern:)))
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        // libcrypto takes padding anywhere.
        guard padding <= 2, !text.utf8.dropLast(padding).contains(UInt8(ascii: "=")),
            characters.count.isMultiple(of: 4)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3)
        guard soundbox_base64_decode(characters, Int32(characters.count), &bytes) == bytes.count else { return nil }
        return bytes.dropLast(padding)
    }
}
