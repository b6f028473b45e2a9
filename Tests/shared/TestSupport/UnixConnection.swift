import Glibc
import SoundboxSystem

/// One client of a Unix socket, byte by byte, as no polite program would be.
package final class UnixConnection: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` when the server takes no connection for now.
    package init?(to path: String) throws {
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw TestFailure("socket failed: error \(errno)") }
        if withUnixAddress(path, { connect(descriptor, $0, $1) }) != 0 { return nil }
    }

    /// Connects as soon as the server listens: nothing tells when it does, and its socket is there a moment before.
    package static func opened(to path: String) async throws -> UnixConnection {
        while true {
            if let connection = try UnixConnection(to: path) { return connection }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    deinit { close(descriptor) }

    package func send(_ text: String) { send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Says that nothing follows, and still reads.
    package func sendLast(_ text: String) {
        send(text)
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Neither sends nor reads any more.
    package func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads what the server sends, piece by piece, until it hangs up; the journal is finished then. To be called once.
    package func received() -> Journal<String> {
        let pieces = Journal<String>()
        startThread(named: "unix-connection") { [self] in
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                _ = poll(&waited, 1, -1)
                let count = read(descriptor, &bytes, bytes.count)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0 else { break }
                pieces.append(String(decoding: bytes.prefix(count), as: UTF8.self))
            }
            pieces.finish()
        }
        return pieces
    }

    /// Whether the server has hung up.
    package var isOver: Bool {
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
