import Glibc
import SoundboxSystem

/// What a server on 127.0.0.1 does with each connection, on a thread of its own, until the test ends.
package final class LoopbackServer: Sendable {
    package let port: Int
    private let listener: Int32

    /// - Parameter serve: gets the connection, which is closed behind it, and what came first.
    package init(_ serve: @escaping @Sendable (_ connection: Int32, _ request: String) -> Void) throws {
        listener = try LoopbackSocket.listen()
        port = try LoopbackSocket.port(of: listener)
        startThread(named: "test-server") { [listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = read(connection, &buffer, buffer.count)
                serve(connection, String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
                // A process that another test starts just now has a copy of it for a moment, which would keep it open.
                shutdown(connection, Int32(SHUT_WR))
                close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    package convenience init(answer: String) throws {
        try self.init { connection, _ in Self.send(answer, on: connection) }
    }

    @discardableResult
    package static func send(_ text: String, on connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
