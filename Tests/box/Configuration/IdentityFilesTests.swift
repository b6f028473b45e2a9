import Foundation
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxConfiguration

@Suite("The files of a box's identity", .timeLimit(.minutes(10)))
struct IdentityFilesTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let files: IdentityFiles

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
        try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
        files = IdentityFiles(inStateDirectory: folder.file("state"), issuerFile: authority.certificate)
        let pair = try await authority.issue("first", validity: ("20200101000000Z", "20300101000000Z"))
        try files.adopt(
            ClientKey(text: try Self.text(pair.key)), try ClientCertificate(reading: try Self.text(pair.certificate)))
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.file("state"))) }
    }

    /// What the authority makes of a request.
    private func signed(_ request: String, until: String = "20400101000000Z") async throws -> String {
        let file = try folder.write(request, to: "next.csr")
        return try Self.text(try await authority.sign(file, as: "next", from: "20250101000000Z", until: until))
    }

    @Test("The one that was asked for takes the place of the one before, which comes back unless it is kept")
    func exchanged() async throws {
        let before = try Self.text(files.path)
        let certificate = try await signed(try files.request(for: "box"))
        #expect(try files.install(certificate))
        #expect(try Self.text(files.path) != before && files.isOnTrial)
        // Delivered at least once: again, it changes nothing.
        #expect(try !files.install(certificate))

        #expect(files.countStart() == 1 && files.countStart() == 2)
        try files.restore(at: Timestamp(millisecondsSince1970: 0), because: "the broker is not pleased")
        #expect(try Self.text(files.path) == before && !files.isOnTrial)
        #expect(files.failure?.reason == "the broker is not pleased")

        let second = try await signed(try files.request(for: "box"))
        #expect(try files.install(second))
        #expect(files.countStart() == 1)
        files.keep()
        #expect(try names == ["identity.pem"])
        #expect(try files.term().end == Timestamp(rfc3339: "2040-01-01T00:00:00Z"))
        #expect(try ClientCertificate(reading: second, key: ClientKey(text: Self.text(files.path))).text == second)
    }

    @Test("What nobody asked for, or what ends sooner, is refused and changes nothing")
    func refused() async throws {
        let before = try Self.text(files.path)
        let foreign = try await signed(try ClientKey.make().request(for: "box"))
        #expect(throws: IdentityError("this box has asked for none")) { try files.install(foreign) }
        let request = try files.request(for: "box")
        #expect(throws: IdentityError.self) { try files.install(foreign) }
        let shorter = try await signed(request, until: "20290101000000Z")
        #expect(throws: IdentityError.self) { try files.install(shorter) }
        #expect(try Self.text(files.path) == before && !files.isOnTrial)
    }

    @Test("The key is the same until its certificate comes, whatever happens between, and another one afterwards")
    func keys() async throws {
        func key() throws -> String { try Self.text("\(files.path).next") }
        _ = try files.request(for: "box")
        let first = try key()
        let request = try files.request(for: "box")
        #expect(try key() == first)
        #expect(try files.install(try await signed(request)))
        // A kill has left the key that is in use.
        try first.write(toFile: "\(files.path).next", atomically: true, encoding: .utf8)
        _ = try files.request(for: "box")
        #expect(try key() != first)
        // Something else is in its place.
        try "nothing".write(toFile: "\(files.path).next", atomically: true, encoding: .utf8)
        _ = try files.request(for: "box")
        #expect(try key().contains("PRIVATE KEY"))
    }
}
