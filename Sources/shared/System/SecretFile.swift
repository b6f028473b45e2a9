import Glibc
import SoundboxCore

/// A password, key or list of tokens in a file of its own: the one reader of all secrets.
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

    /// The first line, without a byte order mark and its line end (LF or CR LF). Spaces belong to it. Blocks on the
    /// disk.
    ///
    /// - Parameter evenIfExposed: for a caller that is about to set the file's mode.
    /// - Throws: ``SecretFileError`` as ``text(evenIfExposed:)``; also if the first line is empty, has more than 4,096
    ///   bytes, or is refused by ``problem(ofLine:)``.
    package func read(evenIfExposed: Bool = false) throws(SecretFileError) -> String {
        var line = try content(limit: Self.maximumBytes + 3, evenIfExposed).prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw failure("expected the \(content) on its first line; it is empty") }
        guard line.count <= Self.maximumBytes else {
            throw failure("its first line is longer than \(Self.maximumBytes) bytes")
        }
        let text = try text(line)
        if let problem = Self.problem(ofLine: text) { throw failure("its first line \(problem)") }
        return text
    }

    /// The whole file, at most 1 MiB, without a byte order mark. Blocks on the disk.
    ///
    /// - Throws: ``SecretFileError`` if it is not a regular file, cannot be read, is not UTF-8, or if every user of the
    ///   system could read it.
    package func text(evenIfExposed: Bool = false) throws(SecretFileError) -> String {
        let bytes = try content(limit: (1 << 20) + 1, evenIfExposed)
        guard bytes.count <= 1 << 20 else { throw failure("is larger than 1 MiB") }
        return try text(bytes)
    }

    /// Why a text is no secret, to follow a name for it; `nil` for none. The rule of files, provisioning documents and
    /// answers alike. A tab is a blank.
    ///
    /// A file that a power cut left full of zeros, one in UTF-16, or one with another line end inside would be sent to
    /// the broker as it is, which refuses it without a visible reason.
    package static func problem(ofLine line: String) -> String? {
        if let scalar = line.unicodeScalars.first(where: { $0.isControl && $0 != "\t" }) {
            let code = String(scalar.value, radix: 16, uppercase: true)
            return "has a control character (U+\(String(repeating: "0", count: max(0, 4 - code.count)))\(code)); "
                + "write it anew, as one line of plain text"
        }
        return line.allSatisfy(\.isWhitespace) ? "is blank" : nil
    }

    /// The beginning of the file after a byte order mark, at most `limit` bytes.
    private func content(limit: Int, _ evenIfExposed: Bool) throws(SecretFileError) -> ArraySlice<UInt8> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(SystemError.last.description) }
        defer { close(descriptor) }
        var attributes = stat()
        guard fstat(descriptor, &attributes) == 0 else { throw failure(SystemError.last.description) }
        // Read at every start; a pipe gives its content only once.
        guard attributes.st_mode & S_IFMT == S_IFREG else { throw failure("is no file, but a pipe, folder or device") }
        guard evenIfExposed || attributes.st_mode & 0o007 == 0 else {
            throw failure("every user of this system may read it; run: chmod o= \(path)")
        }
        var buffer = [UInt8](repeating: 0, count: Self.byteOrderMark.count + limit)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw failure(SystemError.last.description) }
        let mark = buffer[..<count].starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        return buffer[mark..<count]
    }

    /// Half a secret, or one with replaced characters, would be refused elsewhere without a visible reason.
    private func text(_ bytes: ArraySlice<UInt8>) throws(SecretFileError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("is not valid UTF-8") }
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

extension SigningKey {
    /// Reads the first line of a key file. Blocks on the disk.
    package init(readingFile path: String, evenIfExposed: Bool = false) throws(SecretFileError) {
        let file = SecretFile(content: "signing key", path: path)
        let line = try file.read(evenIfExposed: evenIfExposed)
        do { try self.init(line) } catch { throw file.failure(error.description) }
    }
}
