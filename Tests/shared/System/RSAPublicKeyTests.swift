import Foundation
import SoundboxSystem
import TestSupport
import Testing

@Suite("RSA signatures of others", .timeLimit(.minutes(10)))
struct RSAPublicKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The text of a key or a certificate.
    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    @Test("A signature is believed by the public key and by the certificate, and by nothing but its own bytes")
    func signature() async throws {
        let (key, message) = (folder.file("key"), try folder.write("message", to: "message"))
        try await ChildProcess.run(
            "openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=x", "-keyout", key, "-out",
            folder.file("certificate"))
        try await ChildProcess.run("openssl", "pkey", "-in", key, "-pubout", "-out", folder.file("public"))
        try await ChildProcess.run(
            "openssl", "dgst", "-sha256", "-sign", key, "-out", folder.file("signature"), message)
        let signature = try folder.read("signature")
        for name in ["public", "certificate"] {
            let key = try RSAPublicKey(pem: try text(name))
            #expect(key.isSignature(signature, of: Array("message".utf8)))
            #expect(!key.isSignature(signature, of: Array("messagf".utf8)) && !key.isSignature(signature, of: []))
            #expect(!key.isSignature([], of: Array("message".utf8)))
            #expect(!key.isSignature(signature.dropLast(), of: Array("message".utf8)))
            #expect(!key.isSignature(signature + [0], of: Array("message".utf8)))
        }
        // The private key is none of ours.
        #expect(throws: IdentityError.self) { try RSAPublicKey(pem: try text("key")) }
    }

    @Test(
        "What is no RSA key is none",
        arguments: ["", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
    func none(text: String) { #expect(throws: IdentityError.self) { try RSAPublicKey(pem: text) } }
}
