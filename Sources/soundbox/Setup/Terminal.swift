import Glibc
import SoundboxRuntime
import SoundboxSystem

/// The person at the keyboard, or the script in their place.
enum Terminal {
    /// Colours are for people (https://no-color.org).
    static var outputIsColored: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    /// Asks on standard output and waits for a line.
    ///
    /// - Parameter isSecret: what is typed does not appear on the screen.
    /// - Throws: when the input has ended.
    static func ask(_ question: String, isSecret: Bool = false) async throws -> String {
        guard let line = try await answer(to: question, isSecret: isSecret) else {
            throw SetupError("the input ended before the last answer; nothing was changed")
        }
        return line
    }

    /// Asks as ``ask(_:isSecret:)`` does; `nil` when the input has ended.
    static func answer(to question: String, isSecret: Bool = false) async throws -> String? {
        put(question, on: STDOUT_FILENO)
        return try await onOwnThread(named: "terminal") { isSecret ? withoutEcho { readLine() } : readLine() }
    }

    /// Does what getpass(3) does: no echo, and no Ctrl-C that would leave the terminal without one.
    private static func withoutEcho(_ body: () -> String?) -> String? {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return body() }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            put("\n", on: STDOUT_FILENO)
        }
        return body()
    }
}
