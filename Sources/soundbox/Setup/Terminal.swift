import Glibc
import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup
import SoundboxSystem

/// The person at the keyboard, or the script in their place.
enum Terminal {
    /// Colours are for people (https://no-color.org).
    static var outputIsColored: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    /// How many columns the output has; 80 where it is no terminal, or one that does not tell.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

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
        try await onOwnThread(named: "terminal") {
            var settings = termios()
            if isSecret, tcgetattr(STDIN_FILENO, &settings) == 0 { return askSecretly(question, settings) }
            StandardOutput.put(question.printable)
            return readLine()
        }
    }

    /// Reads a line without echo.
    ///
    /// Ctrl-C would end the program and leave the terminal without echo. So it ends the line instead (`VEOL`,
    /// termios(3)), and ends the program when the terminal has its settings back.
    private static func askSecretly(_ question: String, _ settings: termios) -> String? {
        var settings = settings
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        let interrupt = withUnsafeBytes(of: settings.c_cc) { $0[Int(VINTR)] }
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        usualSettings = settings
        for number in [SIGTERM, SIGHUP] { signal(number, restoreAndEnd) }
        // Echo first: whoever sees the question may type.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        StandardOutput.put(question.printable)
        let line = readTerminalLine()
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        for number in [SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        StandardOutput.put("\n")
        if line.last == interrupt {
            kill(getpid(), SIGINT)
            return nil
        }
        return line.isEmpty
            ? nil : String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line, as: UTF8.self)
    }

    /// Signals that come from elsewhere. Calls nothing but what signal-safety(7) lists.
    private static let restoreAndEnd: @convention(c) (Int32) -> Void = { number in
        tcsetattr(STDIN_FILENO, TCSANOW, &usualSettings)
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }

    /// A terminal hands out one line per call, up to 4,096 bytes with its end. Empty at the input's end.
    private static func readTerminalLine() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return Array(bytes.prefix(max(0, count)))
        }
    }
}

/// How the terminal was before a secret was asked for. Written by the one thread that asks, before the handler that
/// reads it is set.
nonisolated(unsafe) private var usualSettings = termios()
