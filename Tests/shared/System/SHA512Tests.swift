import SoundboxSystem
import Testing

@Suite("HMAC with SHA-512")
struct SHA512Tests {
    private static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        key.withUnsafeBytes { SHA512.authenticationCode(of: bytes, key: $0) }
    }

    /// RFC 4231, section 4: cases 1, 2, 3 and 6.
    @Test(
        "The known answers of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                [
                    "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde",
                    "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
                ]
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                [
                    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554",
                    "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
                ]
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                [
                    "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39",
                    "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
                ]
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                [
                    "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352",
                    "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
                ]
            ),
        ] as [([UInt8], [UInt8], [String])])
    func codes(key: [UInt8], bytes: [UInt8], expected: [String]) {
        let digits = Self.code(of: bytes, key: key).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == expected.joined())
    }
}
