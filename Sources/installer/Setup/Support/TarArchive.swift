import SoundboxCore

/// A tar archive in memory, in the format of POSIX.1-1988 (ustar).
struct TarArchive: Equatable {
    private(set) var bytes: [UInt8] = []

    /// Adds a file, readable only by its owner.
    ///
    /// - Parameters:
    ///   - name: at most 100 bytes.
    ///   - time: seconds since 1970.
    mutating func add(_ name: String, _ content: [UInt8], time: Int) {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int, limit: Int) {
            header.replaceSubrange(offset..<offset + min(limit, text.utf8.count), with: text.utf8.prefix(limit))
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0, limit: 100)
        put(octal(0o600, 7), at: 100, limit: 7)
        put(octal(0, 7), at: 108, limit: 7)
        put(octal(0, 7), at: 116, limit: 7)
        put(octal(content.count, 11), at: 124, limit: 11)
        put(octal(time, 11), at: 136, limit: 11)
        put("0", at: 156, limit: 1)
        put("ustar\u{0}00", at: 257, limit: 8)
        // The checksum is computed with blanks in its own field.
        put("        ", at: 148, limit: 8)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6) + "\u{0} ", at: 148, limit: 8)
        bytes += header + content
        bytes += [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    /// The archive with its end mark.
    var finished: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }
}
