/// The TCP address where metrics are served.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    public var address: InternetAddress
    /// 1–65535.
    public var port: Int

    public init(_ address: InternetAddress, port: Int) { (self.address, self.port) = (address, port) }

    /// Whether it stands for every address that the machine has or will have, including public ones.
    public var isEveryAddress: Bool {
        switch address {
        case .v4(let bytes), .v6(let bytes): bytes.allSatisfy { $0 == 0 }
        }
    }

    /// `127.0.0.1:9464`, or `[0:0:0:0:0:0:0:1]:9464`.
    public var description: String {
        switch address {
        case .v4(let bytes): "\(bytes.map { "\($0)" }.joined(separator: ".")):\(port)"
        case .v6(let bytes):
            "["
                + stride(from: 0, to: bytes.count - 1, by: 2)
                .map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
                + "]:\(port)"
        }
    }
}
