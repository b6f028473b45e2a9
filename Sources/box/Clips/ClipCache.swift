import Glibc
import SoundboxCore
import SoundboxSystem

/// Encoded clips on the disk, each in a file with its hash as name. Every call blocks on the disk; one thread.
///
/// The cache is optional: a clip that cannot be written or read is fetched again. Files are not synchronised: a file
/// that a power cut leaves incomplete does not match its hash, and is removed.
final class ClipCache {
    private struct File {
        var hash: String
        var size: Int
    }

    private let folder: String
    /// Bytes of all files.
    private let limit: Int
    /// The most recently used one is last.
    private var files: [File]

    var size: Int { files.reduce(0) { $0 + $1.size } }

    /// Makes the folder if it is missing, and removes files that are not clips, and clips beyond the limit.
    init(folder: String, limit: Int) {
        self.folder = folder
        self.limit = limit
        mkdir(folder, 0o700)
        var found: [(file: File, usedAt: timespec)] = []
        for name in (try? SmallFile.names(in: folder)) ?? [] {
            var status = stat()
            guard ClipReference(url: "", sha256: name).isHashWellFormed, lstat("\(folder)/\(name)", &status) == 0,
                status.st_mode & S_IFMT == S_IFREG, (1...ClipSettings.mostBytes).contains(Int(status.st_size))
            else {
                unlink("\(folder)/\(name)")
                continue
            }
            found.append((File(hash: name, size: Int(status.st_size)), status.st_mtim))
        }
        found.sort { ($0.usedAt.tv_sec, $0.usedAt.tv_nsec) < ($1.usedAt.tv_sec, $1.usedAt.tv_nsec) }
        files = found.map(\.file)
        makeRoom(for: 0, keeping: [])
    }

    /// The clip with this hash, verified; `nil` if it is not cached.
    func bytes(of hash: String) -> [UInt8]? {
        guard let index = files.firstIndex(where: { $0.hash == hash }) else { return nil }
        let path = path(of: hash)
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: ClipSettings.mostBytes),
            ClipHash.of(bytes) == hash
        else {
            remove(at: index)
            return nil
        }
        files.append(files.remove(at: index))
        utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
        return bytes
    }

    /// Stores a clip if there is room for it.
    /// - Parameters:
    ///   - hash: well formed, and verified to match `bytes`.
    ///   - keeping: hashes of clips that must not be removed for it.
    func store(_ bytes: [UInt8], as hash: String, keeping: Set<String>) {
        guard !files.contains(where: { $0.hash == hash }), makeRoom(for: bytes.count, keeping: keeping) else { return }
        let partial = path(of: hash) + ".part"
        unlink(partial)
        let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        let isWritten = Self.write(bytes, to: file)
        guard close(file) == 0, isWritten, rename(partial, path(of: hash)) == 0 else {
            unlink(partial)
            return
        }
        files.append(File(hash: hash, size: bytes.count))
    }

    /// Removes the least recently used clips until `size` more bytes fit.
    /// - Returns: whether they fit. If they cannot fit, nothing is removed.
    @discardableResult
    private func makeRoom(for size: Int, keeping: Set<String>) -> Bool {
        let kept = files.reduce(0) { $0 + (keeping.contains($1.hash) ? $1.size : 0) }
        guard kept + size <= limit else { return false }
        while self.size + size > limit, let index = files.firstIndex(where: { !keeping.contains($0.hash) }) {
            remove(at: index)
        }
        return true
    }

    private func remove(at index: Int) { unlink(path(of: files.remove(at: index).hash)) }

    private func path(of hash: String) -> String { "\(folder)/\(hash)" }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
    }
}

enum ClipHash {
    /// SHA-256 in 64 lower-case hexadecimal digits.
    static func of(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: SHA256.hash(of: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
