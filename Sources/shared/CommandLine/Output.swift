import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// Prints one line on standard error, after the program's name.
public func printError(_ message: String) {
    _ = put("\(StandardOutput.program): \(message.printable)\n", on: STDERR_FILENO)
}

/// Prints a line on standard output, unbuffered. The text may have several lines; control characters in it are escaped.
public func printLine(_ text: String) {
    printStyled(
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).printable }.joined(separator: "\n"))
}

/// Like ``printLine(_:)``, for a text with terminal colours. Foreign text in it must be ``Swift/String/printable``.
public func printStyled(_ text: String) {
    StandardOutput.put(text + "\n")
}

/// Shows the progress of a long job on one line that is overwritten; prints nothing if standard error is not a
/// terminal.
public func showProgress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    // ESC [ K erases the rest of a longer line.
    _ = put("\r\(text.printable)\u{1B}[K", on: STDERR_FILENO)
}

/// Standard output of a command. A command fails if its output could not be written completely, so that nobody takes a
/// part for the whole.
///
///     StandardOutput.open(program: "soundbox")
///     printLine("ready")
public enum StandardOutput {
    /// The first error.
    private static let failure = Mutex<SystemError?>(nil)
    private static let name = Mutex("soundbox")

    /// The program's name, which precedes each error.
    static var program: String { name.withLock { $0 } }

    /// Whether output can no longer be written, so that an endless command can stop.
    public static var isLost: Bool { failure.withLock { $0 } != nil }

    /// Call before any file is opened, and before the first `await`, because Swift's pool opens files.
    ///
    /// If a program starts with closed output, the next file that it opens gets the descriptor of the output, and its
    /// answers would be written to this file.
    public static func open(program: String) {
        name.withLock { $0 = program }
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // EBADF is the only error of F_GETFD (fcntl(2)).
            if descriptor == STDOUT_FILENO { failure.withLock { $0 = SystemError(code: EBADF) } }
            // `open` returns the lowest free descriptor, which is this one.
            _ = Glibc.open("/dev/null", O_RDWR)
        }
    }

    /// Writes unbuffered. After an error it drops output, so that a command completes its work.
    public static func put(_ text: String) {
        guard !isLost, let error = SoundboxCommandLine.put(text, on: STDOUT_FILENO) else { return }
        failure.withLock { $0 = error }
    }

    /// Reports lost output.
    /// - Returns: the exit code, instead of `code`.
    static func close(_ code: Int32) -> Int32 {
        // EPIPE: the reader has closed the pipe on purpose (write(2)).
        guard let error = failure.withLock({ $0 }), error.code != EPIPE else { return code }
        printError("standard output cannot be written: \(error)")
        return code == EXIT_SUCCESS ? EXIT_FAILURE : code
    }
}

/// Writes unbuffered.
/// - Returns: why not everything was written; `nil` for success.
private func put(_ text: String, on descriptor: Int32) -> SystemError? {
    var text = text
    return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return SystemError(code: count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return nil
    }
}
