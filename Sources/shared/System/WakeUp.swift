import Glibc

/// Ends another thread's `poll`. It owns a pair of sockets; a byte in the pair is the signal.
///
///     let wakeUp = try WakeUp()
///     startThread(named: "waiter") { wakeUp.wait(atMost: .seconds(60)) }
///     wakeUp.signal()
///
/// It uses sockets because Swift's Glibc module imports neither `eventfd` nor `pipe2`, and a plain `pipe` could leak
/// its descriptors into a child process.
public final class WakeUp: Sendable {
    /// Readable while there is a signal; for `poll`.
    public let descriptor: Int32
    private let writeEnd: Int32

    /// - Throws: when the process has no file descriptor left.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError.last }
        descriptor = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    /// Never blocks; any thread; harmless when called again. A full pair holds a signal already.
    public func signal() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Removes all signals so far.
    public func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    /// Sleeps until there is a signal or the time has passed, and removes the signal.
    public func wait(atMost timeout: Duration) {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waited, 1, timeout.pollMilliseconds)
        clear()
    }
}
