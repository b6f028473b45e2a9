import Glibc
import SoundboxCore
import SoundboxSystem
import Synchronization

/// One line on standard error, named after the program as Unix tools do.
public func printError(_ message: String) {
    _ = put("\(StandardOutput.program): \(message.printable)\n", on: STDERR_FILENO)
}

/// One line on standard output, at once: whoever reads a pipe waits for it. The text may have lines of its own; texts
/// from outside in it do not drive the terminal.
public func printLine(_ text: String) {
    printStyled(
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).printable }.joined(separator: "\n"))
}

/// As ``printLine(_:)``, for a text with colours of ours, in which texts from outside are ``Swift/String/printable``.
public func printStyled(_ text: String) {
    StandardOutput.put(text + "\n")
}

/// Shows how far a long job is, on a line that is written over; nothing where nobody watches.
public func showProgress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    // ESC [ K erases what a longer line left behind.
    _ = put("\r\(text.printable)\u{1B}[K", on: STDERR_FILENO)
}

/// What a command answers with. An answer that could not be written is a failure of the command, however well it did
/// its work: whoever reads the half of it must not take it for all.
public enum StandardOutput {
    /// The first error that was met.
    private static let failure = Mutex<SystemError?>(nil)
    private static let name = Mutex("soundbox")

    /// Whose output it is: its name stands before each error.
    static var program: String { name.withLock { $0 } }

    /// Whether nothing that is written is read any more; endless input is then read in vain.
    public static var isLost: Bool { failure.withLock { $0 } != nil }

    /// To be called before any file is opened, and so before the program's first `await`: Swift's pool opens some.
    ///
    /// If a program is started with its output closed, the next file that it opens takes the output's place, and its
    /// answers are written into that file.
    public static func open(program: String) {
        name.withLock { $0 = program }
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The one error that this call has (fcntl(2)).
            if descriptor == STDOUT_FILENO { failure.withLock { $0 = SystemError(code: EBADF) } }
            // The lowest free descriptor is this one.
            _ = Glibc.open("/dev/null", O_RDWR)
        }
    }

    /// Writes unbuffered, and goes on without output after an error: a command that has begun its work ends it.
    public static func put(_ text: String) {
        guard !isLost, let error = SoundboxCommandLine.put(text, on: STDOUT_FILENO) else { return }
        failure.withLock { $0 = error }
    }

    /// Tells of output that was lost.
    /// - Returns: the exit code to end with instead of `code`.
    static func close(_ code: Int32) -> Int32 {
        // Whoever closed the other end does not want to hear more (write(2), EPIPE).
        guard let error = failure.withLock({ $0 }), error.code != EPIPE else { return code }
        printError("standard output cannot be written: \(error)")
        return code == EXIT_SUCCESS ? EXIT_FAILURE : code
    }
}

/// Writes unbuffered.
/// - Returns: why not all of it was written; `nil` when it was.
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
