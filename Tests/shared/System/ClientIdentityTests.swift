import Foundation
import SoundboxSystem
import TestSupport
import Testing

@Suite("A box's own key and certificate", .timeLimit(.minutes(10)))
struct ClientIdentityTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let issuer: String

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
        issuer = try String(contentsOfFile: authority.certificate, encoding: .utf8)
    }

    private func issued(_ name: String) async throws -> (key: ClientKey, text: String) {
        let pair = try await authority.issue(name)
        return (
            ClientKey(text: try String(contentsOfFile: pair.key, encoding: .utf8)),
            try String(contentsOfFile: pair.certificate, encoding: .utf8)
        )
    }

    @Test("A key is another one each time, hides itself, and signs a request that OpenSSL believes")
    func request() async throws {
        let (first, second) = (try ClientKey.make(), try ClientKey.make())
        #expect(first != second && first.text.contains("-----BEGIN PRIVATE KEY-----"))
        #expect("\(first)" == "••••••")
        var dumped = ""
        dump(first, to: &dumped)
        #expect(!dumped.contains("PRIVATE"))
        let request = try folder.write(try first.request(for: "box-000000a1b2c3d4"), to: "request.pem")
        let child = try ChildProcess(["openssl", "req", "-in", request, "-noout", "-verify", "-subject", "-text"])
        let words = try await (child.output.all() + child.errors.all()).joined(separator: " ")
        #expect(words.contains("verify OK") && words.contains("box-000000a1b2c3d4") && words.contains("P-256"))
        #expect(throws: IdentityError.self) { try ClientKey(text: "nothing").request(for: "box") }
    }

    @Test("A certificate is taken for its own key and from its own issuer alone")
    func judged() async throws {
        let (key, text) = try await issued("box-1")
        let certificate = try ClientCertificate(reading: text, key: key, issuer: issuer)
        #expect(certificate.notAfter - certificate.notBefore == 2 * 86_400)
        let strangers = try TemporaryFolder()
        let stranger = try await TestAuthority(in: strangers)
        let other = try String(contentsOfFile: stranger.certificate, encoding: .utf8)
        for (text, key, issuer, words) in [
            (text, try ClientKey.make(), issuer, "for another key"), (text, key, other, "has not issued"),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key, issuer, "no certificate"),
            (text, ClientKey(text: "none"), issuer, "private key is none"), (text, key, "none", "issuer's certificate"),
        ] {
            do throws(IdentityError) {
                _ = try ClientCertificate(reading: text, key: key, issuer: issuer)
                Issue.record("taken: \(words)")
            } catch { #expect(error.description.contains(words), "\(error)") }
        }
        // What came along would be written beside the key, and keep the box from its broker.
        #expect(
            try ClientCertificate(reading: "words\n\(text)\nwords\n", key: key, issuer: issuer).text == certificate.text
        )
        let block = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        for addition in [try ClientKey.make().text, block, String(block.dropLast(20)), "-----BEGIN CERTIFICATE-----\n"]
        {
            #expect(throws: IdentityError.self, "\(addition)") {
                try ClientCertificate(reading: text + addition, key: key, issuer: issuer)
            }
        }
        // A certificate that leads nowhere is left out.
        let stray = try String(contentsOfFile: try await authority.issue("box-3").certificate, encoding: .utf8)
        #expect(try ClientCertificate(reading: text + stray, key: key, issuer: issuer).text == certificate.text)
        // Names do not make an issuer: an authority with the same one has signed this.
        let forged = try String(contentsOfFile: try await stranger.issue("box-1").certificate, encoding: .utf8)
        #expect(throws: IdentityError.self) { try ClientCertificate(reading: forged, issuer: issuer) }
    }

    /// Signed by `signer`, for whoever has the certificate of `owner`.
    private func package(
        _ content: String, signer: TestAuthority, in place: TemporaryFolder, owner: String
    ) async throws -> String {
        let file = try folder.write(content, to: "content")
        let owner = try folder.write(owner, to: "owner.pem")
        try await ChildProcess.run(
            "openssl", "cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", signer.certificate,
            "-inkey", place.file("ca.key"), "-in", file, "-out", folder.file("signed"))
        try await ChildProcess.run(
            "openssl", "cms", "-encrypt", "-binary", "-aes-256-cbc", "-outform", "PEM", "-in", folder.file("signed"),
            "-out", folder.file("package"), owner)
        return try String(contentsOfFile: folder.file("package"), encoding: .utf8)
    }

    @Test("A package opens for its owner, when the issuer has signed it, and not otherwise")
    func opened() async throws {
        let (key, text) = try await issued("box-1")
        let certificate = try ClientCertificate(reading: text, key: key, issuer: issuer)
        let good = try await package("für dich\r\n", signer: authority, in: folder, owner: text)
        #expect(try certificate.open(good, with: key, from: issuer) == Array("für dich\r\n".utf8))

        let strangers = try TemporaryFolder()
        let stranger = try await TestAuthority(in: strangers)
        let forged = try await package("{}", signer: stranger, in: strangers, owner: text)
        let (_, otherText) = try await issued("box-2")
        let foreign = try await package("{}", signer: authority, in: folder, owner: otherText)
        var bent = Array(good.utf8)
        bent[bent.count / 2] ^= 1
        for (package, words) in [
            (forged, "not signed by the issuer"), (foreign, "sealed for somebody else"), ("", "no CMS"),
            (String(decoding: bent, as: UTF8.self), ""),
        ] {
            do throws(IdentityError) {
                _ = try certificate.open(package, with: key, from: issuer)
                Issue.record("opened: \(words)")
            } catch { #expect(words.isEmpty || error.description.contains(words), "\(error)") }
        }
    }
}
