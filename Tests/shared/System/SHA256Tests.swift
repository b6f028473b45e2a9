import SoundboxSystem
import Testing

@Suite("SHA-256 and HMAC")
struct SHA256Tests {
    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        key.withUnsafeBytes { SHA256.authenticationCode(of: bytes, key: $0) }
    }

    /// FIPS 180-4's examples (NIST, Cryptographic Standards and Guidelines, "SHA256.pdf"), and the empty message.
    @Test(
        "The known answers of FIPS 180-4",
        arguments: [
            ([UInt8](), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func hashes(bytes: [UInt8], expected: String) { #expect(Self.digits(SHA256.hash(of: bytes)) == expected) }

    /// RFC 4231, section 4: cases 1 to 4, 6 and 7. Case 5 is about codes that are cut short, which nobody makes here.
    @Test(
        "The known answers of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array(
                    ("This is a test using a larger than block-size key and a larger than block-size data. "
                        + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ])
    func codes(key: [UInt8], bytes: [UInt8], expected: String) {
        #expect(Self.digits(Self.code(of: bytes, key: key)) == expected)
    }

    @Test("The right code is taken; one with a changed bit, one that is cut short or longer, and none are not")
    func comparison() {
        let (key, bytes) = (Array("key".utf8), Array("message".utf8))
        let right = Self.code(of: bytes, key: key)
        func isTaken(_ code: [UInt8]) -> Bool {
            key.withUnsafeBytes { SHA256.isAuthenticationCode(code, of: bytes, key: $0) }
        }
        #expect(isTaken(right))
        for index in right.indices {
            var wrong = right
            wrong[index] ^= 1
            #expect(!isTaken(wrong), "byte \(index)")
        }
        #expect(!isTaken(Array(right.dropLast())) && !isTaken(right + [0]) && !isTaken([]))
    }

    @Test("An empty key and an empty message have a code like others")
    func empty() {
        #expect(
            Self.digits(Self.code(of: [], key: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}
