import Glibc
import SoundboxCore

/// Reports the box's state to the service manager (sd_notify(3)): datagrams of `KEY=value` lines to `$NOTIFY_SOCKET`.
///
///     let systemd = Systemd()
///     systemd.ready()
///     systemd.status("online")
///
/// The protocol is stable and public, and takes a dozen lines; libsystemd would be one more library on the box. Never
/// blocks; any thread.
package struct Systemd: Sendable {
    private let socketPath: String?
    /// How often ``watchdog()`` must be called; `nil` when no watchdog is set.
    package let watchdogInterval: Duration?

    package init(environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
        socketPath = environment("NOTIFY_SOCKET")
        // The watchdog may be meant for another process of the unit (sd_watchdog_enabled(3)).
        let isForUs = environment("WATCHDOG_PID").flatMap { Int32($0) }.map { $0 == getpid() } ?? true
        watchdogInterval =
            isForUs ? environment("WATCHDOG_USEC").flatMap { Int64($0) }.map { .microseconds($0) } : nil
    }

    package func ready() { send("READY=1") }
    package func stopping() { send("STOPPING=1") }
    package func watchdog() { send("WATCHDOG=1") }

    /// Extends the timeout of a start or stop to `time` from now; call it again before it passes. Has no effect once
    /// the service has started: the unit limits no run time.
    package func extendTimeout(_ time: Duration) { send("EXTEND_TIMEOUT_USEC=\(time.nanoseconds / 1000)") }

    /// Shown by `systemctl status`. A line break in it would begin another message, such as `READY=1`.
    package func status(_ text: String) { send("STATUS=\(text.printable)") }

    /// Nothing depends on whether the manager receives it, so failures are ignored. Never blocks.
    private func send(_ message: String) {
        guard let socketPath, !socketPath.isEmpty else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = withUnixAddress(socketPath) { address, length in
            message.withCString {
                sendto(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, length)
            }
        }
    }
}

/// Calls `body` with the address of a Unix socket; a leading `@` stands for the abstract namespace (unix(7)). Returns
/// `nil` when the path is too long.
package func withUnixAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result?
{
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let isAbstract = bytes.first == UInt8(ascii: "@")
    if isAbstract { address.sun_path.0 = 0 }
    // An abstract name has an explicit length; a path ends with a zero byte.
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + bytes.count + (isAbstract ? 0 : 1) }
    return withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(length ?? MemoryLayout<sockaddr_un>.size))
        }
    }
}
