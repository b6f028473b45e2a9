import Glibc

/// This machine's address in the shop's network.
///
///     if let octets = NetworkAddress.octets() { print(octets) }  // [192, 168, 1, 7]
public enum NetworkAddress {
    /// The four octets of the first IPv4 address of an interface that is up, except loopback; `nil` without one. IPv6
    /// is left out, because such an address is too long to be written down by ear.
    public static func octets() -> [UInt8]? { all().first?.octets }

    /// The IPv4 addresses of every interface that is up, except loopback.
    public static func all() -> [(interface: String, octets: [UInt8])] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [(interface: String, octets: [UInt8])] = []
        for interface in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = interface?.pointee, let address = entry.ifa_addr, address.pointee.sa_family == AF_INET,
                entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            let octets = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
            addresses.append((String(cString: entry.ifa_name), octets))
        }
        return addresses
    }
}
