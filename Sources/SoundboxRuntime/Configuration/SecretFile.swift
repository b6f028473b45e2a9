import Glibc

/// A password or key in a file of its own.
struct SecretFile {
    /// What it holds, in the words of an error.
    var content = "password"
    let path: String

    /// The first line. Blocks on the disk.
    /// - Throws: ``SecretFileError`` when the file cannot be read, is empty, or every user of the system could read it.
    func read() throws(SecretFileError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw failure(String(cString: strerror(errno))) }
        guard attributes.st_mode & 0o007 == 0 else {
            throw failure("every user of this system may read it; run: chmod 600 \(path)")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
        let line = buffer[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw failure("expected the \(content) on its first line; it is empty") }
        return String(decoding: line, as: UTF8.self)
    }

    private func failure(_ reason: String) -> SecretFileError {
        SecretFileError(content: content, path: path, reason: reason)
    }
}

/// A secret that cannot be used. The secret itself is never part of it.
struct SecretFileError: Error, Equatable, CustomStringConvertible {
    var content = "password"
    var path: String
    var reason: String

    var description: String { "\(content) file \(path.shownPath): \(reason)" }
}
