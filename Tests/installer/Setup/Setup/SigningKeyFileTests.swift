import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxBox
@testable import SoundboxConfiguration
@testable import SoundboxSetup

@Suite("Files of signing keys")
struct SigningKeyFileTests {
    private let folder: TemporaryFolder
    private static let key = "0123456789abcdef0123456789abcdef"
    private static let other = "another-key-of-the-same-length-.."

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Blanks and line ends around a key are no part of it",
        arguments: [key, "\(key)\n", "  \(key) \t\r\n", "\(key)\r\nanother line\n"])
    func blanks(content: String) throws {
        let path = try folder.write(content, to: "key")
        chmod(path, 0o600)
        #expect(try SigningKey(readingFile: path).text == Self.key)
    }

    @Test("A key file that others may read, or that is missing or short, is refused by its path")
    func files() throws {
        let path = try folder.write("\(Self.key)\n", to: "key")
        let settings = Configuration.Authenticity(
            keyFile: path, nextKeyFile: folder.file("next"), required: true, window: .seconds(300))
        chmod(path, 0o644)
        #expect(throws: SecretFileError.self) { try settings.readKeys() }
        chmod(path, 0o600)
        let missing = #expect(throws: SecretFileError.self) { try settings.readKeys() }
        #expect(missing?.description == "signing key file \(folder.file("next")): No such file or directory")
        try folder.write("short\n", to: "next")
        chmod(folder.file("next"), 0o600)
        let short = #expect(throws: SecretFileError.self) { try settings.readKeys() }
        #expect(short?.description.contains("next: it is 5 characters long; expected 32 to 1024") == true)
        try folder.write("\(Self.other)\n", to: "next")
        #expect(try settings.readKeys().map(\.text) == [Self.key, Self.other])
    }
}
