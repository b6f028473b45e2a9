// Both headers include sys/socket.h; its constants belong to the one that the compiler read first.
import CMicroHTTPD
import Glibc
import SoundboxCore
import SoundboxSystem

/// A TCP port at one address of this machine.
package final class TCPListener: HTTPListener {
    package private(set) var descriptor: Int32?
    package let watch: Int32? = nil

    /// The machine need not have the address yet: a box starts before its network does.
    /// - Parameter backlog: how many connections may wait to be accepted; others are made a second later.
    /// - Throws: when the port is taken, or the machine has no such kind of address.
    package init(_ address: ListenAddress, backlog: Int32 = 16) throws(ControlError) {
        do throws(SystemError) { descriptor = try Self.socket(listeningAt: address, backlog) } catch {
            throw ControlError(reason: "\(address): \(error)")
        }
    }

    deinit { close() }

    package func close() {
        if let descriptor { Glibc.close(descriptor) }
        descriptor = nil
    }

    package func restoreIfRemoved() {}

    private static func socket(listeningAt address: ListenAddress, _ backlog: Int32) throws(SystemError) -> Int32 {
        let family = if case .v4 = address.address { AF_INET } else { AF_INET6 }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(family, type, 0)
        guard descriptor >= 0 else { throw SystemError.last }
        var options = [(SOL_SOCKET, SO_REUSEADDR), (Int32(IPPROTO_IP), IP_FREEBIND)]
        if family == AF_INET6 { options.append((Int32(IPPROTO_IPV6), IPV6_V6ONLY)) }
        var yes: Int32 = 1
        for (level, option) in options {
            setsockopt(descriptor, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        guard bind(descriptor, to: address), listen(descriptor, backlog) == 0 else {
            let error = SystemError.last
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func bind(_ descriptor: Int32, to address: ListenAddress) -> Bool {
        let port = in_port_t(truncatingIfNeeded: address.port).bigEndian
        func bind<Address>(_ address: Address) -> Bool {
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
                }
            }
        }
        switch address.address {
        case .v4(let bytes):
            var socketAddress = sockaddr_in()
            socketAddress.sin_family = sa_family_t(AF_INET)
            socketAddress.sin_port = port
            withUnsafeMutableBytes(of: &socketAddress.sin_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
            return bind(socketAddress)
        case .v6(let bytes):
            var socketAddress = sockaddr_in6()
            socketAddress.sin6_family = sa_family_t(AF_INET6)
            socketAddress.sin6_port = port
            withUnsafeMutableBytes(of: &socketAddress.sin6_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
            return bind(socketAddress)
        }
    }
}
