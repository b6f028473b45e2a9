import Glibc
import SoundboxSystem
import Synchronization
import TestSupport

/// Stands between a box and a broker, and answers to MQTT 5, when it is broken, with a property that MQTT does not know:
/// libmosquitto then aborts the process. MQTT 3.1.1 passes.
final class AbortingBroker: Sendable {
    let port: Int
    private let listener: Int32
    private let target: Int
    private let broken = Mutex(false)

    /// - Parameter target: the broker's port of 127.0.0.1.
    init(before target: Int) throws {
        self.target = target
        listener = try LoopbackSocket.listen()
        port = try LoopbackSocket.port(of: listener)
        startThread(named: "aborting-broker") { [weak self, listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard let self else {
                    close(client)
                    break
                }
                startThread(named: "aborting-broker") { [self] in serve(client) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func breakDown() { broken.withLock { $0 = true } }

    private func serve(_ client: Int32) {
        defer { close(client) }
        var connect = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &connect, connect.count, 0)
        // A check whether something listens sends nothing.
        guard count > 0 else { return }
        // The version follows the protocol's name.
        let name = connect.prefix(count).firstIndex(of: UInt8(ascii: "M")) ?? 0
        if broken.withLock({ $0 }), connect[name + 4] == 5 {
            // CONNACK, accepted, with two bytes of properties: 126 is none.
            let answer: [UInt8] = [0x20, 5, 0, 0, 2, 126, 0]
            send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            _ = recv(client, &connect, connect.count, 0)
            return
        }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(server) }
        guard LoopbackSocket.connect(server, to: target),
            send(server, connect, count, Int32(MSG_NOSIGNAL)) == count
        else { return }
        var ends = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, 2, -1) >= 0 || errno == EINTR {
            for (index, sink) in [(0, server), (1, client)] where ends[index].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(ends[index].fd, &buffer, buffer.count, 0)
                guard count > 0, send(sink, buffer, count, Int32(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
}
