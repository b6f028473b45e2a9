import Glibc
import SoundboxSystem
import Synchronization

/// A program on a terminal of its own, as a person at a keyboard has it: its input is echoed, and Ctrl-C interrupts.
package final class TerminalSession: Sendable {
    private struct Screen {
        var bytes: [UInt8] = []
        /// Where the next search begins.
        var position = 0
    }

    /// `POSIX_SPAWN_SETSID` of spawn.h, which shows it to GNU sources only.
    private static let ownSession: Int32 = 0x80

    package let id: pid_t
    private let keyboard: Int32
    private let pieces = Journal<[UInt8]>()
    private let screen = Mutex(Screen())
    private let status = Journal<Int32>()

    /// Starts `arguments[0]`, found by `PATH`, as the leader of a session whose terminal this is.
    package init(_ arguments: [String], environment: [String: String] = [:]) throws {
        var keyboard: Int32 = -1
        var terminal: Int32 = -1
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&keyboard, &terminal, &name, nil, nil) == 0 else {
            throw TestFailure("there is no terminal to be had: error \(errno)")
        }
        self.keyboard = keyboard
        _ = fcntl(keyboard, F_SETFD, FD_CLOEXEC)
        defer { close(terminal) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens becomes its own.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        do {
            id = try spawn(arguments, environment: environment, &actions, flags: Self.ownSession)
        } catch {
            close(keyboard)
            throw error
        }
        startThread(named: "terminal-screen") { [keyboard, pieces] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            // EIO when nobody has the terminal open any more.
            while case let count = read(keyboard, &bytes, bytes.count), count > 0 {
                pieces.append(Array(bytes.prefix(count)))
            }
            pieces.finish()
        }
        awaitExit(of: id, status)
    }

    deinit { close(keyboard) }

    /// Types keys; Enter is `\n`, Ctrl-C is `\u{3}`.
    package func type(_ keys: String) { _ = keys.withCString { write(keyboard, $0, strlen($0)) } }

    /// Waits until this text appears behind what was waited for before.
    /// - Throws: ``JournalEnded`` when the program has ended without it.
    package func shown(_ text: String) async throws {
        let pattern = Array(text.utf8)
        while true {
            let isThere = screen.withLock { screen in
                guard let found = screen.bytes[screen.position...].firstRange(of: pattern) else { return false }
                screen.position = found.upperBound
                return true
            }
            if isThere { return }
            let piece: [UInt8]
            do { piece = try await pieces.next() } catch is JournalEnded {
                throw JournalEnded(contents: "\"\(text)\" did not appear in:\n\(seen)")
            }
            screen.withLock { $0.bytes += piece }
        }
    }

    /// Everything that was on the screen. Waits for the program to end.
    package func wholeScreen() async throws -> String {
        while true {
            let piece: [UInt8]
            do { piece = try await pieces.next() } catch is JournalEnded { return seen }
            screen.withLock { $0.bytes += piece }
        }
    }

    private var seen: String { screen.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Whether what is typed appears on the screen.
    package var echoes: Bool {
        var settings = termios()
        return tcgetattr(keyboard, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits for its end. One caller.
    /// - Returns: as ``ChildProcess/exitStatus()``.
    package func exitStatus() async throws -> Int32 { try await status.next() }
}
