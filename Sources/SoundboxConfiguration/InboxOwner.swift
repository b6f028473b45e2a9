import Glibc
import SoundboxCore
import SoundboxSystem

/// Whose payments the inbox holds. A box may get another merchant: what waited for the one before must not be spoken in
/// the next shop, and is not the next shop's to look at.
extension StateDirectory {
    /// Beside the inbox: the merchant that it belongs to.
    package var ownerPath: String { "\(path)/owner" }

    /// Puts the inbox of another merchant aside, and this one's back if it was put aside before. Before anything opens it.
    ///
    /// Each file is renamed, and ``ownerPath`` is written when those of the other merchant are away. A kill in between
    /// leaves the rest to the next start, which sees the same owner. An inbox that belongs to nobody yet becomes this
    /// merchant's. Blocks on the disk.
    /// - Returns: where another merchant's files are now; `nil` when nothing had to be moved.
    package func claimInbox(for merchant: String) throws(StateDirectoryError) -> String? {
        let owner: String?
        do throws(SystemError) {
            let bytes = try SmallFile.bytes(ofRegularFile: ownerPath, limit: 4096)
            owner = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        } catch {
            guard error.code == ENOENT else { throw StateDirectoryError(path: path, reason: "\(ownerPath): \(error)") }
            owner = nil
        }
        guard let owner, owner != merchant else {
            try move(from: place(of: merchant), to: path)
            // Where the disk takes nothing now, the next start does it.
            if owner == nil { try? SmallFile.replace(ownerPath, with: "\(merchant)\n", mode: 0o640, owner: nil) }
            return nil
        }
        let place = place(of: owner)
        guard mkdir(place, 0o750) == 0 || errno == EEXIST else {
            throw StateDirectoryError(path: path, reason: "cannot create \(place): \(SystemError.last)")
        }
        SmallFile.syncFolder(of: place)
        try move(from: path, to: place)
        do throws(FileError) {
            try SmallFile.replace(ownerPath, with: "\(merchant)\n", mode: 0o640, owner: nil)
        } catch { throw StateDirectoryError(path: path, reason: "\(error)") }
        try move(from: self.place(of: merchant), to: path)
        return place
    }

    /// A merchant's name may hold what a file's may not.
    private func place(of merchant: String) -> String {
        "\(path)/inbox-of-\(SHA256.hash(of: Array(merchant.utf8)).prefix(8).hexadecimal)"
    }

    /// Moves all that belongs to an inbox: the database with its log, what was salvaged, and the day told last. What is in
    /// the way is the newer one, and stays.
    private func move(from source: String, to target: String) throws(StateDirectoryError) {
        let names: [String]
        do throws(SystemError) { names = try SmallFile.names(in: source) } catch {
            guard error.code == ENOENT else { throw StateDirectoryError(path: path, reason: "\(source): \(error)") }
            return
        }
        // The log after its database: alone in a place it would be taken for a leftover and deleted.
        for name in names.sorted() where name.hasPrefix("inbox.sqlite") || name == "day_end" {
            guard !SmallFile.exists("\(target)/\(name)") else { continue }
            guard rename("\(source)/\(name)", "\(target)/\(name)") == 0 else {
                throw StateDirectoryError(
                    path: path, reason: "cannot move \(source)/\(name) to \(target): \(SystemError.last)")
            }
        }
        for folder in [target, source] { SmallFile.syncFolder(of: "\(folder)/inbox.sqlite") }
    }
}
