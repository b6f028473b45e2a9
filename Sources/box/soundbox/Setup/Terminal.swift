import Glibc
import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup
import SoundboxSystem

/// Input and output of a person, or of a script.
enum Terminal {
    /// Colours only on a terminal, and not with NO_COLOR (https://no-color.org).
    static var outputIsColored: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    /// The columns of the output; 80 if it is not a terminal or does not report them.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Asks on standard output and waits for a line.
    ///
    /// - Parameter isSecret: whether the input is hidden.
    /// - Throws: at the end of the input.
    static func ask(_ question: String, isSecret: Bool = false) async throws -> String {
        guard let line = try await answer(to: question, isSecret: isSecret) else {
            throw SetupError("the input ended before the last answer; nothing was changed")
        }
        return line
    }

    /// Like ``ask(_:isSecret:)``; `nil` at the end of the input.
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
    /// Ctrl-C would end the program and leave the terminal without echo. So it ends the line (`VEOL`,
    /// termios(3)), and the program ends after the settings are restored.
    private static func askSecretly(_ question: String, _ settings: termios) -> String? {
        var settings = settings
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        let interrupt = withUnsafeBytes(of: settings.c_cc) { $0[Int(VINTR)] }
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        usualSettings = settings
        for number in [SIGTERM, SIGHUP] { signal(number, restoreAndEnd) }
        // Switch the echo off first: the person may type as soon as the question appears.
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

    /// Handles signals from other processes. Calls only functions of signal-safety(7).
    private static let restoreAndEnd: @convention(c) (Int32) -> Void = { number in
        tcsetattr(STDIN_FILENO, TCSANOW, &usualSettings)
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }

    /// Reads one line; a terminal returns at most 4,096 bytes per line. Empty at the end of the input.
    private static func readTerminalLine() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return Array(bytes.prefix(max(0, count)))
        }
    }
}

/// The settings of the terminal before the echo was switched off. Written by the asking thread before the signal
/// handler is set, which reads it.
nonisolated(unsafe) private var usualSettings = termios()
