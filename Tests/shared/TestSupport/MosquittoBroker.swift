/// A real mosquitto with a configuration of its own, on a free port of 127.0.0.1.
package final class MosquittoBroker: Sendable {
    package let port: Int
    private let process: ChildProcess

    /// Starts a broker and returns once it listens.
    ///
    /// - Parameters:
    ///   - port: listens there; `nil` finds a free one.
    ///   - configuration: further lines of `mosquitto.conf`; the listener's come first.
    package static func start(
        in folder: TemporaryFolder, port: Int? = nil, configuration: [String] = ["allow_anonymous true"]
    ) async throws -> MosquittoBroker {
        // Another program may take a free port before mosquitto does.
        for _ in 1...5 {
            let listener = try port ?? LoopbackSocket.freePort()
            let lines =
                [
                    // Without this, mosquitto started by root becomes a user who cannot read the folder.
                    "user root", "log_dest stderr", "log_type all", "listener \(listener) 127.0.0.1",
                ] + configuration
            let file = try folder.write(lines.joined(separator: "\n") + "\n", to: "mosquitto-\(listener).conf")
            let process = try ChildProcess(["mosquitto", "-c", file])
            do {
                _ = try await process.errors.next { $0.contains(" running") ? $0 : nil }
                return MosquittoBroker(port: listener, process: process)
            } catch let ended as JournalEnded {
                guard port == nil, ended.contents.contains("Address already in use") else { throw ended }
            }
        }
        throw TestFailure("no free port for mosquitto")
    }

    /// Lines that keep sessions and messages over a restart, in `folder`.
    package static func persistence(in folder: TemporaryFolder) -> [String] {
        ["persistence true", "persistence_location \(folder.path)/"]
    }

    private init(port: Int, process: ChildProcess) {
        self.port = port
        self.process = process
    }

    /// What it logs, in order, from the first connection on.
    package var log: Journal<String> { process.errors }

    /// Ends the broker as a power cut would, and waits for its end.
    package func kill() async throws {
        process.kill9()
        _ = try await process.exitStatus()
    }

    /// Ends the broker as `systemctl stop` does and waits for its end.
    package func stop() async throws {
        process.terminate()
        _ = try await process.exitStatus()
    }
}

/// Runs a broker while `body` runs.
package func withMosquitto(
    port: Int? = nil, configuration: [String] = ["allow_anonymous true"], in folder: TemporaryFolder,
    _ body: (MosquittoBroker) async throws -> Void
) async throws {
    let broker = try await MosquittoBroker.start(in: folder, port: port, configuration: configuration)
    do {
        try await body(broker)
    } catch {
        // What went wrong first is what is told.
        try? await broker.stop()
        throw error
    }
    try await broker.stop()
}
