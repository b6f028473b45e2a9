import TestSupport

/// A sound server of one test's own, with a sink that plays nothing, at the speed of a card.
struct PulseAudio {
    let process: ChildProcess
    private let folder: TemporaryFolder

    /// Returns when it takes sound at `pulse.sock` in the folder.
    init(in folder: TemporaryFolder) async throws {
        self.folder = folder
        process = try ChildProcess(
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=debug",
                "-L", "module-native-protocol-unix socket=\(folder.file("pulse.sock")) auth-anonymous=1",
                "-L", "module-null-sink",
            ], environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path])
        try await process.logged("Daemon startup complete")
    }

    /// Lines of `asound.conf`: the device `shop`, which plays on the server in `folder`.
    ///
    /// - Parameter capture: what the server takes is in this file as well, as samples; begun anew with each opening.
    static func shop(in folder: TemporaryFolder, capture: String) -> String {
        """
        pcm.shop { type file, slave.pcm "server", file "\(capture)", format raw }
        pcm.server { type pulse, server "unix:\(folder.file("pulse.sock"))" }

        """
    }

    func stop() { process.terminate() }

    /// Ends it as a crash would, and waits.
    func kill() async throws {
        process.kill9()
        _ = try await process.exitStatus()
    }

    /// How loud its sink is, 65536 being full, and whether it is on.
    func reading() async throws -> (loudness: Int, isOn: Bool) {
        let volume = try await ask("get-sink-volume", "@DEFAULT_SINK@")
        // Volume: front-left: 32768 /  50% / -18.06 dB, …
        guard let loudness = volume.firstMatch(of: /: ([0-9]+) \//).flatMap({ Int($0.1) }) else {
            throw TestFailure("pactl says: \(volume)")
        }
        let isMuted = try await ask("get-sink-mute", "@DEFAULT_SINK@").contains("yes")
        return (loudness, !isMuted)
    }

    /// Turns its sink down and mutes it, as somebody with another program would.
    func silence() async throws {
        _ = try await ask("set-sink-volume", "@DEFAULT_SINK@", "0")
        _ = try await ask("set-sink-mute", "@DEFAULT_SINK@", "1")
    }

    private func ask(_ words: String...) async throws -> String {
        let child = try ChildProcess(["pactl", "--server", "unix:\(folder.file("pulse.sock"))"] + words)
        guard try await child.exitStatus() == 0 else { throw TestFailure("pactl \(words): \(child.errors.entries)") }
        return try await child.output.all().joined(separator: "\n")
    }
}
