import SoundboxCore
import TestSupport

/// Seals with AES-256-GCM as NIST SP 800-38D writes it down: the `openssl` command has AES, and not this mode.
struct GCMSealer {
    let folder: TemporaryFolder
    let key: [UInt8]

    /// - Parameter nonce: 12 bytes.
    /// - Returns: with the tag at its end.
    func seal(_ plain: [UInt8], nonce: [UInt8], associated: [UInt8]) async throws -> [UInt8] {
        let hashKey = Block(try await counters([UInt8](repeating: 0, count: 16), of: [UInt8](repeating: 0, count: 16)))
        let sealed = try await counters(nonce + [0, 0, 0, 2], of: plain)
        let lengths = Block(high: UInt64(associated.count * 8), low: UInt64(sealed.count * 8))
        var hash = Block(high: 0, low: 0)
        for block in Self.blocks(of: associated) + Self.blocks(of: sealed) + [lengths] {
            hash = hash.combined(with: block).times(hashKey)
        }
        let mask = Block(try await counters(nonce + [0, 0, 0, 1], of: [UInt8](repeating: 0, count: 16)))
        return sealed + hash.combined(with: mask).bytes
    }

    /// AES-256 in counter mode.
    private func counters(_ first: [UInt8], of bytes: [UInt8]) async throws -> [UInt8] {
        try folder.write(bytes, to: "plain")
        try await ChildProcess.run(
            "openssl", "enc", "-aes-256-ctr", "-K", key.hexadecimal, "-iv", first.hexadecimal, "-in",
            folder.file("plain"), "-out", folder.file("sealed"))
        return try folder.read("sealed")
    }

    private static func blocks(of bytes: [UInt8]) -> [Block] {
        stride(from: 0, to: bytes.count, by: 16).map { Block(Array(bytes[$0...].prefix(16))) }
    }

    /// 128 bits, the first one the highest.
    private struct Block {
        var high: UInt64
        var low: UInt64

        init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

        /// Filled up with zeros.
        init(_ bytes: [UInt8]) {
            let all = bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
            self.init(
                high: all[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: all[8...].reduce(0) { $0 << 8 | UInt64($1) })
        }

        var bytes: [UInt8] { [high, low].flatMap { word in (0..<8).map { UInt8(word >> (56 - 8 * $0) & 0xFF) } } }

        func combined(with other: Block) -> Block { Block(high: high ^ other.high, low: low ^ other.low) }

        /// The product in GF(2^128), algorithm 1 of SP 800-38D.
        func times(_ other: Block) -> Block {
            var (product, factor) = (Block(high: 0, low: 0), other)
            for index in 0..<128 {
                let word = index < 64 ? high >> (63 - index) : low >> (127 - index)
                if word & 1 == 1 { product = product.combined(with: factor) }
                let isOdd = factor.low & 1 == 1
                factor = Block(high: factor.high >> 1, low: factor.low >> 1 | factor.high << 63)
                if isOdd { factor.high ^= 0xE1 << 56 }
            }
            return product
        }
    }
}
