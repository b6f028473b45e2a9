import Glibc
import SoundboxCore

/// Looks up names with getaddrinfo(3). Only the end of the process can interrupt it.
enum NameLookup {
    /// Blocks without a timeout.
    /// - Returns: at least one address, in the order to try.
    static func addresses(of host: String) throws(ClipError) -> [InternetAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else {
            throw ClipError("the name \(host) cannot be looked up: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(first) }
        var addresses: [InternetAddress] = []
        for entry in sequence(first: first, next: { $0?.pointee.ai_next }) {
            guard let entry, let address = entry.pointee.ai_addr else { break }
            // ip(7), ipv6(7): after family and port, in IPv6 also after the flow.
            let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
            let found: InternetAddress? =
                switch Int32(address.pointee.sa_family) {
                case AF_INET where raw.count >= 8: InternetAddress(bytes: Array(raw[4..<8]))
                case AF_INET6 where raw.count >= 24: InternetAddress(bytes: Array(raw[8..<24]))
                default: nil
                }
            if let found, !addresses.contains(found) { addresses.append(found) }
        }
        guard !addresses.isEmpty else { throw ClipError("the name \(host) has no address") }
        return addresses
    }
}

extension InternetAddress {
    /// In the format of inet_ntop(3): `192.0.2.1`, `2001:db8::1`.
    var text: String {
        let (family, bytes) =
            switch self {
            case .v4(let bytes): (AF_INET, bytes)
            case .v6(let bytes): (AF_INET6, bytes)
            }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
