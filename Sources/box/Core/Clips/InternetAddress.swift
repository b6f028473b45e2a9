/// An IP address, in network byte order.
///
///     InternetAddress(bytes: [192, 168, 1, 7])?.isPublic  // false
public enum InternetAddress: Sendable, Hashable {
    /// Four bytes.
    case v4([UInt8])
    /// Sixteen bytes.
    case v6([UInt8])

    /// - Returns: `nil` unless there are four or sixteen bytes.
    public init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self = .v4(bytes)
        case 16: self = .v6(bytes)
        default: return nil
        }
    }

    public var bytes: [UInt8] {
        switch self {
        case .v4(let bytes), .v6(let bytes): bytes
        }
    }

    /// Whether it is an address on the Internet, and cannot be one of this machine or of the shop's network.
    ///
    /// By IANA's registries of special-purpose addresses (RFC 6890), with multicast, and with addresses that contain an
    /// IPv4 address: NAT64 is judged by that address; 6to4, Teredo and mapped addresses are never public.
    public var isPublic: Bool {
        switch self {
        case .v4(let bytes):
            bytes.count == 4 && !Self.specialV4.contains { $0.holds(bytes) }
        case .v6(let bytes):
            if bytes.count == 16, Self.nat64.holds(bytes) {
                InternetAddress.v4(Array(bytes[12...])).isPublic
            } else {
                bytes.count == 16 && Self.globalUnicast.holds(bytes) && !Self.specialV6.contains { $0.holds(bytes) }
            }
        }
    }

    /// A prefix of addresses.
    private struct Range: Sendable {
        let start: [UInt8]
        let bits: Int

        init(_ start: [UInt8], _ bits: Int) { (self.start, self.bits) = (start, bits) }

        func holds(_ address: [UInt8]) -> Bool {
            (0..<bits).allSatisfy { bit in
                let wanted = bit / 8 < start.count ? start[bit / 8] : 0
                return (address[bit / 8] ^ wanted) & (0x80 >> UInt8(bit % 8)) == 0
            }
        }
    }

    private static let specialV4 = [
        Range([0], 8),  // this network, RFC 791
        Range([10], 8),  // private, RFC 1918
        Range([100, 64], 10),  // shared by carriers' NAT, RFC 6598
        Range([127], 8),  // loopback, RFC 1122
        Range([169, 254], 16),  // link-local, RFC 3927; also where clouds keep a machine's secrets
        Range([172, 16], 12),  // private, RFC 1918
        Range([192, 0, 0], 24),  // protocol assignments, RFC 6890
        Range([192, 0, 2], 24),  // documentation, RFC 5737
        Range([192, 31, 196], 24),  // AS112, RFC 7535
        Range([192, 52, 193], 24),  // AMT, RFC 7450
        Range([192, 88, 99], 24),  // 6to4 relays, RFC 7526
        Range([192, 168], 16),  // private, RFC 1918
        Range([192, 175, 48], 24),  // AS112, RFC 7534
        Range([198, 18], 15),  // benchmarks, RFC 2544
        Range([198, 51, 100], 24),  // documentation, RFC 5737
        Range([203, 0, 113], 24),  // documentation, RFC 5737
        Range([224], 4),  // multicast, RFC 5771
        Range([240], 4),  // reserved, RFC 1112, and broadcast
    ]

    /// 64:ff9b::/96, RFC 6052: addresses by which an IPv6-only network reaches IPv4.
    private static let nat64 = Range([0x00, 0x64, 0xFF, 0x9B], 96)
    /// 2000::/3, RFC 4291. Everything else is unspecified, loopback, mapped, link-local, unique local, multicast or
    /// unassigned.
    private static let globalUnicast = Range([0x20], 3)
    private static let specialV6 = [
        Range([0x20, 0x01, 0x00], 23),  // 2001::/23: Teredo, benchmarks, ORCHID, RFC 2928
        Range([0x20, 0x01, 0x0D, 0xB8], 32),  // documentation, RFC 3849
        Range([0x20, 0x02], 16),  // 6to4, RFC 3056
        Range([0x26, 0x20, 0x00, 0x4F, 0x80, 0x00], 48),  // AS112, RFC 7534
        Range([0x3F, 0xFF, 0x00], 20),  // documentation, RFC 9637
    ]
}
