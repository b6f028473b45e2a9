import Glibc
import SoundboxSystem
import Synchronization

/// A TCP relay on 127.0.0.1 that can break every connection in the middle of a packet.
package final class CuttingProxy: Sendable {
    package let port: Int
    private let target: Int
    private let listener: Int32
    private let control = Mutex(Control())

    private struct Control {
        /// Bytes that still pass, in both directions together; `nil` lets everything pass.
        var remaining: Int?
        var cuts = 0
        /// What each connection has sent on to the target.
        var sent: [[UInt8]] = []
    }

    /// - Parameter target: a port of 127.0.0.1; nothing need listen there yet.
    package init(target: Int) throws {
        self.target = target
        listener = try LoopbackSocket.listen()
        port = try LoopbackSocket.port(of: listener)
        startThread(named: "proxy-accept") { [weak self, listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard let self else {
                    close(client)
                    break
                }
                self.serve(client)
            }
            // Here and not where it is shut down: its number would be another test's before this thread asks again.
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// After so many more bytes the connections of that moment end abruptly; later ones are whole again.
    package func cut(afterBytes count: Int) { control.withLock { $0.remaining = count } }

    /// How often a connection was cut so far.
    package var cuts: Int { control.withLock { $0.cuts } }

    /// The bytes that reached the target, one element for each connection.
    package var sentToTarget: [[UInt8]] { control.withLock { $0.sent } }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard LoopbackSocket.connect(server, to: target) else {
            close(client)
            close(server)
            return
        }
        let number = control.withLock { control in
            control.sent.append([])
            return control.sent.count - 1
        }
        startThread(named: "proxy") { [self] in
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&ends, 2, -1) >= 0 || errno == EINTR {
                if ends[0].revents != 0, !relay(from: client, to: server, recordedAs: number) { break }
                if ends[1].revents != 0, !relay(from: server, to: client) { break }
            }
            // Reset instead of an orderly end, as when a router forgets the connection.
            for end in [client, server] {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(end, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
                close(end)
            }
        }
    }

    /// - Returns: whether the connection lives on.
    private func relay(from source: Int32, to sink: Int32, recordedAs number: Int? = nil) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        let (passing, isCut) = control.withLock { control in
            guard let remaining = control.remaining else { return (count, false) }
            control.remaining = remaining > count ? remaining - count : nil
            control.cuts += remaining > count ? 0 : 1
            return (min(remaining, count), remaining <= count)
        }
        var sent = 0
        while sent < passing {
            let written = buffer.withUnsafeBytes {
                send(sink, $0.baseAddress! + sent, passing - sent, Int32(MSG_NOSIGNAL))
            }
            guard written > 0 else { return false }
            sent += written
        }
        if let number { control.withLock { $0.sent[number] += buffer.prefix(passing) } }
        return !isCut
    }
}
