import Glibc
import SoundboxCore
import SoundboxSystem

/// Whose payments the inbox holds. A box may get another merchant: what waited for the one before must not be spoken in
/// the next shop, and is not the next shop's to look at; nor is that to be as quiet as the shop before was. The device
/// id does not matter: a box that is renamed, or moved within a chain, still has its shop's payments to speak.
extension StateDirectory {
    /// Beside the inbox: the merchant that it belongs to. Written when the inbox is there, and not before.
    private var owner: SummedLine { SummedLine(path: "\(path)/owner", limit: 1 << 17) }

    /// Puts what is another merchant's aside: the inbox, the day told last, and what was set at the box; and puts this
    /// one's back if it was put aside before. Before anything opens it.
    ///
    /// Each file is renamed, and the owner changes when those of the other merchant are away. A kill in between
    /// leaves the rest to the next start, which sees the same owner. An inbox whose owner is not known becomes this
    /// merchant's: what waits in it is more likely to be this shop's than another one's. Blocks on the disk.
    /// - Returns: what somebody should know of it; `nil` when nothing had to be moved.
    package func claim(for merchant: String) throws(StateDirectoryError) -> String? {
        var note: String?
        var known: [UInt8]?
        do { known = try owner.read() } catch {
            note = "\(error): the payments here count as those of \(merchant)"
        }
        // Byte by byte: topics tell apart what Unicode takes for the same.
        if let other = known.map({ String(decoding: $0, as: UTF8.self) }), !other.utf8.elementsEqual(merchant.utf8) {
            note = try putAside(of: other, for: merchant)
        }
        try move(from: place(of: merchant), to: path)
        // Nothing is taken for a merchant whom the next start would not know.
        if known == nil, Self.holdsInbox(path) { try write(merchant) }
        return note
    }

    /// Whether an inbox was here: if there is none now, payments may be lost. Not before the first start has made one, nor
    /// where another merchant's was put aside. After ``claim(for:)``.
    package var expectsInbox: Bool { Self.expectsInbox(in: path) }

    /// The same of a box that may be running.
    package static func expectsInbox(in folder: String) -> Bool { SmallFile.exists("\(folder)/owner") }

    /// Notes the merchant, now that there is an inbox. After ``claim(for:)``. Blocks on the disk.
    package func noteInbox(of merchant: String) throws(StateDirectoryError) {
        guard ((try? owner.read()) ?? nil) == nil else { return }
        try write(merchant)
    }

    /// The inboxes that are put aside. Blocks on the disk.
    package var inboxesAside: [String] {
        let names = (try? SmallFile.names(in: path)) ?? []
        return names.filter { $0.hasPrefix(Self.asidePrefix) }.sorted().map { "\(path)/\($0)/inbox.sqlite" }
            .filter { SmallFile.exists($0) }
    }

    private func putAside(of other: String, for merchant: String) throws(StateDirectoryError) -> String {
        let place = place(of: other)
        // From before the owner was lost, or a backup was put back. It stays, and this one is the merchant's: nothing of it
        // may be left where the next one begins.
        let here = (try? SmallFile.names(in: path)) ?? []
        if here.contains(where: { Self.isMerchants($0) && SmallFile.exists("\(place)/\($0)") }) {
            let free = (1...).lazy.map { "\(place)-\($0)" }.first { !SmallFile.exists($0) } ?? place
            guard rename(place, free) == 0 else {
                throw StateDirectoryError(path: path, reason: "cannot rename \(place) to \(free): \(SystemError.last)")
            }
        }
        guard mkdir(place, 0o750) == 0 || errno == EEXIST else {
            throw StateDirectoryError(path: path, reason: "cannot create \(place): \(SystemError.last)")
        }
        SmallFile.syncFolder(of: place)
        try move(from: path, to: place)
        if Self.holdsInbox(self.place(of: merchant)) {
            try write(merchant)
        } else {
            guard unlink(owner.path) == 0 else {
                throw StateDirectoryError(path: path, reason: "cannot remove \(owner.path): \(SystemError.last)")
            }
            SmallFile.syncFolder(of: owner.path)
        }
        return "the payments of another merchant are put aside: \(place)"
    }

    private func write(_ merchant: String) throws(StateDirectoryError) {
        do { try owner.write(merchant) } catch { throw StateDirectoryError(path: path, reason: "\(error)") }
    }

    /// A file of no bytes, or of the one that SQLite writes first, is what a power cut leaves of one that was about to be made.
    private static func holdsInbox(_ folder: String) -> Bool {
        var attributes = stat()
        return stat("\(folder)/inbox.sqlite", &attributes) == 0 && attributes.st_size > 1
    }

    private static let asidePrefix = "inbox-of-"

    /// A merchant's name may hold what a file's may not.
    private func place(of merchant: String) -> String {
        "\(path)/\(Self.asidePrefix)\(SHA256.hash(of: Array(merchant.utf8)).prefix(8).hexadecimal)"
    }

    /// The database with its log and what was salvaged; and what is of the shop.
    private static func isMerchants(_ name: String) -> Bool {
        name.hasPrefix("inbox.sqlite") || ["day_end", "volume", "quiet_hours"].contains(name)
    }

    /// Moves all that is a merchant's. What is in the way is the newer one, and stays; the files of a database are moved
    /// together or not at all.
    private func move(from source: String, to target: String) throws(StateDirectoryError) {
        let names: [String]
        do throws(SystemError) { names = try SmallFile.names(in: source) } catch {
            guard error.code == ENOENT else { throw StateDirectoryError(path: path, reason: "\(source): \(error)") }
            return
        }
        // The database after its log: as long as it is not there, the rest is to come, whoever was interrupted. A log that
        // came late would be taken for that of the database in its place.
        let isTaken = names.contains("inbox.sqlite") && SmallFile.exists("\(target)/inbox.sqlite")
        for name in names.sorted(by: >) where Self.isMerchants(name) {
            guard !(isTaken && name.hasPrefix("inbox.sqlite")), !SmallFile.exists("\(target)/\(name)") else { continue }
            guard rename("\(source)/\(name)", "\(target)/\(name)") == 0 else {
                throw StateDirectoryError(
                    path: path, reason: "cannot move \(source)/\(name) to \(target): \(SystemError.last)")
            }
        }
        for folder in [target, source] { SmallFile.syncFolder(of: "\(folder)/inbox.sqlite") }
    }
}
