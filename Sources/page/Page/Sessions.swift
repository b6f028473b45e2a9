import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// The signed-in phones, stored in a file: a phone stays signed in across restarts until it is signed out.
///
/// The file contains hashes of the tokens, so a reader of the file cannot sign in. Removing the file signs out all
/// phones at once, because it is checked before each answer. Any thread; blocks on the disk.
public final class Sessions: Sendable {
    /// The most phones of a shop. One more signs out the oldest.
    static let most = 32

    private struct Session: Sendable, Equatable {
        var hash: String
        var role: Role
    }

    private struct Content {
        var stamp: FileStamp?
        /// Oldest first.
        var sessions: [Session] = []
    }

    private let path: String
    private let content = Mutex(Content())

    /// - Parameter file: in a folder that only the page's process can access.
    public init(file: String) { path = file }

    /// Signs out all phones, also of a running page. Blocks on the disk.
    /// - Throws: why the file cannot be removed.
    public static func closeAll(_ path: String) throws(FileError) {
        if unlink(path) != 0, errno != ENOENT {
            let hint = errno == EACCES || errno == EPERM ? "; use sudo" : ""
            throw FileError(path: path, problem: "cannot be removed: \(SystemError.last)\(hint)")
        }
        SmallFile.syncFolder(of: path)
    }

    /// The role of a token's owner; `nil` if it is not signed in.
    func role(of token: String) -> Role? {
        let hash = Self.hash(token)
        return content.withLock { content in
            reload(&content)
            return content.sessions.first { $0.hash == hash }?.role
        }
    }

    /// Signs in a phone.
    /// - Returns: a token of 32 random bytes in hexadecimal digits.
    func open(as role: Role) throws(FileError) -> String {
        var random = SystemRandomNumberGenerator()
        let token = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }.hexadecimal
        try change { sessions in
            sessions = sessions.suffix(Self.most - 1) + [Session(hash: Self.hash(token), role: role)]
        }
        return token
    }

    /// Signs out the owner of a token.
    func close(_ token: String) throws(FileError) {
        let hash = Self.hash(token)
        try change { sessions in sessions.removeAll { $0.hash == hash } }
    }

    private func change(_ body: (inout [Session]) -> Void) throws(FileError) {
        try content.withLock { content throws(FileError) in
            reload(&content)
            var sessions = content.sessions
            body(&sessions)
            guard sessions != content.sessions else { return }
            try SmallFile.replace(path, with: "\(Self.json(sessions).text)\n", mode: 0o600, owner: nil)
            content.sessions = sessions
            content.stamp = FileStamp(path)
        }
    }

    private func reload(_ content: inout Content) {
        let stamp = FileStamp(path)
        guard stamp != content.stamp || stamp == nil else { return }
        content.stamp = stamp
        content.sessions = stamp == nil ? [] : read()
    }

    /// An unreadable file signs nobody in.
    private func read() -> [Session] {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 64 << 10),
            let json = try? JSONValue(parsing: bytes)
        else { return [] }
        return (json.elements ?? []).compactMap { element in
            guard let hash = element["hash"]?.string, hash.utf8.count == 64,
                let role = element["role"]?.string.flatMap(Role.init)
            else { return nil }
            return Session(hash: hash, role: role)
        }
    }

    private static func json(_ sessions: [Session]) -> JSONValue {
        .array(sessions.map { .object([("hash", .string($0.hash)), ("role", .string($0.role.rawValue))]) })
    }

    private static func hash(_ token: String) -> String { SHA256.hash(of: Array(token.utf8)).hexadecimal }
}
