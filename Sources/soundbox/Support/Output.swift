import Glibc

/// One line on standard error, named after the program as Unix tools do.
func printError(_ message: String) {
    put("soundbox: \(message)\n", on: STDERR_FILENO)
}

/// One line on standard output, at once: whoever reads a pipe waits for it.
func printLine(_ text: String) {
    put(text + "\n", on: STDOUT_FILENO)
}

/// Shows how far a long job is, on a line that is written over; nothing where nobody watches.
func showProgress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    // ESC [ K erases what a longer line left behind.
    put("\r\(text)\u{1B}[K", on: STDERR_FILENO)
}

/// Writes unbuffered. Whoever closed the other end does not want to hear more, so failures are ignored.
func put(_ text: String, on descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}
