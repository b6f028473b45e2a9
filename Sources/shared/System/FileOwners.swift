import Glibc

/// User and group of a file.
public struct FileOwner: Sendable, Equatable {
    public var user: uid_t
    public var group: gid_t

    public init(user: uid_t, group: gid_t) {
        self.user = user
        self.group = group
    }
}

/// The owners of installed files, if the package has made the user `soundbox`; otherwise everything belongs to the user
/// who runs setup, as trials in a folder need it.
public struct FileOwners: Sendable, Equatable {
    /// For settings that the box reads and does not change: root:soundbox.
    public var settings: FileOwner?
    /// For secrets, which only the box reads: soundbox:soundbox.
    public var secrets: FileOwner?

    public init(settings: FileOwner? = nil, secrets: FileOwner? = nil) {
        self.settings = settings
        self.secrets = secrets
    }

    /// Looks the user up. Blocks on the disk, or on the services of nsswitch.conf.
    public static var installed: FileOwners {
        guard geteuid() == 0, let entry = getpwnam("soundbox")?.pointee else { return FileOwners() }
        return FileOwners(
            settings: FileOwner(user: 0, group: entry.pw_gid),
            secrets: FileOwner(user: entry.pw_uid, group: entry.pw_gid))
    }
}
