import Glibc

/// This machine's address in the shop's network.
public enum NetworkAddress {
    /// The four octets of the first IPv4 address of an interface that is up, except loopback; `nil` without one. IPv6 is
    /// left out because nobody can write down such an address by ear.
    public static func octets() -> [UInt8]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        for interface in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = interface?.pointee, let address = entry.ifa_addr, address.pointee.sa_family == AF_INET,
                entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
        }
        return nil
    }
}
