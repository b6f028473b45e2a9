import SoundboxSystem

/// Reads a provisioning file or a claim, and checks that it is complete. A truncated copy can be valid YAML, for
/// example without the signing key. So the file must end with YAML's mark for the end of a document (YAML 1.2.2,
/// 9.1.2).
enum WholeFile {
    static let end = "..."

    /// Reads the file once, because it may be a pipe of a program that decrypts it. Blocks on the disk.
    /// - Parameter timeout: see ``SmallFile/read(_:timeout:)``.
    static func read(_ path: String, timeout: Duration? = SmallFile.pipeTimeout) throws(FileError) -> String {
        let content = try SmallFile.content(of: path, timeout: timeout)
        guard ![[0xFE, 0xFF], [0xFF, 0xFE]].contains(Array(content.prefix(2))) else {
            throw FileError(path: path, problem: "the file is in UTF-16; save it as UTF-8")
        }
        // Before decoding: the copy may be cut inside a character.
        guard isWhole(content) else {
            throw FileError(path: path, problem: "the file does not end with a line of three dots: is it whole?")
        }
        return try SmallFile.text(content, of: path)
    }

    /// Whether only blank lines and comments follow the mark, which is never indented.
    private static func isWhole(_ content: [UInt8]) -> Bool {
        let lines = content.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let last = lines.last(where: { !isBlank($0) }), last.starts(with: end.utf8) else { return false }
        let rest = last.dropFirst(end.utf8.count)
        return isBlank(rest) && rest.first != UInt8(ascii: "#")
    }

    /// Whether a part of a line is blank or a comment.
    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        let first = line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return first == nil || first == UInt8(ascii: "#")
    }
}
