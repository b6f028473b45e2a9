import Glibc
import SoundboxCore
import SoundboxSystem

/// Which merchant the inbox belongs to. If a box is given to another merchant, the payments waiting for the one before
/// must not be spoken or shown in the next shop, and the next shop must not inherit the volume and quiet hours. The
/// device id does not matter: a renamed box, or one moved within a chain, still has its shop's payments to speak.
extension StateDirectory {
    /// Beside the inbox: the merchant that it belongs to. Written once the inbox exists.
    private var owner: SummedLine { SummedLine(path: "\(path)/owner", limit: 1 << 17) }

    /// Moves another merchant's files aside: the inbox, the day announced last, and what was set at the box. Restores
    /// this merchant's files if they were moved aside before. Call it before anything opens them.
    ///
    /// Each file is renamed, and the owner changes when the other merchant's files are away. After a kill in between,
    /// the next start does the rest, since it sees the old owner. An inbox of unknown owner becomes this merchant's:
    /// what waits in it is more likely this shop's than another one's. Blocks on the disk.
    /// - Returns: a line for the log; `nil` when nothing had to be moved.
    package func claim(for merchant: String) throws(StateDirectoryError) -> String? {
        var note: String?
        var known: [UInt8]?
        do { known = try owner.read() } catch {
            note = "\(error): the payments here count as those of \(merchant)"
        }
        // Byte by byte: topics distinguish texts that Unicode considers equal.
        if let other = known.map({ String(decoding: $0, as: UTF8.self) }), !other.utf8.elementsEqual(merchant.utf8) {
            note = try putAside(of: other, for: merchant)
        }
        try move(from: place(of: merchant), to: path)
        // Nothing may be kept for a merchant whom the next start would not know.
        if known == nil, Self.holdsInbox(path) { try write(merchant) }
        return note
    }

    /// Whether there was an inbox here: if there is none now, payments may be lost. `false` before the first start has
    /// made one, and when another merchant's was moved aside. Call it after ``claim(for:)``.
    package var expectsInbox: Bool { Self.expectsInbox(in: path) }

    /// The same for a box that may be running.
    package static func expectsInbox(in folder: String) -> Bool { SmallFile.exists("\(folder)/owner") }

    /// Stores the merchant, now that there is an inbox. Call it after ``claim(for:)``. Blocks on the disk.
    package func storeOwner(_ merchant: String) throws(StateDirectoryError) {
        guard ((try? owner.read()) ?? nil) == nil else { return }
        try write(merchant)
    }

    /// The inboxes that were moved aside. Blocks on the disk.
    package var inboxesAside: [String] {
        let names = (try? SmallFile.names(in: path)) ?? []
        return names.filter { $0.hasPrefix(Self.asidePrefix) }.sorted().map { "\(path)/\($0)/inbox.sqlite" }
            .filter { SmallFile.exists($0) }
    }

    private func putAside(of other: String, for merchant: String) throws(StateDirectoryError) -> String {
        let place = place(of: other)
        // From before the owner was lost, or from a restored backup. It stays, and the files here are this merchant's:
        // none of them may be left where the next merchant begins.
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

    /// A file without bytes, or with the one byte that SQLite writes first, is what a power cut leaves of a file that
    /// was being made.
    private static func holdsInbox(_ folder: String) -> Bool {
        var attributes = stat()
        return stat("\(folder)/inbox.sqlite", &attributes) == 0 && attributes.st_size > 1
    }

    private static let asidePrefix = "inbox-of-"

    /// Hashed, because a merchant's name may contain what a file name must not.
    private func place(of merchant: String) -> String {
        "\(path)/\(Self.asidePrefix)\(SHA256.hash(of: Array(merchant.utf8)).prefix(8).hexadecimal)"
    }

    /// The database with its log and what was salvaged, and the shop's settings.
    private static func isMerchants(_ name: String) -> Bool {
        name.hasPrefix("inbox.sqlite") || ["day_end", "volume", "quiet_hours"].contains(name)
    }

    /// Moves all files of a merchant. A file that exists at the target is newer and stays; the files of a database are
    /// moved together or not at all.
    private func move(from source: String, to target: String) throws(StateDirectoryError) {
        let names: [String]
        do throws(SystemError) { names = try SmallFile.names(in: source) } catch {
            guard error.code == ENOENT else { throw StateDirectoryError(path: path, reason: "\(source): \(error)") }
            return
        }
        // The database is moved after its log: while it is missing, an interrupted move can be continued. A log that
        // came later would be taken for that of the database in its place.
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
