import CLinux
import Glibc

/// The user that the box runs as, for programs of root that examine its files.
///
///     let size = try ServiceUser.installed?.withItsRights { try SmallFile.content(of: path).count }
///
/// Root may read everything, and follows every link. Only with the box's own rights can a program see whether the box
/// can read its password, and links in the box's folders then lead to nothing of root's.
public struct ServiceUser: Sendable, Equatable {
    public let name: String
    public let user: uid_t
    /// The first is the user's primary group.
    public let groups: [gid_t]

    public init(name: String, user: uid_t, groups: [gid_t]) {
        self.name = name
        self.user = user
        self.groups = groups
    }

    /// `nil` if the package has made no such user, or if the process is not root's: it has only its own rights. Blocks
    /// on the disk, or on the services of nsswitch.conf.
    public static var installed: ServiceUser? {
        guard geteuid() == 0, let entry = getpwnam("soundbox")?.pointee else { return nil }
        let (user, group) = (entry.pw_uid, entry.pw_gid)
        var groups = [gid_t](repeating: 0, count: 64)
        var count = Int32(groups.count)
        guard getgrouplist("soundbox", group, &groups, &count) >= 0 else { return nil }
        return ServiceUser(
            name: "soundbox", user: user, groups: [group] + groups.prefix(Int(count)).filter { $0 != group })
    }

    /// Runs `body` with this user's rights to files and no others. The rights belong to the calling thread alone
    /// (setfsuid(2)), so `body` must not leave it; threads that it starts keep them. access(2) uses the rights of the
    /// process all the same: open a file to test it.
    /// - Throws: what `body` throws; ``SystemError`` when this process may not change its rights.
    public func withItsRights<Result>(_ body: () throws -> Result) throws -> Result {
        var own = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(own.count), &own)
        guard count >= 0 else { throw SystemError.last }
        own = Array(own.prefix(Int(count)))
        defer {
            // The process's own rights come back first, and with them the right to change the groups.
            setfsuid(geteuid())
            setfsgid(getegid())
            soundbox_use_file_rights(geteuid(), getegid(), own, own.count)
        }
        let code = soundbox_use_file_rights(user, groups.first ?? gid_t.max, groups, groups.count)
        guard code == 0 else { throw SystemError(code: code) }
        return try body()
    }
}

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
