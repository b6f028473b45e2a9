import Glibc
import SoundboxBox
import SoundboxConfiguration
import SoundboxSystem
import SoundboxYAML

/// The owners of a setup's files, and the service that must read them.
package struct SetupOwners: Sendable, Equatable {
    var files = FileOwners()
    /// If set, the folder belongs to the package, and setup corrects its owner and mode. `nil` for a setup in another
    /// folder.
    var service: ServiceView?

    /// The owners on this machine. Blocks on the disk.
    static func installed(for configurationFile: String) -> SetupOwners {
        SetupOwners(files: .installed, service: .installed(for: configurationFile))
    }
}

extension SetupPlan {
    /// The files that differ from the installed ones in content, owner or mode. Blocks on the disk.
    public var changes: [File] { changes(for: .installed(for: path)) }

    /// Writes the files that differ. The previous `soundbox.yaml`, with its comments, stays as `soundbox.yaml.old`.
    /// Corrects the owner and mode of unchanged files. Blocks on the disk.
    /// - Returns: the paths that changed.
    /// - Throws: also if the box could not read a file in another folder; nothing is written then.
    @discardableResult
    public func write() throws -> [String] { try write(for: .installed(for: path)) }

    func changes(for owners: SetupOwners) -> [File] {
        files.filter { file in
            // Outside of root's folder, the path could lead to another file before its owner is changed.
            guard file.content != nil || owners.service != nil || owners.files == FileOwners() else { return false }
            return !isInstalled(file, owner: owner(of: file, owners))
        }
    }

    func write(for owners: SetupOwners) throws -> [String] {
        for other in others {
            if let problem = owners.service?.problem(other) { throw SetupError("\(other): \(problem)") }
        }
        try SmallFile.createFolder(of: path, mode: 0o750, owner: owners.files.settings)
        return try SetupLock.hold(beside: path) { try writeLocked(for: owners) }
    }

    private func writeLocked(for owners: SetupOwners) throws -> [String] {
        try Provisioning.finishResetLocked(path, besides: files.filter { $0.content == nil }.map(\.path) + others)
        let installed = InstalledSetup(path)
        guard installed == basis else {
            throw SetupError("\(path) has changed since this setup was begun; nothing was written, begin again")
        }
        let folder = SmallFile.folder(of: path)
        // A link belongs to an administrator, and so does the folder that it leads to.
        if owners.service != nil, isOf(S_IFDIR, folder) {
            try SmallFile.giveBack(folder, mode: 0o750, owner: owners.files.settings)
        }
        let changes = changes(for: owners)
        // A mix of the new and the old setup could send a password to the wrong broker. So no file that the installed
        // setup names is replaced, and soundbox.yaml is replaced last. All content is on the disk before that, so that
        // a full disk changes nothing.
        var prepared: [String] = []
        var hasOld = false
        do {
            for file in changes {
                guard let content = file.content else { continue }
                // Before the files of the previous soundbox.yaml.old are replaced.
                if file.path == path {
                    hasOld = try prepareOld(content, owners)
                    if hasOld { prepared.insert("\(path).old", at: 0) }
                }
                try prepare(content, of: file, owners)
                prepared.append(file.path)
            }
        } catch {
            for path in prepared { SmallFile.discard(path) }
            throw error
        }
        let older = InstalledSetup("\(path).old")
        for (index, path) in prepared.enumerated() {
            do { try SmallFile.commit(path) } catch {
                for path in prepared[index...] { SmallFile.discard(path) }
                throw error
            }
        }
        if hasOld { forget(older, for: installed) }
        // Sign out the phones of another shop.
        if owners.service != nil, installed.merchant != InstalledSetup(text: text).merchant {
            unlink(ShopPageSettings.sessionsFile(in: ShopPageSettings.installedFolder))
        }
        for file in changes where file.content == nil {
            try SmallFile.giveBack(file.path, mode: mode_t(file.mode), owner: owner(of: file, owners))
        }
        for file in files {
            guard let problem = owners.service?.problem(file.path) else { continue }
            throw SetupError("the setup is written, but \(file.path): \(problem)")
        }
        return changes.map(\.path)
    }

    private func owner(of file: File, _ owners: SetupOwners) -> FileOwner? {
        file.isSecret ? owners.files.secrets : owners.files.settings
    }

    /// - Returns: whether an installed setup will become the old one.
    private func prepareOld(_ planned: String, _ owners: SetupOwners) throws -> Bool {
        guard let installed = try? SmallFile.read(path), !saysTheSame(installed, planned) else { return false }
        try SmallFile.prepare("\(path).old", with: installed, mode: 0o640, owner: owners.files.settings)
        return true
    }

    private func prepare(_ planned: String, of file: File, _ owners: SetupOwners) throws {
        var content = planned
        if file.path == path, let installed = try? SmallFile.read(path), saysTheSame(installed, planned) {
            content = installed
        }
        try SmallFile.prepare(file.path, with: content, mode: mode_t(file.mode), owner: owner(of: file, owners))
    }

    /// Removes files that only the setup before the last one names.
    private func forget(_ older: InstalledSetup, for before: InstalledSetup) {
        let planned = InstalledSetup(text: text)
        for name in SetupPart.all.flatMap(\.files) {
            let file = "\(SmallFile.folder(of: path))/\(name)"
            if older.names(file), !before.names(file), !planned.names(file) { unlink(file) }
        }
    }

    private func isInstalled(_ file: File, owner: FileOwner?) -> Bool {
        var attributes = stat()
        guard let planned = file.content else {
            // A missing file has no owner to correct, and the target of a link belongs to somebody else.
            guard isOf(S_IFREG, file.path), stat(file.path, &attributes) == 0 else { return true }
            return isOwned(attributes, file, owner)
        }
        guard stat(file.path, &attributes) == 0, isOwned(attributes, file, owner),
            let content = try? SmallFile.read(file.path)
        else { return false }
        return content == planned || file.path == path && saysTheSame(content, planned)
    }

    private func isOf(_ kind: mode_t, _ path: String) -> Bool {
        var attributes = stat()
        return lstat(path, &attributes) == 0 && attributes.st_mode & S_IFMT == kind
    }

    private func isOwned(_ attributes: stat, _ file: File, _ owner: FileOwner?) -> Bool {
        attributes.st_mode & 0o7777 == mode_t(file.mode)
            && owner.map { attributes.st_uid == $0.user && attributes.st_gid == $0.group } ?? true
    }

    /// Whether two configurations differ only in form and comments. Such a file is not replaced.
    private func saysTheSame(_ installed: String, _ planned: String) -> Bool {
        guard let installed = try? YAMLDocument(parsing: installed, file: "installed"),
            let planned = try? YAMLDocument(parsing: planned, file: "planned")
        else { return false }
        return installed == planned
    }
}

extension SetupPlan.File {
    init(_ part: SetupPart, path: String, content: String?) {
        self.init(path: path, content: content, mode: part.isSecret ? 0o600 : 0o644, isSecret: part.isSecret)
    }
}
