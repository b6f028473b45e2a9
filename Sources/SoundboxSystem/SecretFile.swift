import Glibc

/// A password or key in a file of its own.
///
///     let password = try SecretFile(path: "/etc/soundbox/broker.password").read()
///     let key = try SecretFile(content: "signing key", path: "/etc/soundbox/signing.key").read()
package struct SecretFile {
    /// What it holds, for errors.
    package var content = "password"
    package let path: String

    package init(content: String = "password", path: String) {
        self.content = content
        self.path = path
    }

    private static let maximumBytes = 4096
    /// Some editors begin a file with it: U+FEFF in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The first line, without a byte order mark and its line end. Spaces belong to it. Blocks on the disk.
    ///
    /// - Parameter evenIfExposed: for a caller that is about to set the file's mode.
    /// - Throws: ``SecretFileError`` if it is not a regular file, cannot be read, begins with an empty line, one of
    ///   more than 4,096 bytes or one that is not UTF-8, or if every user of the system could read it.
    package func read(evenIfExposed: Bool = false) throws(SecretFileError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(SystemError.last.description) }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw failure(SystemError.last.description) }
        // Read at every start; a pipe gives its content only once.
        guard attributes.st_mode & S_IFMT == S_IFREG else { throw failure("is no file, but a pipe, folder or device") }
        guard evenIfExposed || attributes.st_mode & 0o007 == 0 else {
            throw failure("every user of this system may read it; run: chmod 600 \(path)")
        }
        var buffer = [UInt8](repeating: 0, count: Self.byteOrderMark.count + Self.maximumBytes + 1)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw failure(SystemError.last.description) }
        let mark = buffer[..<count].starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        let line = buffer[mark..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw failure("expected the \(content) on its first line; it is empty") }
        guard line.count <= Self.maximumBytes else {
            throw failure("its first line is longer than \(Self.maximumBytes) bytes")
        }
        // Half a secret, or one with replaced characters, would be refused elsewhere without a visible reason.
        guard let text = String(validating: line, as: UTF8.self) else { throw failure("is not valid UTF-8") }
        return text
    }

    package func failure(_ reason: String) -> SecretFileError {
        SecretFileError(content: content, path: path, reason: reason)
    }
}

extension String {
    /// Whether it begins or ends with a space, which belongs to the password but is seldom intended.
    package var hasOuterBlank: Bool { first?.isWhitespace == true || last?.isWhitespace == true }
}

/// Why a secret cannot be used. Never contains the secret.
package struct SecretFileError: Error, Equatable, CustomStringConvertible {
    package var content = "password"
    package var path: String
    package var reason: String

    package var description: String { "\(content) file \(path.shownPath): \(reason)" }
}

extension String {
    /// Whether a path names something on this machine, or something in an existing folder other than the root and the
    /// working directory: a password in the place of a path could be a name in either of those.
    package var leadsSomewhere: Bool {
        if SmallFile.exists(self) { return true }
        let folder = self[..<(lastIndex(of: "/") ?? startIndex)]
        return folder.contains { $0 != "/" && $0 != "." } && SmallFile.exists(String(folder))
    }

    /// A configured path for errors, which appear in logs and reports.
    package var shownPath: String {
        leadsSomewhere ? self : "«not shown: it names no file in a folder of this machine»"
    }
}
