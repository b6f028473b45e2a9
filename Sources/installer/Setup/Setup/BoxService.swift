import Glibc
import Subprocess

/// The box's systemd service.
public enum BoxService {
    /// Restarts the box, so that a new setup takes effect. Does nothing if systemd does not run.
    /// - Returns: what happened, for the installer.
    public static func restart() async throws(SetupError) -> String {
        guard access("/run/systemd/system", F_OK) == 0 else {
            return "systemd does not run here; start the box with: soundbox run"
        }
        do {
            let result = try await Subprocess.run(
                .name("systemctl"), arguments: ["restart", "soundbox.service"], output: .discarded,
                error: .string(limit: 65_536))
            guard result.terminationStatus.isSuccess else {
                throw SetupError(result.standardError.trimmed.replacing("\n", with: "; "))
            }
        } catch {
            throw SetupError("the setup is written; the box could not be restarted: \(error)")
        }
        return "the box was restarted with the new setup"
    }
}
