import Glibc

/// Sockets on 127.0.0.1.
package enum LoopbackSocket {
    package struct Failure: Error { package var code: Int32 }

    /// A listening socket on a free port.
    package static func listen() throws -> Int32 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        guard listener >= 0, code == 0, Glibc.listen(listener, 16) == 0 else { throw Failure(code: errno) }
        return listener
    }

    /// Connects to a port of 127.0.0.1.
    /// - Returns: whether something listens there.
    package static func connect(_ socket: Int32, to port: Int) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    package static func port(of listener: Int32) throws -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        guard code == 0 else { throw Failure(code: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// A port that nothing listened on a moment ago.
    package static func freePort() throws -> Int {
        let listener = try listen()
        defer { close(listener) }
        return try port(of: listener)
    }
}
