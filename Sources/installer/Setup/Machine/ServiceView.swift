import Glibc
import SoundboxConfiguration
import SoundboxSystem

/// The files as the service sees them: with the rights of its user, and without the folders that its unit hides.
package struct ServiceView: Sendable, Equatable {
    let user: ServiceUser
    /// `ProtectHome=yes` and `PrivateTmp=yes` of soundbox.service.
    var hidden = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

    /// `nil` if the setup is not the service's: in another folder, on a machine without the package, or if the caller
    /// is not root. Blocks on the disk.
    package static func installed(for configurationFile: String) -> ServiceView? {
        guard configurationFile == Configuration.defaultPath else { return nil }
        return ServiceUser.installed.map { ServiceView(user: $0) }
    }

    /// Why the box cannot read a file, in words that follow its path; `nil` if it can. Blocks on the disk.
    func problem(_ path: String) -> String? {
        // The unit's working directory is `/`.
        let path = path.hasPrefix("/") ? path : "/" + path
        if let folder = hidden.first(where: { SmallFile.followingLinks(path).hasPrefix($0 + "/") }) {
            return "the service does not see \(folder); put the file elsewhere, or let setup keep a copy of it"
        }
        do {
            return try user.withItsRights {
                let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                guard descriptor < 0 else {
                    close(descriptor)
                    return nil
                }
                return "the box, which runs as the user \(user.name), cannot read it: \(SystemError.last)"
            }
        } catch {
            // The caller may not change its user. The box reports the problem at its start.
            return nil
        }
    }

    /// Runs `body` with the rights of the box's user, or with the caller's if there is no view.
    static func withRights<Result>(of view: ServiceView?, _ body: () throws -> Result) throws -> Result {
        guard let view else { return try body() }
        return try view.user.withItsRights(body)
    }
}
