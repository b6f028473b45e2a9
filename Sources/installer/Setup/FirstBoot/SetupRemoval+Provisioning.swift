import SoundboxBox

extension SetupRemoval {
    /// Removes the setup. A service has no rights to do so: it writes a request to its state folder, and the
    /// unit then runs `setup reset --if-requested` as root. Blocks on the disk.
    ///
    /// - Parameter reset: removes the setup; see ``Provisioning/reset(_:)``.
    package init(
        of configurationFile: String, stateDirectory: String,
        reset: (String) throws -> [String] = { try Provisioning.reset($0) }
    ) throws {
        do {
            _ = try reset(configurationFile)
            self = .removed
        } catch {
            try ResetRequest(of: configurationFile, in: stateDirectory).write()
            self = .requested(reason: "\(error)")
        }
    }
}
