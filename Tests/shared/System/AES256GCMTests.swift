import SoundboxCore
import SoundboxSystem
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
    /// Test cases 13, 14 and 16 of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)".
    struct Case: Sendable, CustomTestStringConvertible {
        var number: Int
        var key, nonce, associated, plain, sealed: [UInt8]

        init(_ number: Int, key: String, nonce: String, associated: String = "", plain: String, sealed: String) {
            func bytes(_ digits: String) -> [UInt8] { [UInt8](hexadecimal: digits.utf8) ?? [] }
            self.number = number
            (self.key, self.nonce, self.associated) = (bytes(key), bytes(nonce), bytes(associated))
            (self.plain, self.sealed) = (bytes(plain), bytes(sealed))
        }

        var testDescription: String { "case \(number)" }
    }

    static let cases = [
        Case(
            13, key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24), plain: "",
            sealed: "530f8afbc74536b9a963b4f1c4cb738b"),
        Case(
            14, key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24),
            plain: String(repeating: "0", count: 32),
            sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
        Case(
            16, key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888", associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            sealed: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test("The known answers", arguments: cases)
    func known(one: Case) {
        #expect(AES256GCM.open(one.sealed, key: one.key, nonce: one.nonce, associated: one.associated) == one.plain)
    }

    @Test("With one bit changed, cut, or with a key or nonce of another length, nothing comes out", arguments: cases)
    func refused(one: Case) {
        func open(_ change: (inout Case) -> Void) -> [UInt8]? {
            var other = one
            change(&other)
            return AES256GCM.open(other.sealed, key: other.key, nonce: other.nonce, associated: other.associated)
        }
        for index in one.sealed.indices { #expect(open { $0.sealed[index] ^= 1 } == nil, "byte \(index)") }
        #expect(open { $0.key[0] ^= 1 } == nil && open { $0.nonce[0] ^= 1 } == nil)
        #expect(open { $0.associated.append(0) } == nil)
        #expect(open { $0.sealed.removeLast() } == nil && open { $0.sealed = [] } == nil)
        #expect(open { $0.key.removeLast() } == nil && open { $0.key = [] } == nil)
        #expect(open { $0.nonce.removeLast() } == nil && open { $0.nonce = [] } == nil)
        #expect(open { $0.nonce += [UInt8](repeating: 0, count: 60_000) } == nil)
    }
}
