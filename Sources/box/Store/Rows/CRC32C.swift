/// CRC-32C (Castagnoli): detects every flipped bit, every two flipped bits in a row of the inbox's length, and every
/// burst of up to 32 bits; it misses one in four thousand million of other errors. Parameters and test vectors: RFC
/// 3720, appendix B.4.
struct CRC32C {
    private var remainder = UInt32.max

    var value: UInt32 { ~remainder }

    mutating func update(_ byte: UInt8) {
        remainder = Self.table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { update(byte) }
    }

    /// Least significant byte first, on every processor.
    mutating func update(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { update(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// The remainders of all bytes, for the polynomial 1EDC6F41 with its bits reversed.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { remainder, _ in
            remainder & 1 == 1 ? 0x82F6_3B78 ^ (remainder >> 1) : remainder >> 1
        }
    }
}
