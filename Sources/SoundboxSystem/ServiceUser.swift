import CLinux
import Glibc

/// The user that the box runs as, for programs of root's that look at its files.
///
/// Root may read everything, and follows every link. Whether the box can read its password is seen only with the box's
/// own rights; and what the box's user has put into its folders reaches nothing of root's then.
public struct ServiceUser: Sendable, Equatable {
    public let name: String
    public let user: uid_t
    /// The first is the user's own.
    public let groups: [gid_t]

    public init(name: String, user: uid_t, groups: [gid_t]) {
        self.name = name
        self.user = user
        self.groups = groups
    }

    /// `nil` where the package has made no such user, or for a process that is not root's: it has no other rights than
    /// its own. Blocks on the disk, or on whatever nsswitch.conf names.
    public static var installed: ServiceUser? {
        guard geteuid() == 0, let entry = getpwnam("soundbox")?.pointee else { return nil }
        let (user, group) = (entry.pw_uid, entry.pw_gid)
        var groups = [gid_t](repeating: 0, count: 64)
        var count = Int32(groups.count)
        guard getgrouplist("soundbox", group, &groups, &count) >= 0 else { return nil }
        return ServiceUser(
            name: "soundbox", user: user, groups: [group] + groups.prefix(Int(count)).filter { $0 != group })
    }

    /// Runs `body` with this user's rights to files and no others. They are the calling thread's alone (setfsuid(2)), so
    /// `body` must not leave it; threads that it starts keep them. access(2) asks for the rights of the process all the
    /// same: open a file to try it.
    /// - Throws: what `body` throws; ``SystemError`` when this process may not take on another's rights.
    public func withItsRights<Result>(_ body: () throws -> Result) throws -> Result {
        var own = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(own.count), &own)
        guard count >= 0 else { throw SystemError.last }
        own = Array(own.prefix(Int(count)))
        defer {
            // The own rights come back first, and with them the right to change the groups.
            setfsuid(geteuid())
            setfsgid(getegid())
            soundbox_use_file_rights(geteuid(), getegid(), own, own.count)
        }
        let code = soundbox_use_file_rights(user, groups.first ?? gid_t.max, groups, groups.count)
        guard code == 0 else { throw SystemError(code: code) }
        return try body()
    }
}
