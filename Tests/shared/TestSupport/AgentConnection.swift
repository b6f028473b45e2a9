import Glibc
import SoundboxSystem

/// Talks to the agent in a guest of QEMU (`obey` of `Tests/Board/Guest/functions.sh`) over the guest's virtual serial
/// port, which QEMU offers as a Unix socket.
package final class AgentConnection: Sendable {
    private let descriptor: Int32
    private let lines = Journal<String>()

    /// Connects as soon as the emulator offers the socket, and returns when the agent is there.
    ///
    /// - Throws: ``JournalEnded`` when the guest ends before.
    package init(socket path: String) async throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // QEMU tells nobody when it listens, so ask again; it takes some 100 ms.
        var attempts = 0
        while withUnsafePointer(
            to: &address,
            {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }) != 0
        {
            attempts += 1
            guard attempts < 200 else { throw TestFailure("no connection to \(path): error \(errno)") }
            try await Task.sleep(for: .milliseconds(50))
        }
        startThread(named: "guest-agent") { [descriptor, lines] in
            if let file = fdopen(dup(descriptor), "r") {
                var line: UnsafeMutablePointer<CChar>?
                var capacity = 0
                while getline(&line, &capacity, file) > 0, let line {
                    lines.append(String(String(cString: line).dropLast()))
                }
                free(line)
                fclose(file)
            }
            lines.finish()
        }
        _ = try await lines.next { $0 == "=ready" ? $0 : nil }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// - Parameter command: one line for the shell.
    /// - Returns: what it printed, and its exit code.
    package func run(_ command: String) async throws -> (output: [String], code: Int) {
        let text = command + "\n"
        guard write(descriptor, text, text.utf8.count) == text.utf8.count else {
            throw TestFailure("the guest takes no commands: error \(errno)")
        }
        var output: [String] = []
        while true {
            let line = try await lines.next()
            if let code = line.hasPrefix("=") ? Int(line.dropFirst()) : nil { return (output, code) }
            output.append(String(line.dropFirst()))
        }
    }
}
