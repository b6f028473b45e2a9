import Glibc
import TestSupport

/// One client of a Unix socket, byte by byte, as no polite program would be.
final class UnixConnection: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` when the server takes no connection for now.
    init?(to path: String) throws {
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw TestFailure("socket failed: error \(errno)") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code != 0 { return nil }
    }

    /// Connects as soon as the server listens: nothing tells when it does, and its socket is there a moment before.
    static func opened(to path: String) async throws -> UnixConnection {
        while true {
            if let connection = try UnixConnection(to: path) { return connection }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    /// Whether the server has hung up.
    var isOver: Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, 0) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            if count > 0 { continue }
            return count == 0 || errno != EAGAIN
        }
    }
}
